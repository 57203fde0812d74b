"""Switch attention heads off, and measure what the model can then no longer do (Michel, Levy & Neubig 2019).

Letters: T tokens, D head size, H heads, L layers, C = H·D hidden size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_utils.contextual.evaluation import held_out_sentences
from course_utils.contextual.measures import separation
from course_utils.contextual.senses import sense_points, sense_space
from course_utils.datasets.batching import Batch
from course_utils.datasets.corpus import homonym
from course_utils.datasets.pretraining import IGNORE
from course_utils.interpretation.projections import encoder_of, projections
from course_utils.tokenization import WordPieceTokenizer

Head = tuple[int, int]  # (layer, head), both from 0


class Measured(NamedTuple):
    """What a model can do. Of a HeadEffects: how each number changes."""

    loss: float | Tensor  # of the masked language model, nats a chosen token
    separation: float | Tensor  # of the word's vectors: cosine within a sense minus cosine across senses
    accuracy: float | Tensor  # share of the sentences whose nearest sense is the right one


class HeadEffects(NamedTuple):
    """The whole model, and what switching off one head at a time changes."""

    whole: Measured  # numbers
    change: Measured  # float (L, H) each: without the head, minus the whole model's


@contextmanager
def heads_off(model: nn.Module, heads: Iterable[Head]) -> Iterator[nn.Module]:
    """Within the block, these heads contribute nothing: their part of the merged context is 0 before W^O.

    The parameters stay as they are; afterwards, even after an error, the model is as before. The heads still attend;
    what they return is discarded. (nearest_sense learns its senses at the first call and keeps them: make that call
    outside, or the senses are those of the damaged model.)

    Args:
        model: BertModel, a class of course_utils.heads, or transformers' BertModel.
        heads: (layer, head) pairs, both from 0. None at all is allowed.
    """
    layers, number = projections(model), encoder_of(model).config.num_attention_heads
    chosen: dict[int, set[int]] = {}
    for layer, head in heads:
        if layer not in range(len(layers)) or head not in range(number):
            raise ValueError(
                f"layer must lie in 0 … {len(layers) - 1} and head in 0 … {number - 1}, got ({layer}, {head})"
            )
        chosen.setdefault(layer, set()).add(head)
    hooks = []
    try:
        for layer, own in chosen.items():
            hooks.append(layers[layer].output.register_forward_pre_hook(_silence(sorted(own), number)))
        yield model
    finally:
        for hook in hooks:
            hook.remove()


def _silence(heads: Sequence[int], number: int) -> Callable[[nn.Module, tuple[Tensor, ...]], tuple[Tensor]]:
    """A hook that clears these heads' coordinates of the context (B, T, H·D)."""

    def hook(module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor]:
        context = given[0].unflatten(-1, (number, -1)).clone()  # (B, T, H, D)
        context[..., heads, :] = 0.0
        return (context.flatten(-2),)

    return hook


def measure_heads(model: nn.Module, measure: Callable[[], Sequence[float]]) -> Tensor:
    """Call `measure` with each head switched off, one at a time.

    Args:
        model: as in heads_off.
        measure: returns N numbers about the model as it is at that moment.

    Returns:
        float64 (N, L, H).
    """
    layers, heads = len(projections(model)), encoder_of(model).config.num_attention_heads
    found = []
    for layer in range(layers):
        for head in range(heads):
            with heads_off(model, {(layer, head)}):
                found.append(measure())
    return torch.tensor(found, dtype=torch.float64).T.unflatten(-1, (layers, heads))


def head_effects(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    batches: Sequence[Batch],
    *,
    word: str = "배",
    held_out: Mapping[str, Sequence[str]] | None = None,
    layer: int | None = None,
) -> HeadEffects:
    """What each head does for the masked language model, and for telling a word's senses apart.

    The senses are those of the whole model: only the vectors of the sentences that are judged change.

    Args:
        model: BertForPreTraining or BertForMaskedLM, in eval mode.
        tokenizer: the model's.
        batches: fixed ones, masked beforehand, so that every head faces the same task.
        word: one of datasets.corpus.HOMONYMS.
        held_out: sense -> sentences; None means the word's own in data/senses.json.
        layer: as in nearest_sense.
    """
    homonym(word)
    groups = held_out_sentences()[word] if held_out is None else held_out
    sentences = [sentence for group in groups.values() for sentence in group]
    senses = [sense for sense, group in groups.items() for _ in group]
    space = sense_space(model, tokenizer, word, layer=layer)

    def measure() -> Measured:
        points = sense_points(
            model, tokenizer, sentences, word, layer=layer
        )  # (N, C), of length 1: the cosines stay
        answers = space.scores(points).argmax(-1).tolist()
        right = sum(space.senses[answer] == sense for answer, sense in zip(answers, senses))
        return Measured(masked_loss(model, batches), separation(points, senses), right / len(senses))

    whole = measure()
    changes = measure_heads(model, measure) - torch.tensor(whole, dtype=torch.float64)[:, None, None]
    return HeadEffects(whole, Measured(*changes))


@torch.no_grad()
def masked_loss(model: nn.Module, batches: Sequence[Batch]) -> float:
    """The masked language model's loss over all chosen tokens of the batches, in nats."""
    total, count = 0.0, 0
    for batch in batches:
        chosen = int((batch.labels != IGNORE).sum())
        output = model(batch.input_ids, batch.attention_mask, batch.token_type_ids, labels=batch.labels)
        total += float(output.loss) * chosen
        count += chosen
    if not count:
        raise ValueError("the batches must hold at least one chosen token to predict, and hold none")
    return total / count

"""A model's vectors of every token at every layer, computed once: what feature-based use of BERT begins with.

Nothing of the model is trained here, so its vectors of a sentence are always the same: they are computed once, kept on
the disk, and read again by whatever is built on top (Devlin et al. 2019, section 5.3). feature_files.py keeps them,
and table7.py makes one of all layers.

Letters: N sentences, T tokens of a sentence, W words of it, L layers, C hidden_size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from course_utils.datasets.batching import pad
from course_utils.support.given import several, shown, whole_number
from course_utils.tasks.feature_files import feature_key, stored
from course_utils.tasks.labels import Place, first_pieces
from course_utils.tasks.table7 import COMBINATIONS, combine
from course_utils.tasks.tags import TaggedSentence, words_of
from course_utils.tokenization import Encoding, WordPieceTokenizer
from course_utils.tokenization.wordpiece import check_tokenizer

__all__ = [
    "COMBINATIONS",
    "Features",
    "combine",
    "layer_vectors",
    "sentence_vectors",
]

POOLINGS = ("cls", "mean")


@dataclass(frozen=True)
class Features:
    """The vectors of N sentences.

    Attributes:
        tokens: of each sentence, float32 (L + 1, T, C): the input of the first layer, then the output of each. Without
            padding; [CLS] and [SEP] are the first and the last. Of words="first", (L + 1, W, C): one for each word.
        first_pieces: of each sentence, for each of its W words the token that it begins with, counted among the T;
            None for a word that has none of its own (see labels.first_pieces).
        words: what was asked for, None or "first".
    """

    tokens: tuple[Tensor, ...]
    first_pieces: tuple[tuple[int | None, ...], ...]
    words: str | None = None


def layer_vectors(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    sentences: Sequence[str | TaggedSentence],
    *,
    words: str | None = None,
    max_length: int | None = None,
    cache: str | Path | None = None,
    batch_size: int = 64,
) -> Features:
    """Every layer's vectors of each token of each sentence.

    Those of a sentence are the same alone and in a batch, but for the last digits of a float.

    Args:
        model: BertModel, or a class of course_utils.heads, in eval mode.
        tokenizer: the model's.
        sentences: N texts, or TaggedSentences, whose words are their own; the words of a text are those of
            tags.words_of.
        words: None for all tokens; "first" keeps of each word its first piece alone, which needs much less room. A
            word without a piece of its own has zeros.
        max_length: the most tokens of a row, special ones included; what is longer is cut off at its end. None means
            as many as the model can read. To be held against a fine-tuned model, give its own.
        cache: a folder for nothing else, made if it is not there. What was computed before, with the same weights,
            vocabulary, sentences, words and max_length, is read from it; a file there that is damaged, or of other
            weights, another vocabulary or other sentences, is told in a warning and replaced. A file has
            N·T·(L + 1)·C·4 bytes.
        batch_size: sentences at a time.

    Raises:
        ValueError: if the model is none or in training mode, there are no sentences, one is none, or another argument
            does not fit; if cache is a folder of something else, which is left as it is.
        OSError: if cache cannot be written or read; if another process is at work in it.
    """
    bert = _evaluated(model)
    check_tokenizer(tokenizer)
    if words not in (None, "first"):
        raise ValueError(f"words must be None or 'first', got {shown(words)}")
    batch_size, room = whole_number("batch_size", batch_size), bert.config.max_position_embeddings
    if max_length is not None:
        room = whole_number("max_length", max_length, least=2, most=room)
    texts = [_words_in(number, sentence) for number, sentence in enumerate(_some(sentences))]

    def compute() -> Features:
        return _compute(bert, tokenizer, texts, words, room, batch_size)

    if cache is None:
        return compute()
    key = feature_key(bert, tokenizer, texts, words, room)
    found = stored(cache, key, lambda: _flat(compute()))
    return _unflat(found, words)


def sentence_vectors(features: Features, *, how: str, layer: int) -> Tensor:
    """One vector a sentence: that of [CLS], or the mean of all its pieces, without [CLS] and [SEP].

    Args:
        features: of all tokens (words=None).
        how: "cls" or "mean"; the mean of a sentence without a piece is zeros.
        layer: 0 (the input of the first layer) … L; −1 is the last.

    Returns:
        float32 (N, C).

    Raises:
        ValueError: if features are none or not of all tokens, how is another, or there is no such layer.
    """
    if not isinstance(features, Features) or features.words is not None:
        raise ValueError(
            f"features must be layer_vectors' of all tokens (words=None), got {shown(features)}"
            + (" of words" if isinstance(features, Features) else "")
        )
    if how not in POOLINGS:
        raise ValueError(f"how must be 'cls' or 'mean', got {shown(how)}")
    layers = len(features.tokens[0])
    layer = whole_number("layer", layer, least=-layers, most=layers - 1)
    if how == "cls":
        return torch.stack([vectors[layer, 0] for vectors in features.tokens])
    return torch.stack(
        [vectors[layer, 1:-1].sum(0) / max(vectors.shape[1] - 2, 1) for vectors in features.tokens]
    )


def _evaluated(model: nn.Module) -> nn.Module:
    """The BertModel of a model in eval mode."""
    bert = getattr(model, "bert", model)
    if not isinstance(model, nn.Module) or not hasattr(bert, "config"):
        raise ValueError(f"model must be a BertModel or a class of course_utils.heads, got {shown(model)}")
    if model.training:
        raise ValueError(
            "the model is in training mode, where dropout draws other vectors each time: call model.eval()"
        )
    return bert


def _some(sentences: Sequence[str | TaggedSentence]) -> list[str | TaggedSentence]:
    if isinstance(sentences, TaggedSentence) or not (found := several("sentences", sentences, "texts")):
        raise ValueError(f"sentences must be a list of at least one text, got {shown(sentences)}")
    return found


def _words_in(number: int, sentence: str | TaggedSentence) -> tuple[str, list[Place]]:
    """A sentence's text, and where each of its words stands in it."""
    if isinstance(sentence, str):
        return sentence, [(start, start + len(word)) for start, word in words_of(sentence)]
    if not isinstance(sentence, TaggedSentence):
        raise ValueError(f"sentence {number} must be a text or a TaggedSentence, got {shown(sentence)}")
    return sentence.text, [
        (start, start + len(word)) for start, word in zip(sentence.starts, sentence.words, strict=True)
    ]


@torch.no_grad()
def _compute(
    bert: nn.Module,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[tuple[str, list[Place]]],
    words: str | None,
    room: int,
    batch_size: int,
) -> Features:
    device = next(bert.parameters()).device
    rows = [tokenizer.encode(text, max_length=room) for text, _ in texts]
    firsts = [tuple(first_pieces(row, places)) for row, (_, places) in zip(rows, texts)]
    found: list[Tensor] = [torch.empty(0)] * len(rows)
    shortest_first = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    for start in range(0, len(rows), batch_size):
        numbers = shortest_first[start : start + batch_size]
        batch = [rows[number] for number in numbers]
        ids = pad([row.input_ids for row in batch], tokenizer.vocab["[PAD]"]).to(device)  # (B, T)
        real = pad([row.attention_mask for row in batch], 0).to(device)
        states = torch.stack(bert(ids, real).hidden_states, dim=1).float().cpu()  # (B, L + 1, T, C)
        for vectors, number in zip(states, numbers):
            found[number] = _kept(vectors, rows[number], firsts[number], words)
    return Features(tuple(found), tuple(firsts), words)


def _kept(vectors: Tensor, row: Encoding, firsts: Sequence[int | None], words: str | None) -> Tensor:
    """Of a padded row (L + 1, T, C), what is asked for, as a copy that does not hold the batch in memory."""
    if words is None:
        return vectors[:, : len(row)].clone()
    chosen = vectors[:, [place or 0 for place in firsts]]  # (L + 1, W, C)
    chosen[:, [place is None for place in firsts]] = 0.0
    return chosen


def _flat(features: Features) -> dict[str, Tensor]:
    """As four tensors: the vectors of all sentences one behind the other, and what is needed to part them again."""
    return {
        "vectors": torch.cat(features.tokens, dim=1),  # (L + 1, sum of T, C)
        "lengths": torch.tensor([vectors.shape[1] for vectors in features.tokens]),  # (N,)
        "words": torch.tensor([len(firsts) for firsts in features.first_pieces]),  # (N,)
        "first_pieces": torch.tensor(
            [-1 if place is None else place for firsts in features.first_pieces for place in firsts],
            dtype=torch.int64,
        ),  # (sum of W,)
    }


def _unflat(flat: dict[str, Tensor], words: str | None) -> Features:
    places = iter(flat["first_pieces"].tolist())
    return Features(
        flat["vectors"].split(flat["lengths"].tolist(), dim=1),
        tuple(
            tuple(None if (place := next(places)) < 0 else place for _ in range(count))
            for count in flat["words"].tolist()
        ),
        words,
    )

"""The sense of 배 as notebook 18 asks for it: a probe on frozen vectors, and ULMFiT's third stage.

Letters: B batch, N sentences, T tokens, C hidden size, L layers. Padding is 0.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.before.lstm_lm import LSTMLanguageModel
from course_utils.before.ulmfit import concat_pooling
from course_utils.contextual.evaluation import held_out_sentences
from course_utils.contextual.words import WordNotFound, find_word
from course_utils.datasets.batching import pad
from course_utils.initialization import init_weights
from course_utils.tokenization import WordPieceTokenizer

WORD, LONGEST = "배", 32
EXAMPLES = 80  # of each sense, to learn from
Row = list[int]


class Spotted(NamedTuple):
    """A sentence in which 배 is a piece by itself."""

    row: Row
    place: int
    sense: int  # of belly, pear, ship, times


def spotted_senses(
    tokenizer: WordPieceTokenizer, files: Mapping[str, Sequence[Sequence[str]]], left_out: Sequence[Row]
) -> tuple[list[Spotted], list[Spotted]]:
    """Sentences to learn from, EXAMPLES of each sense, and those to ask, which the corpus does not have.

    Args:
        files: the documents of each sense, in the order of its number.
        left_out: rows that are not learned from.
    """
    known, asked = [], []
    for sense, (name, documents) in enumerate(files.items()):
        read = [sentence for document in documents[::3] for sentence in document if WORD in sentence]
        spotted = [_spot(tokenizer, sentence, sense) for sentence in read]
        known += [one for one in spotted if one and one.row not in left_out][:EXAMPLES]
        asked += [_spot(tokenizer, sentence, sense) for sentence in held_out_sentences()[WORD][name]]
    return known, list(filter(None, asked))


def _spot(tokenizer: WordPieceTokenizer, sentence: str, sense: int) -> Spotted | None:
    try:
        place, _ = find_word(sentence, WORD)
    except WordNotFound:
        return None
    found = tokenizer.encode(sentence, max_length=LONGEST)
    alone = [number for number, span in enumerate(found.offsets) if tuple(span) == (place, place + 1)]
    return Spotted(found.input_ids, alone[0], sense) if alone else None


def batch_of(spotted: Sequence[Spotted]) -> tuple[Tensor, Tensor]:
    """Ids (N, T) and which of them are real."""
    ids = pad([one.row for one in spotted], 0)
    return ids, (ids != 0).long()


@torch.no_grad()
def word_states(model: nn.Module, spotted: Sequence[Spotted]) -> Tensor:
    """(L + 1, N, width): the vector of 배 in each layer."""
    states = model(*batch_of(spotted)).hidden_states
    places = torch.tensor([one.place for one in spotted])
    return torch.stack([state[torch.arange(len(places)), places] for state in states])


def probed(model: nn.Module, known: Sequence[Spotted], asked: Sequence[Spotted]) -> list[float]:
    """The share of asked senses that a ridge regression on standardised vectors gets right, layer by layer."""
    labels, answers = (torch.tensor([one.sense for one in side]) for side in (known, asked))
    shares = []
    for train, test in zip(word_states(model, known), word_states(model, asked), strict=True):
        centre, spread = train.mean(0), train.std(0) + 1e-4
        train, test = (F.pad((one - centre) / spread, (0, 1), value=1.0) for one in (train, test))
        gram = train.T @ train + 0.1 * len(train) * torch.eye(train.shape[1])
        weights = torch.linalg.solve(gram, train.T @ F.one_hot(labels).float())
        shares.append(((test @ weights).argmax(dim=1) == answers).float().mean().item())
    return shares


class SenseReader(nn.Module):
    """ULMFiT's classifier: pooled states of a language model, which is copied, and a layer above them."""

    def __init__(self, reader: LSTMLanguageModel, num_labels: int) -> None:
        super().__init__()
        self.reader = copy.deepcopy(reader)
        width = reader.ends.words.weight.shape[1]
        self.head = nn.Linear(3 * width, num_labels)
        init_weights(self.head, std=0.1, generator=torch.Generator().manual_seed(0))
        stack = self.reader.lstm.layers
        self.parts = [list(part.parameters()) for part in (self.reader.ends.words, *stack, self.head)]

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        states = self.reader.lstm(self.reader.ends.words(ids))[-1]  # (B, T, C)
        return self.head(concat_pooling(states, mask))

    @torch.no_grad()
    def right(self, examples: Sequence[Spotted]) -> float:
        """The share of right answers."""
        found = self(*batch_of(examples)).argmax(-1)
        return (found == torch.tensor([one.sense for one in examples])).float().mean().item()


def tuned(
    reader: LSTMLanguageModel, examples: Sequence[Spotted], rates: Tensor, *, seed: int = 0, size: int = 16
) -> SenseReader:
    """Fine-tune with a table of rates (layers from the lowest, updates); a layer whose rate is 0 is frozen."""
    model, generator = SenseReader(reader, 4), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam([{"params": part} for part in model.parts], lr=0.01, fused=True)
    order: list[int] = []
    for step_rates in rates.T.tolist():
        order = order or torch.randperm(len(examples), generator=generator).tolist()
        chosen, order = [examples[number] for number in order[:size]], order[size:]
        for group, rate in zip(optimizer.param_groups, step_rates, strict=True):
            group["lr"] = rate
        optimizer.zero_grad()
        scores = model(*batch_of(chosen))
        F.cross_entropy(scores, torch.tensor([one.sense for one in chosen])).backward()
        optimizer.step()
    return model

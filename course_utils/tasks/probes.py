"""Train a small model on frozen vectors and see what it can tell: a probe (Alain and Bengio 2016).

The vectors are given, see features.py; of all that is learned, nothing changes them. Rate and number of epochs are
chosen on the validation part, and the test part is looked at once. What a probe's accuracy is to be held against: a
control task that says nothing of language, and how crowded the vectors are.

Letters: N vectors, T_i words of sentence i, L layers, C hidden_size, K labels.
"""

from __future__ import annotations

import copy
import hashlib
import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from course_utils.datasets.batching import seeded
from course_utils.heads import IGNORE
from course_utils.tasks.data import PARTS
from course_utils.tasks.probe_models import BiLSTMTagger, LearnedMix, LinearProbe

RATES = (1e-3, 1e-2)  # for Adam; which is better depends on how long the vectors are
VECTORS, SENTENCES = 256, 32  # a batch
MEASURED = 4096  # vectors at a time, where nothing is learned
Probe = LinearProbe | BiLSTMTagger
Vectors = Tensor | Sequence[Tensor]


class ProbeScore(NamedTuple):
    """How well a probe does, and with which settings."""

    test: float  # accuracy, or what score says; once, with the settings below
    validation: float  # the best
    rate: float
    epoch: int  # after which it was best
    predicted: list  # labels of the test part, in the form in which they were given


def fit_probe(
    probe: Probe,
    features: Mapping[str, Vectors],
    labels: Mapping[str, Sequence],
    *,
    mix: LearnedMix | None = None,
    rate: float | Sequence[float] = RATES,
    epochs: int = 20,
    seed: int = 0,
    score: Callable[[list, Any], float] | None = None,
) -> ProbeScore:
    """Train a probe from its start values, with Adam on the cross-entropy, and measure it.

    It is left with the parameters that were best on the validation part, over all epochs of all rates.

    Args:
        probe: LinearProbe or BiLSTMTagger; trained in place.
        features: "train", "validation" and "test" -> float32 (N, C), or a list of sentences, each (T_i, C); with mix
            (L + 1, N, C), or each (L + 1, T_i, C). A BiLSTMTagger needs sentences, each with a word. float16 takes half
            the room: each batch is made float32 of it.
        labels: for each part a label for each vector, (N,), or for each sentence a list of T_i of them; 0 … K−1, or
            −100, which is neither learned nor counted.
        mix: trained with the probe, in place; None where features are of one layer.
        rate: of learning; of several, each is tried from the same start.
        epochs: how often the training part is read.
        seed: of the order.
        score: what is told of validation and test, and chosen by, from what was predicted and the labels as they were
            given: a number, the higher the better. None: accuracy.
    """
    rates = rate if isinstance(rate, Sequence) else [rate]
    train, validation, test = (_part(part, features[part], labels[part], probe) for part in PARTS)
    model = nn.ModuleList([probe] if mix is None else [probe, mix])
    start = copy.deepcopy(model.state_dict())

    def judged(part: str, rows: _Part) -> tuple[float, list]:
        accuracy, said = _measured(probe, mix, rows)
        predicted = _as_given(said, labels[part], rows)
        return (accuracy if score is None else score(predicted, labels[part])), predicted

    best, found = (-math.inf, 0.0, 0), start
    for one in rates:
        model.load_state_dict(start)
        optimizer = torch.optim.Adam(model.parameters(), lr=one, fused=True)
        for epoch in range(1, epochs + 1):
            _read_once(probe, mix, train, optimizer, seeded(seed, epoch))
            now, _ = judged("validation", validation)
            if now > best[0]:
                best, found = (now, one, epoch), copy.deepcopy(model.state_dict())
    model.load_state_dict(found)
    reached, predicted = judged("test", test)
    return ProbeScore(reached, *best, predicted)


class _Part(NamedTuple):
    """One part: vectors in a row, or sentence by sentence."""

    vectors: Tensor | list[Tensor]  # (…, N, C), or of each sentence (…, T_i, C)
    labels: Tensor | list[Tensor]  # int64 (N,), or of each sentence (T_i,)

    def batch(self, numbers: Tensor) -> tuple[Tensor, Tensor | None, Tensor]:
        """Vectors (…, B, C) or (…, B, T, C), lengths (B,) of sentences, labels (B,) or (B, T)."""
        if isinstance(self.vectors, Tensor):
            return self.vectors.index_select(-2, numbers).float(), None, self.labels[numbers]
        chosen = [self.vectors[number].movedim(-2, 0) for number in numbers]  # (T_i, …, C)
        vectors = pad_sequence(chosen, batch_first=True).float()  # (B, T, …, C)
        labels = pad_sequence(
            [self.labels[number] for number in numbers], batch_first=True, padding_value=IGNORE
        )
        lengths = torch.tensor([len(one) for one in chosen])
        return vectors.movedim(2, 0) if vectors.dim() == 4 else vectors, lengths, labels

    def batches(self, order: Tensor) -> Iterator[tuple[Tensor, Tensor | None, Tensor]]:
        for numbers in order.split(VECTORS if isinstance(self.vectors, Tensor) else SENTENCES):
            yield self.batch(numbers)

    def in_order(self) -> Iterator[tuple[Tensor, Tensor | None, Tensor]]:
        """Every vector once; of those in a row many at a time, of which float16 is copied."""
        if isinstance(self.vectors, Tensor):
            pieces = zip(self.vectors.split(MEASURED, dim=-2), self.labels.split(MEASURED))
            return ((vectors.float(), None, labels) for vectors, labels in pieces)
        return self.batches(torch.arange(len(self.labels)))


def _logits(probe: Probe, mix: LearnedMix | None, vectors: Tensor, lengths: Tensor | None) -> Tensor:
    return probe(vectors if mix is None else mix(vectors), lengths)


def _read_once(
    probe: Probe,
    mix: LearnedMix | None,
    train: _Part,
    optimizer: torch.optim.Optimizer,
    generator: torch.Generator,
) -> None:
    """One epoch, in an order of its own."""
    for vectors, lengths, labels in train.batches(torch.randperm(len(train.labels), generator=generator)):
        logits = _logits(probe, mix, vectors, lengths)
        loss = F.cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=IGNORE)
        if not math.isfinite(loss.item()):
            if (labels == IGNORE).all():
                continue  # nothing to learn from
            raise FloatingPointError(f"the probe's loss is {loss.item()}; a smaller rate helps")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def _measured(probe: Probe, mix: LearnedMix | None, part: _Part) -> tuple[float, list[Tensor]]:
    """The share of the labels that are right, and what was predicted: (N,), or of each sentence (T_i,)."""
    right = counted = 0
    predicted: list[Tensor] = []
    for vectors, lengths, labels in part.in_order():
        said = _logits(probe, mix, vectors, lengths).argmax(-1)
        right += int((said == labels).sum())
        counted += int((labels != IGNORE).sum())
        predicted += [said] if lengths is None else [row[:length] for row, length in zip(said, lengths)]
    return right / counted, predicted


def _as_given(predicted: list[Tensor], labels: Any, part: _Part) -> list:
    """A list of labels, or a list of them for each sentence, as they came."""
    if isinstance(part.labels, list):
        return [row.tolist() for row in predicted]
    flat = torch.cat(predicted)
    if isinstance(labels, Tensor) or not isinstance(labels[0], Sequence | Tensor):
        return flat.tolist()
    return [row.tolist() for row in flat.split([len(sentence) for sentence in labels])]


def _part(part: str, features: Vectors, labels: Any, probe: Probe) -> _Part:
    """One part, checked; for a probe that reads vectors by themselves, sentences are put one behind the other."""
    sentences = not isinstance(features, Tensor)
    if probe.reads_sentences and not sentences:
        raise ValueError(f"the features of {part} must be a list of sentences for a BiLSTMTagger")
    rows = list(features) if sentences else [features]
    given = [torch.as_tensor(one) for one in (labels if sentences else [labels])]
    if [row.shape[-2] for row in rows] != [len(one) for one in given]:
        raise ValueError(f"{part} must have a label for each vector of its features")
    found, count = [one.long() for one in given], probe.linear.out_features
    for one, number in zip(given, found):
        if ((number != one) | (number != IGNORE) & ((number < 0) | (number >= count))).any():
            raise ValueError(f"each label of {part} must be a number of 0 … {count - 1}, or {IGNORE}")
    vectors = torch.cat(rows, dim=-2)
    # A sum is soon taken; if it is no number, a look at each tells whether one of them is none.
    if not math.isfinite(vectors.sum(dtype=torch.float32)) and not torch.isfinite(vectors).all():
        raise ValueError(f"the features of {part} must be finite numbers, and one is not")
    return _Part(rows, found) if probe.reads_sentences else _Part(vectors, torch.cat(found))


def control_labels(
    words: Sequence[str], num_labels: int, *, seed: int = 0, weights: Sequence[float] | None = None
) -> list[int]:
    """A random label, 0 … K−1, for each word type: the control task of a probe.

    Every occurrence of a word has the same label, whatever stands around it, so there is nothing in the sentence to
    read: a probe that is right here has learned the words by heart. The label depends on the word's letters, on K and
    on the seed alone: not on the other words, nor on their order.

    Args:
        words: any; 배 and 배를 are two types.
        num_labels: K.
        seed: another one deals other labels.
        weights: how probable each label is, K numbers of at least 0 with a sum above 0: the counts of the task's own
            labels make the control as lopsided as the task. None: all K are equally probable.

    Source: Hewitt and Liang 2019, section 2.
    """
    if isinstance(words, str):
        raise ValueError("words must be a list of words, got one text, whose letters would be taken for them")
    digests = (hashlib.sha256(f"{seed} {word}".encode()).digest() for word in words)
    numbers = [int.from_bytes(digest[:8], "big") for digest in digests]  # 0 … 2⁶⁴ − 1, each as probable
    if weights is None:
        return [number % num_labels for number in numbers]
    if len(weights) != num_labels or min(weights) < 0:
        raise ValueError(f"weights must be {num_labels} numbers of at least 0, one for each label")
    ends = list(accumulate(weights))
    last = max(label for label, weight in enumerate(weights) if weight > 0)
    return [min(bisect_right(ends, number / 2**64 * ends[-1]), last) for number in numbers]


def anisotropy(vectors: Tensor) -> float:
    """The mean cosine over all pairs of vectors: 0 where they point everywhere, 1 where all point one way.

        mean over i ≠ j of cos(v_i, v_j) = (‖Σ_i u_i‖² − Σ_i ‖u_i‖²) / (N·(N − 1)),        u_i = v_i / ‖v_i‖

    So no pairs have to be drawn. A vector of zeros has cosine 0 with each.

    Args:
        vectors: float (N, C), N at least 2, finite.

    Source: Ethayarajh 2019, section 4.1, from randomly drawn words.
    """
    if vectors.dim() != 2:
        raise ValueError(f"vectors must be (N, C), got {tuple(vectors.shape)}")
    count = len(vectors)
    units = F.normalize(vectors.detach().double(), dim=-1, eps=1e-300)  # (N, C)
    total = units.sum(0).square().sum() - units.square().sum()
    return float(total) / (count * (count - 1))

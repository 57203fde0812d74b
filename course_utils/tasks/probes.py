"""Train a small model on frozen vectors and see what it can tell: a probe (Alain and Bengio 2016).

The vectors are given, see features.py; of all that is learned, nothing changes them. Rate and number of epochs are
chosen on the validation part, and the test part is looked at once. What a probe's accuracy is to be held against is in
controls.py: a control task, and selectivity.

Letters: N vectors, T_i words of sentence i, L layers, C hidden_size, K labels.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from course_utils.datasets.batching import seeded
from course_utils.shapes import check_floats
from course_utils.support.given import int64, mapping, real_number, several, shown, whole_number
from course_utils.tasks.controls import anisotropy, control_labels, selectivity
from course_utils.tasks.labels import IGNORE
from course_utils.tasks.probe_models import BiLSTMTagger, LearnedMix, LinearProbe

__all__ = [
    "BiLSTMTagger",
    "LearnedMix",
    "LinearProbe",
    "ProbeScore",
    "anisotropy",
    "control_labels",
    "fit_probe",
    "selectivity",
]

PARTS = ("train", "validation", "test")
RATES = (1e-3, 1e-2)  # for Adam; which is better depends on how long the vectors are
VECTORS, SENTENCES = 256, 32  # a batch
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
            (L + 1, N, C), or each (L + 1, T_i, C). A BiLSTMTagger needs sentences, each with a word.
        labels: for each part a label for each vector, (N,), or for each sentence a list of T_i of them; 0 … K−1, or
            −100, which is neither learned nor counted.
        mix: trained with the probe, in place; None where features are of one layer.
        rate: of learning; of several, each is tried from the same start.
        epochs: how often the training part is read.
        seed: of the order.
        score: what is told of validation and test, and chosen by, from what was predicted and the labels as they were
            given: a number, the higher the better. None: accuracy.

    Raises:
        ValueError: if an argument does not fit, a part has no label that counts, or score says no finite number.
        FloatingPointError: if the loss is no finite number.
    """
    if not isinstance(probe, Probe) or not (mix is None or isinstance(mix, LearnedMix)):
        raise ValueError(
            f"probe must be a LinearProbe or BiLSTMTagger, and mix a LearnedMix or None, got {shown(probe)} "
            f"and {shown(mix)}"
        )
    rates = [rate] if not isinstance(rate, Sequence) or isinstance(rate, str | bytes) else list(rate)
    rates = [real_number("each rate", one, most=10.0, open_at=("least",)) for one in rates]
    if not rates:
        raise ValueError("rate must be a number or several, got none")
    epochs = whole_number("epochs", epochs, most=10**4)
    if not (score is None or callable(score)):
        raise ValueError(f"score must be a function of predicted and labels, or None, got {shown(score)}")
    seed = int64("seed", seed)
    given = mapping("features", features, "part -> vectors"), mapping("labels", labels, "part -> labels")
    train, validation, test = (_part(part, *given, probe, mix) for part in PARTS)
    model = nn.ModuleList([probe] if mix is None else [probe, mix])
    start = copy.deepcopy(model.state_dict())

    def judged(part: str, rows: _Part) -> tuple[float, list]:
        accuracy, said = _measured(probe, mix, rows)
        predicted = _as_given(said, given[1][part], rows)
        if score is None:
            return accuracy, predicted
        return real_number("what score says", score(predicted, given[1][part]), least=-1e30), predicted

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
            return self.vectors.index_select(-2, numbers), None, self.labels[numbers]
        chosen = [self.vectors[number].movedim(-2, 0) for number in numbers]  # (T_i, …, C)
        vectors = pad_sequence(chosen, batch_first=True)  # (B, T, …, C)
        labels = pad_sequence(
            [self.labels[number] for number in numbers], batch_first=True, padding_value=IGNORE
        )
        lengths = torch.tensor([len(one) for one in chosen])
        return vectors.movedim(2, 0) if vectors.dim() == 4 else vectors, lengths, labels

    def batches(self, order: Tensor) -> Iterator[tuple[Tensor, Tensor | None, Tensor]]:
        for numbers in order.split(VECTORS if isinstance(self.vectors, Tensor) else SENTENCES):
            yield self.batch(numbers)

    def in_order(self) -> Iterator[tuple[Tensor, Tensor | None, Tensor]]:
        """Every vector once; those in a row all at once, without a copy."""
        if isinstance(self.vectors, Tensor):
            return iter([(self.vectors, None, self.labels)])
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
            raise FloatingPointError(
                f"the probe's loss is {loss.item()}; a smaller rate helps, or smaller vectors"
            )
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


def _part(part: str, features: Mapping, labels: Mapping, probe: Probe, mix: LearnedMix | None) -> _Part:
    """One part, checked; for a probe that reads vectors by themselves, sentences are put one behind the other."""
    if part not in features or part not in labels:
        raise ValueError(f"features and labels must have the parts {', '.join(PARTS)}, and {part} is missing")
    sentences = not isinstance(features[part], Tensor)
    if probe.reads_sentences and not sentences:
        raise ValueError(f"the features of {part} must be a list of sentences for a BiLSTMTagger")
    rows = several(f"the features of {part}", features[part], "tensors") if sentences else [features[part]]
    told = labels[part].tolist() if isinstance(labels[part], Tensor) else labels[part]
    told = several(f"the labels of {part}", told, "labels")
    each = told if sentences else [told]
    if len(rows) != len(each) or not rows:
        raise ValueError(
            f"{part} must have labels for each of its sentences, got {len(rows)} and {len(each)}"
        )
    found = [_labels(part, one, probe.linear.out_features) for one in each]
    for row, numbers in zip(rows, found):
        _check_row(part, row, len(numbers), probe, mix)
    if not any((numbers != IGNORE).any() for numbers in found):
        raise ValueError(f"{part} must have at least one label that is not {IGNORE}")
    vectors = torch.cat(rows, dim=-2)
    # A sum is soon taken; if it is no number, a look at each tells whether one of them is none.
    if not math.isfinite(vectors.sum()) and not torch.isfinite(vectors).all():
        raise ValueError(f"the features of {part} must be finite numbers, and one is not")
    return _Part(rows, found) if probe.reads_sentences else _Part(vectors, torch.cat(found))


def _labels(part: str, labels: Any, count: int) -> Tensor:
    """The labels of one row, int64 (T,)."""
    given = labels.tolist() if isinstance(labels, Tensor) else labels
    name = f"each label of {part}"
    listed = several(f"the labels of a row of {part}", given, "numbers")
    numbers = [label if type(label) is int else int64(name, label) for label in listed]
    for label in set(numbers):
        if label != IGNORE and not 0 <= label < count:
            raise ValueError(f"{name} must lie in 0 … {count - 1} or be {IGNORE}, got {shown(label)}")
    return torch.tensor(numbers, dtype=torch.int64)


def _check_row(part: str, row: Any, count: int, probe: Probe, mix: LearnedMix | None) -> None:
    """Refuse vectors that probe and mix cannot read, or that are not as many as their labels."""
    check_floats(**{f"what the features of {part} hold": row})
    width = probe.lstm.input_size if probe.reads_sentences else probe.linear.in_features
    wanted = (count, width) if mix is None else (len(mix.scores), count, width)
    if tuple(row.shape) != wanted or row.dtype != torch.float32 or (probe.reads_sentences and not count):
        raise ValueError(
            f"the features of {part} must be float32 {wanted}, a vector for each label and at least one, "
            f"got {row.dtype} {tuple(row.shape)}"
        )

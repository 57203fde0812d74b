"""How often is the sense of a homonym recognised? Measured on sentences that no training has used.

nearest_sense is compared with the leave-one-out nearest neighbour among the held-out sentences themselves (by the
vector at the word alone), their separation, and what is possible without BERT (baselines.py) for whoever has read the
same text, both halves of the course's corpus. This module computes the numbers; scripts/evaluate_senses.py prints
them.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid, normalize

from course_utils.before.word2vec import WordVectors, train_skip_gram
from course_utils.contextual.baselines import bag_and_placed, fit_naive_bayes, static_points
from course_utils.contextual.measures import neighbour_accuracy, separation
from course_utils.contextual.senses import SenseSpace, fit_senses, sense_layer, sense_points, sense_space
from course_utils.contextual.vectors import encode_words
from course_utils.datasets.corpus import WHOLE_CORPUS, homonym, read_documents, sense_documents
from course_utils.support.paths import DATA
from course_utils.tokenization import WordPieceTokenizer

Z95 = 1.959964  # quantile of the standard normal distribution: 95 % lie within ±Z95
TEMPERATURES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
HeldOut = Mapping[str, Mapping[str, Sequence[str]]]  # word -> sense -> sentences


@dataclass(frozen=True)
class Judgement:
    """One held-out sentence and what it was taken for."""

    word: str
    sentence: str
    sense: str
    scores: tuple[tuple[str, float], ...]  # (sense, score), best first

    @property
    def answer(self) -> str:
        return self.scores[0][0]

    @property
    def right(self) -> bool:
        return self.answer == self.sense


@dataclass(frozen=True)
class WordResult:
    """What was measured for one homonym; all but separation are shares of its held-out sentences."""

    word: str
    judgements: tuple[Judgement, ...]
    neighbour: float
    separation: float
    naive_bayes: float
    with_places: float  # naive Bayes that is told the places of the nearest pieces
    static: float | None  # None: not measured

    @property
    def senses(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(judgement.sense for judgement in self.judgements))

    @property
    def right(self) -> int:
        return sum(judgement.right for judgement in self.judgements)

    @property
    def accuracy(self) -> float:
        return self.right / len(self.judgements)

    @property
    def interval(self) -> tuple[float, float]:
        return wilson_interval(self.right, len(self.judgements))

    @property
    def majority(self) -> float:
        """The share right when the answer is always the most frequent sense; with equally many of each, chance."""
        return max(len(self.of(sense)) for sense in self.senses) / len(self.judgements)

    def of(self, sense: str) -> tuple[Judgement, ...]:
        return tuple(judgement for judgement in self.judgements if judgement.sense == sense)


@dataclass(frozen=True)
class LayerResult:
    """One homonym at one layer."""

    word: str
    layer: int
    accuracy: float
    neighbour: float
    separation: float


def held_out_sentences() -> dict[str, dict[str, list[str]]]:
    """data/senses.json: word -> sense -> sentences that hold the word once. For measuring only."""
    return json.loads((DATA / "senses.json").read_text(encoding="utf-8"))


def in_validation_half(sentence: str) -> bool:
    """Whether a held-out sentence is for choosing (a layer, a temperature, a recipe); the others are for reporting.

    Its own hash decides, so that nobody does.
    """
    return hashlib.sha256(sentence.encode()).digest()[0] % 2 == 0


def half(held_out: HeldOut, *, validation: bool) -> dict[str, dict[str, list[str]]]:
    """One half of held-out sentences: word -> sense -> sentences.

    Args:
        held_out: all of them.
        validation: whether the half for choosing is wanted, or the one for reporting.
    """
    return {
        word: {
            sense: [sentence for sentence in sentences if in_validation_half(sentence) == validation]
            for sense, sentences in groups.items()
        }
        for word, groups in held_out.items()
    }


def wilson_interval(right: int, number: int, *, z: float = Z95) -> tuple[float, float]:
    """The true shares that are consistent with a count (Wilson 1927, 95 % for the default z).

        (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)

    Unlike p ± z·√(p(1−p)/n), it stays within 0 … 1 and remains informative when all were right.
    """
    if not 0 <= right <= number or number < 1:
        raise ValueError(f"right must lie in 0 … number, and number be at least 1, got {right} and {number}")
    share, square = right / number, z * z / number
    middle = share + square / 2
    reach = z * math.sqrt(share * (1 - share) / number + square / (4 * number))
    return (middle - reach) / (1 + square), (middle + reach) / (1 + square)


def evaluate(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    *,
    held_out: HeldOut | None = None,
    static: WordVectors | None = None,
    layer: int | None = None,
) -> list[WordResult]:
    """Measure nearest_sense and what it is compared with.

    Args:
        model: in eval mode.
        tokenizer: the model's.
        held_out: word -> sense -> sentences; None means data/senses.json.
        static: static vectors of the tokenizer's pieces (static_vectors gives them); None leaves them out.
        layer: as in nearest_sense.

    Returns:
        a result for each word.
    """
    held_out = held_out_sentences() if held_out is None else held_out
    layer = sense_layer(model, layer)
    return [
        _evaluate_word(model, tokenizer, word, groups, static, layer) for word, groups in held_out.items()
    ]


def mistakes(results: Iterable[WordResult]) -> list[Judgement]:
    """The sentences that were taken for another sense, in the order of the held-out sentences."""
    return [judgement for result in results for judgement in result.judgements if not judgement.right]


def evaluate_layers(
    model: nn.Module, tokenizer: WordPieceTokenizer, *, held_out: HeldOut | None = None
) -> list[LayerResult]:
    """The same at every layer, 0 being the input of the first one: word by word, layers from below."""
    held_out = held_out_sentences() if held_out is None else held_out
    found = []
    for word, groups in held_out.items():
        sentences, senses = _labelled(groups)
        vectors = encode_words(model, tokenizer, sentences, word)  # (N, L + 1, C)
        for layer in range(vectors.shape[1]):
            here = vectors[:, layer]
            space = sense_space(model, tokenizer, word, layer=layer)
            judged = _judged(space, normalize(here, dim=-1), word, groups)
            accuracy = sum(one.right for one in judged) / len(judged)
            found.append(
                LayerResult(word, layer, accuracy, neighbour_accuracy(here, senses), separation(here, senses))
            )
    return found


def choose_readout(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    *,
    held_out: HeldOut | None = None,
    temperatures: Sequence[float] = TEMPERATURES,
) -> list[tuple[int, float, float, float]]:
    """Every layer with each τ: how often nearest_sense is right, and how well its scores fit (Guo et al. 2017).

    Args:
        model, tokenizer: as in nearest_sense.
        held_out: word -> sense -> sentences; None means the validation half of data/senses.json.
        temperatures: τ to try.

    Returns:
        (layer, τ, accuracy, mean log-score of the true sense) for each, over all sentences.
    """
    held_out = half(held_out_sentences(), validation=True) if held_out is None else held_out
    found = []
    for layer in range(getattr(model, "bert", model).config.num_hidden_layers + 1):
        scores = [
            (
                sense_space(model, tokenizer, word, layer=layer),
                sense_points(model, tokenizer, sentences, word, layer=layer),
                senses,
            )
            for word, (sentences, senses) in ((word, _labelled(groups)) for word, groups in held_out.items())
        ]
        for temperature in temperatures:
            true, right = [], []
            for space, points, senses in scores:
                odds = replace(space, temperature=temperature).log_odds(points)  # (N, K)
                columns = [space.senses.index(sense) for sense in senses]
                true += logsigmoid(odds)[range(len(columns)), columns].tolist()
                right += (odds.argmax(-1) == torch.tensor(columns)).tolist()
            found.append((layer, temperature, sum(right) / len(right), sum(true) / len(true)))
    return found


def judge(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    word: str,
    groups: Mapping[str, Sequence[str]],
    *,
    layer: int | None = None,
) -> list[Judgement]:
    """nearest_sense for many sentences of one word at once: sense -> sentences."""
    sentences, _ = _labelled(groups)
    points = sense_points(model, tokenizer, sentences, word, layer=layer)
    return _judged(sense_space(model, tokenizer, word, layer=layer), points, word, groups)


def _judged(
    space: SenseSpace, points: Tensor, word: str, groups: Mapping[str, Sequence[str]]
) -> list[Judgement]:
    """The judgements of sentences whose points, (N, C), are known."""
    return [
        Judgement(word, sentence, sense, tuple(sorted(zip(space.senses, row), key=lambda pair: -pair[1])))
        for sentence, sense, row in zip(*_labelled(groups), space.scores(points).tolist())
    ]


def static_vectors(tokenizer: WordPieceTokenizer, *, epochs: int = 10) -> WordVectors:
    """Skip-gram vectors of the tokenizer's pieces, learned from the whole corpus; always the same ones."""
    documents = read_documents(WHOLE_CORPUS)
    sentences = [tokenizer.tokenize(sentence) for document in documents for sentence in document]
    return train_skip_gram(sentences, epochs=epochs, generator=torch.Generator().manual_seed(0))


def _evaluate_word(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    word: str,
    groups: Mapping[str, Sequence[str]],
    static: WordVectors | None,
    layer: int,
) -> WordResult:
    sentences, senses = _labelled(groups)
    vectors = encode_words(model, tokenizer, sentences, word)[:, layer]
    examples = _corpus_pieces(tokenizer, word)
    bags, placed = (
        {sense: [one[kind] for one in group] for sense, group in examples.items()} for kind in (0, 1)
    )
    asked_bags, asked_placed = zip(*(bag_and_placed(tokenizer, sentence, word) for sentence in sentences))
    by_vectors = None
    if static is not None:
        space = fit_senses({sense: static_points(static, group) for sense, group in bags.items()})
        rows = space.scores(static_points(static, asked_bags)).argmax(-1).tolist()
        by_vectors = _share([space.senses[row] for row in rows], senses)
    return WordResult(
        word,
        tuple(
            _judged(
                sense_space(model, tokenizer, word, layer=layer), normalize(vectors, dim=-1), word, groups
            )
        ),
        neighbour=neighbour_accuracy(vectors, senses),
        separation=separation(vectors, senses),
        naive_bayes=_counted(bags, asked_bags, senses),
        with_places=_counted(placed, asked_placed, senses),
        static=by_vectors,
    )


def _labelled(groups: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Sense -> sentences, as two lists of the same length: sentences and their senses."""
    pairs = [(sentence, sense) for sense, sentences in groups.items() for sentence in sentences]
    return [sentence for sentence, _ in pairs], [sense for _, sense in pairs]


Sentence = list[str]  # its pieces


def _corpus_pieces(tokenizer: WordPieceTokenizer, word: str) -> dict[str, list[tuple[Sentence, Sentence]]]:
    """Sense -> all sentences of the corpus about it, including those that do not name it, in no order and placed."""
    return {
        sense: [
            bag_and_placed(tokenizer, sentence, word)
            for document in sense_documents(word, sense, WHOLE_CORPUS)
            for sentence in document
        ]
        for sense in homonym(word)[1]
    }


def _counted(
    examples: Mapping[str, Sequence[Sentence]], asked: Sequence[Sentence], senses: Sequence[str]
) -> float:
    """The share of the asked sentences that naive Bayes, trained on the examples, gets right."""
    counts = fit_naive_bayes(examples)
    return _share([counts.senses[counts.scores(pieces).argmax()] for pieces in asked], senses)


def _share(guesses: Sequence[str], senses: Sequence[str]) -> float:
    return sum(guess == sense for guess, sense in zip(guesses, senses)) / len(senses)

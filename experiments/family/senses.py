"""Whose vector of a homonym tells its sense? The same frozen probe for all (notebook 18).

The probe is that of the course, contextual.sense_space: means and covariance of example sentences in the corpus, the
nearest mean wins. The layer is chosen on one half of data/senses.json, for all words together, the share of right
answers is that of the other half.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from course_utils.before import WordVectors
from course_utils.contextual.baselines import context_pieces, fit_naive_bayes, placed_pieces, static_points
from course_utils.contextual.evaluation import evaluate_layers, half, held_out_sentences
from course_utils.contextual.senses import example_sentences, fit_senses
from course_utils.datasets.corpus import homonym
from course_utils.tokenization import WordPieceTokenizer

Shares = dict[str, list[int]]  # word -> [right, asked]


def probed(model: nn.Module, tokenizer: WordPieceTokenizer) -> dict[str, Any]:
    """What the probe gets right with a model's vectors, by word, at the layer that was best on validation."""
    model.eval()
    results = {
        name: evaluate_layers(
            model, tokenizer, held_out=half(held_out_sentences(), validation=name == "validation")
        )
        for name in ("validation", "test")
    }
    asked = {word: sum(map(len, groups.values())) for word, groups in reported().items()}
    layers = sorted({one.layer for one in results["validation"]})
    curves = {
        name: [
            round(statistics.fmean(one.accuracy for one in found if one.layer == layer), 4)
            for layer in layers
        ]
        for name, found in results.items()
    }
    best = max(layers, key=lambda layer: (curves["validation"][layer], -layer))
    words = {
        one.word: [round(one.accuracy * asked[one.word]), asked[one.word]]
        for one in results["test"]
        if one.layer == best
    }
    return {"layer": best, "by_layer": curves, "words": words, "mean": mean_share(words)}


def reported() -> dict[str, dict[str, list[str]]]:
    """Word -> sense -> sentences, the half that is reported."""
    return half(held_out_sentences(), validation=False)


def shares(answers: Callable[[str], Callable[[str], str]]) -> dict[str, Any]:
    """What is right by word, and in the mean, where answers(word)(sentence) is a sense."""
    words = {}
    for word, groups in reported().items():
        answer = answers(word)
        right = [answer(one) == sense for sense, group in groups.items() for one in group]
        words[word] = [sum(right), len(right)]
    return {"words": words, "mean": mean_share(words)}


def mean_share(words: Shares) -> float:
    return round(statistics.fmean(right / asked for right, asked in words.values()), 4)


def counted(tokenizer: WordPieceTokenizer) -> dict[str, Any]:
    """Naive Bayes, told the places of the nearest pieces, from the probe's own example sentences."""

    def answers(word: str) -> Callable[[str], str]:
        counts = fit_naive_bayes(
            {
                sense: [placed_pieces(tokenizer, one, word) for one in example_sentences(word, sense)]
                for sense in homonym(word)[1]
            }
        )
        return lambda one: counts.senses[int(counts.scores(placed_pieces(tokenizer, one, word)).argmax())]

    return {"same_examples": shares(answers)}


def neighbours(vectors: WordVectors, tokenizer: WordPieceTokenizer) -> dict[str, Any]:
    """Static vectors of the pieces around the word, averaged: what the word's own vector, always the same, lacks."""

    def answers(word: str) -> Callable[[str], str]:
        def points(sentences: list[str]) -> Tensor:
            return static_points(vectors, [context_pieces(tokenizer, one, word) for one in sentences])

        space = fit_senses({sense: points(example_sentences(word, sense)) for sense in homonym(word)[1]})
        return lambda one: space.senses[int(space.scores(points([one])).argmax())]

    return shares(answers)

"""A model's senses as SenseExplorer shows them: the map of each word, and what the model makes of a sentence."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from course_utils.contextual.evaluation import half, held_out_sentences
from course_utils.contextual.influence import influence
from course_utils.contextual.senses import nearest_sense, sense_points
from course_utils.contextual.words import occurrences
from course_utils.tokenization import WordPieceTokenizer


def explored(model: nn.Module, tokenizer: WordPieceTokenizer) -> dict[str, Any]:
    """What SenseExplorer asks for beside its sentence: `SenseExplorer(sentence, **explored(model, tokenizer))`.

    A word's map holds the held-out sentences that a model is judged by, in the two directions in which their vectors
    vary most; it is computed when the word is first chosen. Model and tokenizer are as for nearest_sense.
    """
    examples = {
        word: [(one, *occurrences(one, word)[0], sense) for sense, rows in senses.items() for one in rows]
        for word, senses in half(held_out_sentences(), validation=False).items()
    }

    @cache
    def plane(word: str) -> tuple[Tensor, Tensor, Tensor]:
        points = sense_points(model, tokenizer, [row[0] for row in examples[word]], word)  # (N, C)
        mean = points.mean(dim=0)
        return points, mean, torch.linalg.svd(points - mean, full_matrices=False).Vh[:2].T

    def place(word: str) -> Tensor:
        points, mean, directions = plane(word)
        return (points - mean) @ directions  # (N, 2)

    def read(sentence: str, word: str, occurrence: int) -> tuple:
        scores = nearest_sense(model, tokenizer, sentence, word, occurrence=occurrence)
        point = sense_points(model, tokenizer, [sentence], word, occurrence=occurrence)
        _, mean, directions = plane(word)

        def moved() -> list[tuple[int, int, float]]:
            found = influence(model, tokenizer, sentence, word, sense=scores[0][0], occurrence=occurrence)
            return [(one.start, one.end, one.drop) for one in found]

        return scores, ((point - mean) @ directions)[0], moved

    return dict(examples=examples, place=place, read=read, occurrences=occurrences, pieces=tokenizer.pieces)

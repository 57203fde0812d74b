"""Which words of a sentence moved a word towards its sense: hide one of them at a time and look again."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_utils.contextual.senses import sense_points, sense_space
from course_utils.contextual.words import find_word, occurrences
from course_utils.support.given import shown
from course_utils.tokenization import WordPieceTokenizer


class Influence(NamedTuple):
    """One word of the context."""

    word: str
    start: int  # its place in the sentence, in characters
    end: int
    score: float  # of the sense, with this word hidden
    drop: float  # how much of the log-odds of the sense this word had brought; negative: it spoke against it


def influence(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    sentence: str,
    word: str,
    *,
    sense: str | None = None,
    occurrence: int = 0,
) -> list[Influence]:
    """Hide each 어절 of the context behind [MASK] and measure how much the sense loses.

        drop = log-odds of the sense in the whole sentence − log-odds with the word hidden

    It says what moved this model's answer, one word at a time: when two words carry the same hint, each makes up for
    the other, and neither seems to matter.

    Args:
        model, tokenizer, sentence, word: as in nearest_sense.
        sense: whose score is watched; None means the nearest one.
        occurrence: as in nearest_sense; the others are context.

    Returns:
        one entry for each 어절 but the word's own, in reading order.
    """
    space = sense_space(model, tokenizer, word)
    if sense and sense not in space.senses:
        raise ValueError(f"the senses of {word} are {', '.join(space.senses)}; got {shown(sense)}")
    place, _ = find_word(sentence, word, occurrence=occurrence)
    spans = [span for span in _eojeols(sentence) if not span[0] <= place < span[1]]
    hidden = [sentence[:start] + "[MASK]" + sentence[end:] for start, end in spans]
    earlier = [start for start, _ in occurrences(sentence, word)[:occurrence]]
    counts = [occurrence] + [occurrence - sum(start <= at < end for at in earlier) for start, end in spans]
    points = _points(model, tokenizer, [sentence, *hidden], word, counts)
    scores = space.scores(points)
    column = space.senses.index(sense) if sense else int(scores[0].argmax())
    scores, odds = scores[:, column], space.log_odds(points)[:, column]
    return [
        Influence(sentence[start:end], start, end, scores[row].item(), (odds[0] - odds[row]).item())
        for row, (start, end) in enumerate(spans, start=1)
    ]


def _points(
    model: nn.Module, tokenizer: WordPieceTokenizer, sentences: list[str], word: str, counts: list[int]
) -> Tensor:
    """sense_points when the word's occurrence number differs between sentences: a hidden one no longer counts."""
    rows: dict[int, Tensor] = {}
    for count in set(counts):
        numbers = [number for number, own in enumerate(counts) if own == count]
        texts = [sentences[number] for number in numbers]
        rows |= zip(numbers, sense_points(model, tokenizer, texts, word, occurrence=count))
    return torch.stack([rows[number] for number in range(len(sentences))])


def _eojeols(sentence: str) -> list[tuple[int, int]]:
    """Where the words between blanks stand, without the punctuation at their ends."""
    spans, start = [], 0
    for piece in sentence.split():
        start = sentence.index(piece, start)
        bare = piece.strip(".,!?…\"'“”‘’()")
        if bare:
            begin = start + piece.index(bare)
            spans.append((begin, begin + len(bare)))
        start += len(piece)
    return spans

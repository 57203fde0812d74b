"""The best answer that two rows of scores allow: of one window, and of all windows of a passage.

    ŝ = max over legal pairs i ≤ j of  S·h_i + E·h_j        s_null = S·h_[CLS] + E·h_[CLS]        margin = ŝ − s_null

Each end by itself may lie anywhere: the best beginning in the question, or behind the best end. So it is pairs that are
compared, all of them (Devlin et al. 2019, sections 4.2 and 4.3).

Letters: B rows, W windows of one passage, T tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from course_utils.shapes import check_same_dtype, check_tensors, readable
from course_utils.support.given import real_number, several, shown, whole_number
from course_utils.tasks.no_answer import LARGEST
from course_utils.tasks.spans import characters_of, passage_pieces
from course_utils.tasks.windows import Window, check_window

MOST_PIECES = 30  # of an answer; max_answer_length of google-research/bert, run_squad.py


class Spans(NamedTuple):
    """The best legal pair of each row."""

    first: Tensor  # int64 (B,), place of its first token
    last: Tensor  # int64 (B,), of its last one
    score: Tensor  # float (B,); −inf where no pair is legal: then first and last are 0
    no_answer: Tensor  # float (B,), score of the pair ([CLS], [CLS])


class Answer(NamedTuple):
    """The best answer of a passage."""

    text: str  # as it stands in the passage
    start: int  # its characters there, the end exclusive
    end: int
    margin: float  # ŝ − s_null; −inf where no pair is legal


@torch.no_grad()
def best_spans(
    start_logits: Tensor, end_logits: Tensor, allowed: Tensor, *, most_pieces: int = MOST_PIECES
) -> Spans:
    """The pair of tokens with the highest sum of scores, among those that an answer may have.

    Args:
        start_logits, end_logits: float (B, T).
        allowed: bool (B, T), where an answer may begin or end: not in the question, at a special token or at padding.
        most_pieces: the longest answer; one piece long it begins and ends at the same.

    Returns:
        Spans; among equal pairs the one that begins, then ends first.

    Raises:
        ValueError: if a shape or a type does not fit, a score is no finite number, or most_pieces is none.
    """
    check_tensors(allowed=allowed)
    check_same_dtype(start_logits=start_logits, end_logits=end_logits)
    most_pieces = whole_number("most_pieces", most_pieces)
    shapes = [tuple(tensor.shape) for tensor in (start_logits, end_logits, allowed)]
    if len(set(shapes)) > 1 or len(shapes[0]) != 2 or not allowed.numel():
        raise ValueError(f"start_logits, end_logits and allowed must have one shape (B, T), got {shapes}")
    if allowed.dtype != torch.bool:
        raise ValueError(
            f"allowed must be bool (True = an answer may begin or end there), got {allowed.dtype}"
        )
    for name, logits in (("start_logits", start_logits), ("end_logits", end_logits)):
        if readable(logits) and not torch.isfinite(logits).all():
            raise ValueError(f"{name} must be finite numbers, and are not")
    length = allowed.shape[1]
    wide = torch.promote_types(start_logits.dtype, torch.float32)  # in half precision sums come out equal
    scores = start_logits.to(wide)[:, :, None] + end_logits.to(wide)[:, None, :]  # (B, T, T), first × last
    places = torch.arange(length, device=allowed.device)
    behind = places[None, :] - places[:, None]  # (T, T), last − first
    legal = (behind >= 0) & (behind < min(most_pieces, length)) & allowed[:, :, None] & allowed[:, None, :]
    score, place = scores.masked_fill(~legal, -torch.inf).flatten(1).max(dim=1)  # (B,)
    return Spans(place // length, place % length, score, scores[:, 0, 0])


@torch.no_grad()
def best_answer(
    windows: Sequence[Window], start_logits: Tensor, end_logits: Tensor, *, most_pieces: int = MOST_PIECES
) -> Answer:
    """The best answer over all windows of one passage.

    ŝ is the highest of the windows, s_null the lowest: there is no answer only where every window says so
    (run_squad.py). Windows are compared by their scores as they come, not after a softmax: that would let a window with
    nothing in it be as sure as the one with the answer.

    Args:
        windows: W rows, see passage_windows.
        start_logits, end_logits: float (W, T), T at least the longest row; what is behind a row is padding.
        most_pieces: see best_spans.

    Raises:
        ValueError: if there is no window, one is none or of another passage, or the scores do not fit.
    """
    windows = several("windows", windows, "windows of one passage")
    for window in windows:
        check_window(window)
    if len({window.passage for window in windows}) != 1:
        raise ValueError("windows must hold at least one window, all of one passage")
    check_tensors(start_logits=start_logits)
    longest = max(map(len, windows))
    if start_logits.dim() != 2 or len(start_logits) != len(windows) or start_logits.shape[1] < longest:
        raise ValueError(
            f"start_logits must have shape ({len(windows)}, T), T at least {longest}, got {tuple(start_logits.shape)}"
        )
    allowed = torch.zeros(start_logits.shape, dtype=torch.bool)  # (W, T)
    for row, window in enumerate(windows):
        allowed[row, : len(window)] = torch.tensor(passage_pieces(window))
    allowed = allowed.to(start_logits.device)
    spans = best_spans(start_logits, end_logits, allowed, most_pieces=most_pieces)
    best = int(spans.score.argmax())
    start, end = characters_of(windows[best], int(spans.first[best]), int(spans.last[best]))
    margin = float(spans.score[best] - spans.no_answer.min())
    return Answer(windows[best].passage[start:end], start, end, margin)


def decided(answer: Answer, threshold: float) -> str:
    """The text of an answer whose margin lies above τ; "" else: the passage does not say.

    Args:
        answer: see best_answer.
        threshold: τ, see no_answer.py; −inf answers always, inf never.

    Raises:
        ValueError: if answer is none, or threshold is neither a number nor one of the two.
    """
    if not isinstance(answer, Answer):
        raise ValueError(f"answer must be an Answer, as best_answer gives it, got {shown(answer)}")
    if threshold not in (-torch.inf, torch.inf):
        real_number("threshold", threshold, least=-LARGEST, most=LARGEST)
    return answer.text if answer.margin > threshold else ""

"""From probabilities to a text: greedy search, and beam search with a length penalty (Wu et al. 2016, section 7).

Met in notebook 07. Both take any model that stepping.py describes: with a cache, or a plain function. No token is
forbidden. Lengths count the tokens written, the end <eos> included and the start <bos> not.

Letters: B batch, K open hypotheses of a row, R those of all rows, T_k source tokens, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

import torch
from torch import Tensor

from course_utils.seq2seq.stepping import Writer


def greedy_search(
    model: Any, source_ids: Tensor, *, bos_token_id: int, eos_token_id: int, max_length: int
) -> list[list[int]]:
    """Write the likeliest token again and again, until it is <eos>.

    Of tokens that are equally likely, the one with the lowest id is written. A row that has ended is no longer asked.

    Args:
        model: a function or a model with a cache (see stepping.py).
        source_ids: int32 or int64 (B, T_k).
        bos_token_id: the token that stands before the first one.
        eos_token_id: the token that ends a text.
        max_length: tokens after which a text is cut off.

    Returns:
        the ids of each row, without <bos>, and with <eos> where it was reached.
    """
    writer = Writer(model, source_ids)
    texts: list[list[int]] = [[] for _ in source_ids]
    going = list(range(len(texts)))  # the rows that have not ended
    last_ids = torch.full((len(texts),), bos_token_id, device=source_ids.device)  # (R,)
    for _ in range(max_length):
        log_probabilities = writer.log_probabilities(last_ids)  # (R, V)
        _check_end(eos_token_id, log_probabilities)
        tokens = log_probabilities.argmax(dim=-1).tolist()
        for row, token in zip(going, tokens, strict=True):
            texts[row].append(token)
        open_places = [place for place, token in enumerate(tokens) if token != eos_token_id]
        if not open_places:
            break
        if len(open_places) < len(going):
            writer.keep(open_places)
        going = [going[place] for place in open_places]
        last_ids = last_ids.new_tensor([tokens[place] for place in open_places])
    return texts


class Hypothesis(NamedTuple):
    """A beginning of a text, or a whole one."""

    ids: tuple[int, ...]  # without <bos>; <eos> at the end of one that has reached it
    log_probability: float  # of all ids together, given the source
    parent: int | None  # its place among those that were open before this step; None of the empty one


class BeamStep(NamedTuple):
    """What one step of a beam search leaves, for each row; nothing for a row that is through."""

    open: tuple[tuple[Hypothesis, ...], ...]  # those that may go on, best first
    ended: tuple[tuple[Hypothesis, ...], ...]  # those that end here, with <eos> or at max_length, best first


def beam_search(
    model: Any,
    source_ids: Tensor,
    *,
    beam_size: int = 4,
    length_penalty: float = 0.6,
    bos_token_id: int,
    eos_token_id: int,
    max_length: int,
) -> list[list[tuple[list[int], float]]]:
    """Go on with the `beam_size` best beginnings at once, and rank the texts that have ended.

        score(Y) = log P(Y | source) / ((5 + |Y|) / 6)^α        α = length_penalty (Wu et al. 2016, eq. 14)

    Which beginnings go on and when the search is over, beam_steps says. Texts that reach <eos> and texts cut off at
    max_length are ranked together; of two with the same score, the one that ended first is the better.

    Args:
        model, source_ids, bos_token_id, eos_token_id, max_length: as for greedy_search.
        beam_size: K, how many; 4 in Vaswani et al. 2017. With V^(max_length) the search is exhaustive.
        length_penalty: α, at least 0; 0 compares log-probabilities as they are, which favours short texts; 0.6 in
            Vaswani et al. 2017.

    Returns:
        for each row up to beam_size pairs (ids, log-probability), the one with the highest score first. The
        log-probability is that of the ids, without the penalty.
    """
    steps = beam_steps(
        model,
        source_ids,
        beam_size=beam_size,
        length_penalty=length_penalty,
        bos_token_id=bos_token_id,
        eos_token_id=eos_token_id,
        max_length=max_length,
    )
    rows = zip(*(step.ended for step in steps), strict=True)  # what ended in each, step by step
    ranked = [_ranked(chain.from_iterable(row), length_penalty)[:beam_size] for row in rows]
    return [[(list(text.ids), text.log_probability) for text in row] for row in ranked]


def beam_steps(
    model: Any,
    source_ids: Tensor,
    *,
    beam_size: int = 4,
    length_penalty: float = 0.6,
    bos_token_id: int,
    eos_token_id: int,
    max_length: int,
) -> Iterator[BeamStep]:
    """A beam search, one step after the other.

    At each step every open hypothesis is continued by every token, and of all these the `beam_size` likeliest are
    kept: at one length, the penalty is the same for all. What is impossible (log-probability −inf) is never kept. Those
    that end with <eos> have ended; the others are open. The next step again keeps `beam_size`, so that a place which an
    ended one took is free again.

    A row is through when nothing is open, or nothing open can still come among its `beam_size` best. An open hypothesis
    of log-probability ℓ < 0 can only lose by what follows, and no divisor is larger than that of max_length: whatever
    comes of it scores at most ℓ / ((5 + max_length) / 6)^α. As long as this is more than the score of the ended one in
    place beam_size, it goes on. (To stop at the first ended one, or to compare with ℓ divided by today's length, would
    lose texts that win by their length.)

    Args:
        model, source_ids, beam_size, length_penalty, bos_token_id, eos_token_id, max_length: as for beam_search.

    Yields:
        BeamStep, one for each token written.
    """
    if not length_penalty >= 0:  # below 0 the bound above is none, and the search would stop too early
        raise ValueError(f"length_penalty must be at least 0, got {length_penalty}")
    writer = Writer(model, source_ids)
    beams = [(Hypothesis((), 0.0, None),) for _ in source_ids]  # what is open, for each row
    scores: list[list[float]] = [[] for _ in source_ids]  # of what has ended, for each row
    last_ids = torch.full((len(beams),), bos_token_id, device=source_ids.device)  # (R,)
    for length in range(1, max_length + 1):
        log_probabilities = writer.log_probabilities(last_ids)  # (R, V)
        _check_end(eos_token_id, log_probabilities)
        parts = log_probabilities.split([len(beam) for beam in beams])  # of (K, V)
        found = [_continued(beam, part, beam_size) for beam, part in zip(beams, parts, strict=True)]
        over = {eos_token_id} if length < max_length else range(log_probabilities.shape[1])
        step = BeamStep(
            open=tuple(tuple(text for text in row if text.ids[-1] not in over) for row in found),
            ended=tuple(tuple(text for text in row if text.ids[-1] in over) for row in found),
        )
        yield step
        starts = accumulate((len(beam) for beam in beams), initial=0)  # where each beam's rows begin
        for known, row in zip(scores, step.ended, strict=True):
            known += [penalised_score(*_told(text), length_penalty) for text in row]
        beams = [
            () if _decided(beam, known, beam_size, max_length, length_penalty) else beam
            for beam, known in zip(step.open, scores, strict=True)
        ]
        kept = [start + text.parent for start, beam in zip(starts, beams, strict=False) for text in beam]
        if not kept:
            return
        writer.keep(kept)
        last_ids = last_ids.new_tensor([text.ids[-1] for beam in beams for text in beam])


def penalised_score(log_probability: float, length: int, length_penalty: float) -> float:
    """What texts of different lengths are ranked by: log P / ((5 + length) / 6)^length_penalty.

    Args:
        log_probability: at most 0.
        length: number of tokens, <eos> included, at least 1.
        length_penalty: α, at least 0.

    Returns:
        the score, at most 0; with α > 0 a longer text loses less of it.
    """
    return log_probability / ((5 + length) / 6) ** length_penalty


def _continued(beam: Sequence[Hypothesis], log_probabilities: Tensor, beam_size: int) -> list[Hypothesis]:
    """The likeliest continuations of some hypotheses by one token, whose log-probabilities are (K, V); best first."""
    if not beam:
        return []
    before = torch.tensor([text.log_probability for text in beam], dtype=torch.float64)
    totals = before[:, None] + log_probabilities  # (K, V)
    # Stable: of equal ones the first comes first, on every machine, and for a beam of 1 it is greedy_search's.
    best, places = totals.flatten().sort(descending=True, stable=True)
    found = []
    for total, place in zip(best[:beam_size].tolist(), places[:beam_size].tolist(), strict=True):
        if total > -torch.inf:
            parent, token = divmod(place, log_probabilities.shape[1])
            found.append(Hypothesis((*beam[parent].ids, token), total, parent))
    return found


def _decided(
    beam: Sequence[Hypothesis],
    scores: Sequence[float],
    beam_size: int,
    max_length: int,
    length_penalty: float,
) -> bool:
    """Whether nothing open can still come among the best `beam_size`; see beam_steps."""
    if not beam or len(scores) < beam_size:
        return not beam
    hurdle = sorted(scores, reverse=True)[beam_size - 1]
    return penalised_score(beam[0].log_probability, max_length, length_penalty) <= hurdle


def _ranked(texts: Iterable[Hypothesis], length_penalty: float) -> list[Hypothesis]:
    return sorted(texts, key=lambda text: -penalised_score(*_told(text), length_penalty))


def _told(text: Hypothesis) -> tuple[float, int]:
    return text.log_probability, len(text.ids)


def _check_end(eos_token_id: int, log_probabilities: Tensor) -> None:
    """Refuse an end that the model cannot write: no text would ever be over."""
    if not 0 <= eos_token_id < log_probabilities.shape[1]:
        raise ValueError(
            f"eos_token_id must lie in 0 … {log_probabilities.shape[1] - 1}, "
            f"the ids that the model can write, got {eos_token_id}"
        )

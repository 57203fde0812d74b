"""Good arguments of every public function, from which the strategies make bad ones; and what has none.

A class is built and used in one call. Of a name with two calls, the second stands behind a "#".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

CASES: dict[str, Case] = {}


@dataclass(frozen=True)
class Case:
    """How a public name is called."""

    call: Callable[..., Any]
    good: Callable[[], dict[str, Any]]  # fitting arguments by name, made anew for each call
    documents: tuple[Any, ...]  # whose docstrings say what may be raised
    few: bool = False  # calls in the quick profile: each takes long


def case(
    thing: Any,
    good: Callable[[], dict[str, Any]],
    *,
    call: Any = None,
    also: tuple = (),
    part: str = "",
    few: bool = False,
) -> None:
    """Enter a public function or class.

    Args:
        thing: the function or class.
        good: makes fitting arguments by name; what is Kept is never spoilt.
        call: how it is called with them, unless plainly.
        also: methods that the call uses, whose docstrings count, too.
        part: what is called, where there are several entries; "#absent" names a file that is not there.
        few: whether only a few calls are made, because each takes long.
    """
    name = f"{thing.__module__}.{thing.__qualname__}".removeprefix("course_utils.") + part
    assert name not in CASES, name
    CASES[name] = Case(call or thing, good, (thing, *also), few)


# Public, and without a strategy: name -> why.
EXEMPT = {
    **dict.fromkeys(
        [
            "after.albert.AlbertOutput",
            "after.electra.ElectraOutput",
            "after.spanbert.SpanBertOutput",
            "after.span_masks.Spans",
            "before.subword.SubwordVectors",
            "before.word2vec.WordVectors",
            "contextual.senses.SenseSpace",
            "exercises.core.Verdict",
            "heads.base.HeadOutput",
            "heads.pretraining.PreTrainingOutput",
            "heads.spans.SpanOutput",
            "interpretation.ablation.HeadEffects",
            "interpretation.ablation.Measured",
            "interpretation.maps.AttentionMaps",
            "seq2seq.decoding.BeamStep",
            "seq2seq.decoding.Hypothesis",
            "tokenization.encoding.Encoding",
            "tokenization.merging.Candidate",
            "tokenization.merging.MergeStep",
        ],
        "what a function returns; nobody makes one by hand",
    ),
    "exercises.core.Exercise": "made by the course's authors; tests/exercises judges every one",
    "support.memory.give_back": "takes nothing",
    "datasets.batching.seeded": "takes any numbers",
}

"""BertAtAGlance at its largest documented input, and keys that move it, for the tests and the benchmark."""

from functools import partial

from course_utils.interpretation import at_a_glance
from course_utils.pretrained import load_pretrained
from course_utils.widgets import BertAtAGlance

MOVES = (
    ("piece-1", "Enter"),
    ("piece-1", "ArrowRight"),
    ("sentence", "a"),
)


def largest() -> BertAtAGlance:
    sentence = (  # 59 characters: MOVES types one more
        "할머니는 비 오는 날 아침 일찍 우산을 쓰고 시장에 나가 생선과 쑥과 마늘을 사 오셔서 국을 다 끓이셨다."
    )
    return BertAtAGlance(sentence, read=partial(at_a_glance, *load_pretrained()), piece=2)

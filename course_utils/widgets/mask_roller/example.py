"""MaskRoller at its largest documented input, and keys that move it, for the tests and the benchmark."""

from course_utils.datasets.pretraining import choose_tokens, choose_words, corrupt
from course_utils.pretrained import load_pretrained
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.widgets import MaskRoller

MOVES = (
    ("roll", "Enter"),
    ("whole_words", "Space"),
    ("many", "Enter"),
    ("again", "Enter"),
)


def largest() -> MaskRoller:
    _, tokenizer = load_pretrained()
    given = dict(
        choose_tokens=choose_tokens, choose_words=choose_words, corrupt=corrupt, special=SPECIAL_TOKENS
    )
    first = "나는 항구에 들러 큰 배를 타고 먼 섬에 가서 사과와 배를 많이 먹고 왔으며 다음 날에도 또 갔다."
    second = "배 위에서는 뱃멀미를 했지만 섬에서는 밤을 구워 먹었고 그 밤에 눈이 내려 두 배로 즐거웠다 한다."
    return MaskRoller(first[:60], second[:60], tokenizer=tokenizer, **given)

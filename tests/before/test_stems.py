"""Words without their particles."""

import pytest

from course_utils.before import cut_sentence, learn_stems, split_words
from course_utils.before.stems import may_end

TEXT = ["배를 타고 배가 배에서 배", "밤이 밤을 밤에 밤으로", "바다가 넓다", "말로 말을 말이"]


def test_particles_are_cut_where_the_stem_was_seen_often() -> None:
    stems = learn_stems(TEXT)
    assert {stems[word] for word in ("배를", "배가", "배에서", "배")} == {"배"}
    assert {stems[word] for word in ("밤이", "밤을", "밤으로")} == {"밤"}
    assert {stems[word] for word in ("말로", "말을")} == {"말"}
    assert stems["바다가"] == "바다가" and stems["넓다"] == "넓다"  # seen once: nothing is known of them


def test_a_whole_word_is_not_taken_apart() -> None:
    assert learn_stems(["바다가 바다를 바다에 바다"])["바다"] == "바다"


@pytest.mark.parametrize(
    ("stem", "ending", "fits"),
    [
        ("배", "가", True),
        ("배", "이", False),
        ("밤", "이", True),
        ("밤", "가", False),
        ("밤", "으로", True),
        ("밤", "로", False),
        ("말", "로", True),
        ("배", "에서", True),
        ("KTX", "를", True),
        ("배", "추", False),
    ],
)
def test_the_last_letter_decides(stem: str, ending: str, fits: bool) -> None:
    assert may_end(stem, ending) is fits


def test_sentences_are_cut_and_unknown_words_stay() -> None:
    assert split_words("배를, 탔다!") == ["배를", "탔다"]
    assert cut_sentence("배를 배추로 썼다.", learn_stems(TEXT)) == ["배", "배추로", "썼다"]

"""MaskRoller without a browser: fates, labels, tally, whole words, sentence, and what it refuses."""

import json

import pytest
import torch

from course_utils.datasets.pretraining import choose_tokens, choose_words, corrupt
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.widgets import MaskRoller
from course_utils.widgets.mask_roller.widget import BLOCK

PIECES = ["나는", "배", "##를", "탔", "##다", "##에서", ".", "항구", "<", "img", ">"]
VOCAB = {piece: number for number, piece in enumerate([*SPECIAL_TOKENS, *PIECES])}
FUNCTIONS = {"choose_tokens": choose_tokens, "choose_words": choose_words, "corrupt": corrupt}


def make(sentence: str = "나는 배를 탔다.", pair: str = "", **changes) -> MaskRoller:
    tokenizer = WordPieceTokenizer(VOCAB, lowercase=False, strip_accents=False)
    given = {"tokenizer": tokenizer, "special": SPECIAL_TOKENS} | FUNCTIONS
    return MaskRoller(sentence, pair, **(given | changes))


def tokens(roller: MaskRoller) -> list[dict]:
    return roller.picture["tokens"]


def tally(roller: MaskRoller) -> dict[str, tuple[int, int]]:
    return {row["name"]: (row["count"], row["of"]) for row in roller.picture["tally"]}


def test_fates_and_labels_fit_together() -> None:
    roller = make()
    seen = set()
    for roll in range(1, 201):
        roller.roll = roll
        for row in tokens(roller):
            seen.add(row["fate"])
            assert row["chosen"] == (row["fate"] in ("masked", "random", "kept"))
            assert (row["shown"] == "[MASK]") == (row["fate"] == "masked")
            if row["fate"] in ("kept", "plain", "special"):
                assert row["shown"] == row["true"]
            if row["fate"] == "random":
                assert row["shown"] not in SPECIAL_TOKENS and row["shown"] != row["true"]
            assert (row["fate"] == "special") == (row["true"] in SPECIAL_TOKENS)
    assert seen == {"masked", "random", "kept", "plain", "special"}
    true = ["[CLS]", "나는", "배", "##를", "탔", "##다", ".", "[SEP]"]
    assert [row["true"] for row in tokens(roller)] == true


def test_the_tally_counts_every_roll_so_far_and_no_other() -> None:
    roller, counts = make(seed=3), {"masked": 0, "random": 0, "kept": 0}
    for roll in range(1, 61):
        roller.roll = roll
        for row in tokens(roller):
            if row["chosen"]:
                counts[row["fate"]] += 1
        chosen = sum(counts.values())
        assert tally(roller) == {"chosen": (chosen, 6 * roll)} | {n: (c, chosen) for n, c in counts.items()}
    once = roller.picture
    roller.roll = 5
    roller.roll = 60
    assert roller.picture == once


def test_blocks_join_without_a_gap() -> None:
    roller = make(seed=7, roll=BLOCK)
    before = tally(roller)
    roller.roll = BLOCK + 1
    here = sum(row["chosen"] for row in tokens(roller))
    assert tally(roller)["chosen"] == (before["chosen"][0] + here, 6 * (BLOCK + 1))
    assert tally(make(seed=7, roll=3 * BLOCK + 11)) == tally(make(seed=7, roll=3 * BLOCK + 11))
    roller.roll = 3 * BLOCK + 11
    assert roller.picture == make(seed=7, roll=3 * BLOCK + 11).picture


@pytest.mark.parametrize("whole_words", [False, True])
def test_many_rolls_come_near_what_is_expected(whole_words: bool) -> None:
    roller = make(roll=20_000, whole_words=whole_words)
    for row in roller.picture["tally"]:
        assert abs(row["share"] - row["expected"]) < 2 * row["error"] < 0.05  # four standard errors
    assert "20,000번" in roller.summary and "고른 비율 1" in roller.summary


def test_the_error_of_whole_words_is_that_of_fewer_draws() -> None:
    single, whole = (
        make("배를 탔다", roll=100, whole_words=flag).picture["tally"][0] for flag in (False, True)
    )
    assert single["error"] == pytest.approx(2 * (0.15 * 0.85 / 400) ** 0.5)
    assert whole["error"] == pytest.approx(single["error"] * 2**0.5)


def test_whole_words_are_chosen_together() -> None:
    apart, together = False, make(whole_words=True)
    single = make()
    for roll in range(1, 101):
        together.roll = single.roll = roll
        rows = tokens(together)
        assert rows[2]["chosen"] == rows[3]["chosen"] and rows[4]["chosen"] == rows[5]["chosen"]
        apart |= tokens(single)[2]["chosen"] != tokens(single)[3]["chosen"]
    assert apart and [row["continues"] for row in tokens(together)[2:6]] == [False, True, False, True]


def test_a_pair_has_two_segments_and_two_separators() -> None:
    roller = make("배를 탔다", "항구")
    assert [row["true"] for row in tokens(roller)].count("[SEP]") == 2
    assert [row["segment"] for row in tokens(roller)] == [0, 0, 0, 0, 0, 0, 1, 1]
    roller.pair = "   "
    assert len(tokens(roller)) == 6


def test_changing_the_text_starts_the_tally_anew() -> None:
    roller = make(roll=100)
    roller.sentence = "배를"
    assert tally(roller)["chosen"][1] == 200 and json.dumps(roller.picture)
    roller.seed = 1
    assert roller.picture != make("배를", roll=100).picture


def test_the_global_random_state_is_left_alone() -> None:
    before = torch.get_rng_state()
    make(roll=50)
    assert torch.equal(before, torch.get_rng_state())


def test_a_sentence_of_which_nothing_can_be_chosen_is_refused() -> None:
    roller = make()
    roller.set_state({"sentence": "梨 [MASK]"})
    assert "고를 수 있는 토큰이 없습니다" in roller.error and roller.sentence == "나는 배를 탔다."


def test_what_the_model_cannot_read_is_told_beside_the_tokens() -> None:
    roller = make("나는 배를 탔다.", "항구")
    assert "[UNK]" not in roller.summary
    roller.sentence, roller.pair = "나는 배🚢를 탔다.", "항구 梨"
    assert roller.summary.endswith("알지 못합니다.")
    assert "모델은 '배🚢를', '梨'에서 [UNK]만 봅니다." in roller.summary

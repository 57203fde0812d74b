"""AttentionExplorer without a browser: what it holds, what it says, what it refuses and what it sends."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from course_utils.widgets import AttentionExplorer
from course_utils.widgets.attention_explorer.side import ONE, as_weight, hundredths
from course_utils.widgets.base import FOLDER

LAYERS, HEADS = 2, 3
HARBOUR, KITCHEN = "항구 배 를 배", "사과 배"


def look(sentence: str) -> tuple[list[str], torch.Tensor]:
    """All heads look at the first token; in layer 1 head 2 the second token looks at the fourth, the fourth at all."""
    tokens = ["[CLS]", *sentence.split()]
    count = len(tokens)
    weights = torch.zeros(LAYERS, HEADS, count, count)
    weights[..., 0] = 1
    if count == 5:
        weights[1, 2, 1] = torch.tensor([0, 0, 0, 1.0, 0])
        weights[1, 2, 3] = torch.tensor([0.5, 0.0625, 0.25, 0.125, 0.0625])
    else:
        weights[1, 2] = 1 / count
    return tokens, weights


def measures(tokens: list[str], weights: torch.Tensor) -> dict[str, torch.Tensor]:
    """`previous` has ties, "내 것" a name of its own, and a negative number."""
    return {
        "previous": torch.tensor([[0.25, 0.5, 0.25], [0.125, 0.5, 1.0]]),
        "내 것": torch.arange(6.0).reshape(2, 3) - len(tokens),
    }


def make(first: str = HARBOUR, second: str = "", **changes) -> AttentionExplorer:
    return AttentionExplorer(first, second, **({"look": look, "measures": measures} | changes))


def steps(widget: AttentionExplorer, side: str = "first") -> np.ndarray:
    count = len(widget.picture["sides"][0 if side == "first" else 1]["tokens"])
    return np.frombuffer(getattr(widget, f"{side}_weights"), "<u2").reshape(LAYERS, HEADS, count, count)


def test_the_weights_travel_in_16_bits() -> None:
    widget = make(HARBOUR, KITCHEN)
    for sentence, side in ((HARBOUR, "first"), (KITCHEN, "second")):
        assert np.abs(steps(widget, side) / 65_535 - look(sentence)[1].numpy()).max() <= 0.5 / 65_535 + 1e-9
    # by hand: 0.5 · 65535 + 0.5, …
    assert steps(widget)[1, 2, 3].tolist() == [32768, 4096, 16384, 8192, 4096]


def test_the_picture_holds_all_but_the_weights() -> None:
    widget = make(HARBOUR, KITCHEN)
    picture = json.loads(json.dumps(widget.picture, allow_nan=False))
    assert (picture["layers"], picture["heads"]) == (LAYERS, HEADS)
    assert [side["tokens"] for side in picture["sides"]] == [
        ["[CLS]", "항구", "배", "를", "배"],
        ["[CLS]", "사과", "배"],
    ]
    # Two times 배 on the left, one on the right: both go with it.
    assert [side["partners"] for side in picture["sides"]] == [[0, -1, 2, -1, 2], [0, -1, 2]]


def test_the_second_of_two_equal_tokens_goes_with_the_second() -> None:
    widget = make("배 배 말 배", "말 배 배")
    assert [side["partners"] for side in widget.picture["sides"]] == [[0, 2, 3, 1, 3], [0, 3, 1, 2]]


def test_the_summary_by_hand() -> None:
    widget = make("항구 배 를 배")
    widget.layer, widget.head, widget.token, widget.threshold = 1, 2, 3, 0.25
    # Row 3: 0.5, 0.0625, 0.25, 0.125, 0.0625. Column 3: 1 from token 1, 0.125 from itself, then 0 (the first of three).
    # At 0.25 and more: one line of each of tokens 0, 1, 2 and 4, two of token 3.
    assert widget.summary == (
        "층 1 헤드 2. '를' 토큰이 보는 곳은 '[CLS]' 0.50, '배' 0.25, '를' 0.13. "
        "'를' 토큰을 보는 곳은 '항구' 1.00, '를' 0.13, '[CLS]' 0.00. 문턱값 0.25 이상인 선은 6개입니다."
    )


def test_the_summary_of_two_sentences() -> None:
    widget = make(HARBOUR, KITCHEN)
    widget.layer, widget.head, widget.side, widget.token = 1, 2, "second", 2
    first, second = widget.summary.split(" 문장 2: ")
    assert first.startswith("층 1 헤드 2. 문장 1: '배' 토큰이 보는 곳은 '[CLS]' 1.00")
    assert second.startswith(
        "'배' 토큰은 모든 토큰을 똑같이 봅니다(0.33). '배' 토큰을 보는 곳은 '[CLS]' 0.33"
    )
    assert second.endswith("문턱값 0.00 이상인 선은 9개입니다.")
    widget.token = 1
    assert "문장 1: '사과' 토큰이 없습니다. 문턱값" in widget.summary
    widget.side, widget.token = "first", 3
    assert "문장 2: '를' 토큰이 없습니다. 문턱값" in widget.summary


@pytest.mark.parametrize(
    ("threshold", "lines"), [(0, 9), (0.0625, 9), (0.0626, 7), (0.25, 6), (0.2501, 5), (0.5, 5), (1, 4)]
)
def test_a_weight_at_the_threshold_is_a_line_and_none_is_no_line(threshold: float, lines: int) -> None:
    widget = make()
    widget.layer, widget.head = 1, 2
    widget.threshold = threshold
    assert widget.summary.endswith(f"선은 {lines}개입니다.")


def test_heads_are_ranked_by_a_measure_and_ties_keep_their_order() -> None:
    widget = make()
    previous, own = widget.picture["measures"]
    assert previous == {
        "name": "previous",
        "shown": "바로 앞 토큰",
        "values": [25, 50, 25, 13, 50, 100],  # 0.125 rounds up, as it does in the browser
        "order": [5, 1, 4, 0, 2, 3],
    }
    assert own["shown"] == "내 것" and own["values"] == [-500, -400, -300, -200, -100, 0]
    widget.sort = "previous"
    widget.layer, widget.head = 1, 1
    assert "층 1 헤드 1. 바로 앞 토큰 0.50, 헤드 6개 가운데 3위." in widget.summary
    widget.sort = "내 것"
    assert "내 것 −1.00, 헤드 6개 가운데 2위." in widget.summary
    widget.sort = ""
    assert "가운데" not in widget.summary


def test_the_side_of_a_sentence_that_is_gone_is_the_first() -> None:
    widget = make(HARBOUR, KITCHEN)
    widget.side, widget.token = "second", 1
    widget.second = ""
    assert "'항구' 토큰이 보는 곳은" in widget.summary and widget.second_weights == b""
    assert len(widget.picture["sides"]) == 1


def test_looking_around_sends_neither_picture_nor_weights_and_asks_no_model(monkeypatch) -> None:
    asked = []
    widget = make(HARBOUR, KITCHEN, look=lambda sentence: asked.append(sentence) or look(sentence))
    sent: list[set[str]] = []  # a message each
    send = lambda self, key=None: sent.append({key} if isinstance(key, str) else set(key or ()))  # noqa: E731
    monkeypatch.setattr(type(widget), "send_state", send)
    widget.set_state(
        {"layer": 1, "head": 2, "token": 2, "side": "second", "threshold": 0.5, "sort": "previous"}
    )
    assert "summary" in set().union(*sent)
    assert not {"picture", "first_weights", "second_weights"} & set().union(*sent)
    sent.clear()
    widget.second = "배 말 배 말"
    assert any({"picture", "second_weights", "summary"} <= message for message in sent)
    assert "first_weights" not in set().union(*sent)
    assert asked == [HARBOUR, KITCHEN, "배 말 배 말"]


def test_a_sentence_too_long_is_refused_and_the_weights_stay() -> None:
    widget = make(HARBOUR, KITCHEN)
    before = widget.first_weights, widget.second_weights
    for side in ("first", "second"):
        widget.set_state({side: "말 " * 64})
        assert "지금은 65개" in widget.error
    assert (widget.first_weights, widget.second_weights) == before


def test_two_sentences_of_unequal_heads_are_refused() -> None:
    def uneven(sentence: str) -> tuple[list[str], np.ndarray]:
        tokens, weights = look(sentence)
        return tokens, weights[:, : 2 + len(tokens) % 2]

    with pytest.raises(ValueError, match=r"문장 1은 \(2, 3\), 문장 2는 \(2, 2\)"):
        make("항구 배 를 배", "사과 배 를", look=uneven, measures=None)


def test_what_the_model_cannot_read_is_told_beside_the_weights() -> None:
    pieces = lambda text: [("[UNK]", (0, 2))] if text.startswith("梨") else []  # noqa: E731
    widget = make(HARBOUR, KITCHEN, pieces=pieces)
    assert widget.picture["unread"] == [] and "[UNK]" not in widget.summary
    widget.second = "梨를 배"
    assert widget.summary.endswith(f"선은 3개입니다. {widget.picture['unread'][0]}")
    assert "모델은 '梨를'에서 [UNK]만 봅니다." in widget.summary


def test_odd_tokens_are_made_visible_and_bounded() -> None:
    odd = ["\u202eabc", "가" * 5000, "\ud800", ""]
    widget = make("x", look=lambda _: (odd, np.full((LAYERS, HEADS, 4, 4), 0.25)), measures=None)
    side = widget.picture["sides"][0]
    assert side["tokens"][::2] == ["⟨202E⟩abc", "⟨D800⟩"] and side["tokens"][3] == "∅"
    assert len(side["tokens"][1]) == 120 and side["tokens"][1].endswith("가…")
    for token, name in enumerate(side["names"]):
        widget.token = token
        assert len(name) <= 20 and f"'{name}' 토큰은 모든 토큰을 똑같이 봅니다(0.25)." in widget.summary


# --- Numbers that must agree with the browser's


def test_a_weight_is_said_with_two_decimals_and_never_sits_on_a_half() -> None:
    every = np.arange(65_536)
    some = every[::257]
    assert [hundredths(step) for step in some] == [round(100 * step / 65_535) for step in some]
    assert not ((200 * every) % (2 * 65_535) == 65_535).any()
    written = {0: "0.00", 327: "0.00", 328: "0.01", 32_768: "0.50", 65_535: "1.00"}
    assert {step: as_weight(step) for step in written} == written


def test_the_browser_has_the_same_steps() -> None:
    assert f"const ONE = {ONE};" in (FOLDER / "attention_explorer/numbers.js").read_text("utf-8")

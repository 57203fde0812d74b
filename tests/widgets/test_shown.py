"""Tokens, numbers and shares as a page shows them."""

from __future__ import annotations

import re

import pytest

from course_utils.widgets.shown import percent, readable, signed, unread


@pytest.mark.parametrize(
    ("token", "most", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("ab\x00", 8, "ab⟨0000⟩"),  # as long as allowed, once it is written out
        ("ab\x00", 7, "ab⟨000…"),
        ("\u2029", 20, "⟨2029⟩"),
        ("क\u200dष", 20, "क\u200dष"),
        ("  ", 20, "␣␣"),
        ("\u3000", 20, "\u3000"),
        ("", 20, "∅"),
        ("\x00" * 1000, 20, "⟨0000⟩⟨0000⟩⟨0000⟩⟨…"),
    ],
)
def test_a_token_is_written_as_a_page_can_show_it(token: str, most: int, shown: str) -> None:
    assert readable(token, most) == shown


def test_numbers_have_a_true_minus_sign_and_no_negative_zero() -> None:
    assert [signed(value, 2) for value in (-0.004, -0.006, 12, -1.5)] == ["0.00", "−0.01", "12.00", "−1.50"]
    assert percent(0.1234, 1) == "12.3 %" and percent(1) == "100 %"


def test_what_became_unknown_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COURSE_LANG", raising=False)

    def pieces(text: str):
        return [
            ("[UNK]" if "🍐" in run.group() else run.group(), run.span()) for run in re.finditer(r"\S+", text)
        ]

    assert unread(pieces, "배를 깎았다", "") == []
    (said,) = unread(pieces, "배🍐를 깎았다", "단 🍐", "배🍐를 샀다")
    assert said.startswith("모델은 '배🍐를', '🍐'에서 [UNK]만 봅니다.")
    (said,) = unread(pieces, "\u202e🍐" + "가" * 99)
    assert said.startswith(f"모델은 '⟨202E⟩🍐{'가' * 32}…'에서")

"""Tokens, numbers and shares as a page shows them."""

from __future__ import annotations

import pytest

from course_utils.widgets.shown import percent, readable, signed


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

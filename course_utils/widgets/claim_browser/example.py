"""ClaimBrowser with made-up numbers: small(), largest(), and keys that change the picture."""

from __future__ import annotations

from course_utils.widgets import ClaimBrowser

MOVES = (
    ("next", "Enter"),
    ("differences", "Space"),
    ("previous", "Enter"),
    ("claim", "ArrowDown"),
)

WITHOUT = {
    "names": ("NSP 없이", "기준"),
    "unit": "정확도, %",
    "rows": [
        ("QNLI", 84.9, 88.4, "표 5, No NSP"),
        ("MNLI-m", 83.9, 84.4, "표 5, No NSP"),
        ("MRPC", 86.5, 86.7, "표 5, No NSP"),
    ],
    "note": "개발 세트, 한 번씩.",
}
OURS = {
    "names": ("NSP 없이", "기준"),
    "unit": "마스크 손실, 내트",
    "rows": [("떼어 둔 글", 5.12, 5.11, "13번 9절")],
    "digits": 2,
}


def small(**start) -> ClaimBrowser:
    """Two claims: one with all three sides, one with the paper's alone."""
    later = {
        "names": ("SOP", "NSP"),
        "rows": [("평균", 80.1, 79.2, "ALBERT 표 5"), ("사람", 91.0, None, "알려진 것")],
    }
    one = {"title": "다음 문장 예측", "says": "NSP를 빼면 나빠진다.", "place": "5.1절"}
    size = {"names": ("LARGE", "BASE"), "rows": [("RTE", 70.1, 66.4, "표 1")]}
    claims = [
        one | {"paper": WITHOUT, "later": later, "ours": OURS},
        {"title": "크기", "says": "크면 좋아진다.", "paper": size},
    ]
    return ClaimBrowser(claims, **start)


def largest() -> ClaimBrowser:
    """24 claims, three sides of eight rows each."""

    def side(number: int) -> dict:
        rows = [
            (
                f"제법 긴 이름의 과제 {place}, 개발 세트",
                90.0 - place * number / 7,
                80.0 + place,
                "논문의 표 5, No NSP",
            )
            for place in range(8)
        ]
        return {
            "names": ("NSP 없이", "BERT_BASE"),
            "unit": "정확도, %",
            "rows": rows,
            "note": "시드 하나씩입니다. " * 4,
        }

    claims = [
        {
            "title": f"{number}번째 주장의 제법 긴 제목",
            "says": "논문의 한 문장을 다른 말로 옮긴 것입니다. " * 4,
            "place": "5.1절, 표 5",
            **{name: side(number) for name in ("paper", "later", "ours")},
        }
        for number in range(24)
    ]
    return ClaimBrowser(claims)

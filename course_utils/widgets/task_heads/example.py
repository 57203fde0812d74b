"""TaskHeads: small() with rules of thumb in place of trained heads, largest() on the course's model, and keys.

The rules look at single letters and words and are always the same. largest() is there to be looked at and timed at its
full size, a forward pass of the model for each head; what the heads say are numbers of the hidden states.
"""

from __future__ import annotations

import re

import numpy as np
import torch

from course_utils.pretrained import load_pretrained
from course_utils.widgets import TaskHeads

MOVES = (
    ("sentence", "a"),
    ("sentence", "Backspace"),
    ("second", "a"),
    ("second", "Backspace"),
    ("question", "a"),
    ("question", "Backspace"),
    ("passage", "Backspace"),
    ("passage", "a"),
)

SENTENCE = "부산에서 본 영화가 참말로 재밌더라."
SECOND = "부산에서 아주 재미있는 영화를 보았다."
QUESTION = "주민들이 우물물을 먹지 않는 까닭은 무엇인가?"
PASSAGE = (
    "솔내마을 한가운데에는 돌로 쌓은 우물이 있다. 이백 년 전 큰 가뭄이 들었을 때 떡장수 순덕이 처음 팠다고 한다. "
    "지금은 수도가 들어와 아무도 그 물을 마시지 않는다. 그래도 마을 사람들은 해마다 칠월 초이레에 모여 "
    "우물 안을 깨끗이 청소한다."
)
PIECE = re.compile(r"\w{1,2}|[^\w\s]")
DIALECTS = ("표준어", "경상", "전라", "충청", "강원", "제주")
SIGNS = {
    "경상": "데이 카이 더라 참말",
    "전라": "당께 잉 허벌",
    "충청": "유 겨",
    "강원": "드래 가주",
    "제주": "수다 우다 게",
}
PLACES = ("부산", "서울", "제주")


def classify(sentence: str) -> dict[str, dict[str, float]]:
    """A film review by one word, a dialect by its endings."""
    good = 0.93 if re.search("재밌|재미있|좋", sentence) else 0.31
    signs = [sum(sign in sentence for sign in SIGNS.get(name, "").split()) for name in DIALECTS]
    shares = np.exp(np.array(signs) + np.linspace(0.4, 0, len(DIALECTS)))
    dialects = dict(zip(DIALECTS, (shares / shares.sum()).tolist(), strict=True))
    return {"영화평": {"부정": 1 - good, "긍정": good}, "방언": dialects}


def compare(sentence: str, second: str) -> float:
    """Five times the share of the letters in common, and a little more, as a head without bounds may say."""
    one, other = set(sentence), set(second)
    return 5.2 * len(one & other) / len(one | other)


def tag(sentence: str) -> list[tuple[str, str, float]]:
    """Three places and every number."""
    found = []
    for word in re.findall(r"\w+|[^\w\s]", sentence):
        kind = "B-LC" if word.startswith(PLACES) else "B-QT" if word[0].isdigit() else "O"
        before = found[-1][1] if found else "O"
        if kind == "B-LC" and before.endswith("LC"):
            kind = "I-LC"
        found.append((word, kind, 0.98 - 0.02 * min(len(word), 20)))
    return found


def answer(question: str, passage: str) -> dict:
    """Pieces of two letters; the answer stands behind 지금은, and is given if the question asks for a reason."""
    if not re.search(r"\w", passage):
        raise ValueError("글에 읽을 단어가 없습니다.")
    places = [found.span() for found in PIECE.finditer(passage)]
    pieces = [passage[begin:end] for begin, end in places]
    first = min(pieces.index("지금") + 2 if "지금" in pieces else 0, len(pieces) - 1)
    last = min(first + 3, len(pieces) - 1)
    sure = 4.0 if "까닭" in question else -2.5
    ends = []
    for place in (first, last):
        far = np.abs(np.arange(len(pieces)) - place)
        scores = np.exp(sure - 2.5 * far) + 0.02
        ends.append(scores / (scores.sum() + 5))
    text = passage[places[first][0] : places[last][1]]
    start, end = ends
    return {"pieces": pieces, "start": start, "end": end, "span": (first, last)} | {
        "answer": text,
        "margin": sure,
        "threshold": 0.5,
    }


def small(**texts: str) -> TaskHeads:
    """The widget with what the notebook begins with, or with other texts."""
    typed = {"sentence": SENTENCE, "second": SECOND, "question": QUESTION, "passage": PASSAGE} | texts
    return TaskHeads(**typed, classify=classify, compare=compare, tag=tag, answer=answer)


def largest() -> TaskHeads:
    """Three tasks of eight labels, a sentence of 120 letters and a passage of 300, read by the course's model."""
    model, tokenizer = load_pretrained()

    @torch.no_grad()
    def read(size: int, text: str, pair: str | None = None):
        encoding = tokenizer.encode(text, pair, max_length=128)
        row = torch.tensor([encoding.input_ids])
        hidden = model.bert(row, token_type_ids=torch.tensor([encoding.token_type_ids])).last_hidden_state
        return encoding, hidden[0, :, :size]

    def classes(sentence: str) -> dict[str, dict[str, float]]:
        _, logits = read(24, sentence)
        shares = logits[0].view(3, 8).softmax(dim=-1).tolist()
        names = [f"라벨 {number}" for number in range(1, 9)]
        return {
            f"과제 {task}": dict(zip(names, row, strict=True)) for task, row in enumerate(shares, start=1)
        }

    def alike(sentence: str, second: str) -> float:
        _, logits = read(1, sentence, second)
        return 2.5 + float(logits[0, 0])

    def tags(sentence: str) -> list[tuple[str, str, float]]:
        encoding, logits = read(3, sentence)
        best = logits.softmax(dim=-1).max(dim=-1)
        names = [("O", "B-LC", "I-LC")[kind] for kind in best.indices.tolist()]
        return list(zip(encoding.tokens, names, best.values.tolist(), strict=True))[1:-1][:64]

    def span(question: str, passage: str) -> dict:
        middle = len(passage) // 2  # two windows: the model reads 128 pieces at once
        pieces, rows = [], []
        for window in (passage[:middle], passage[middle:]):
            encoding, logits = read(2, question, window)
            own = [place for place, segment in enumerate(encoding.token_type_ids) if segment][:-1]
            pieces += [encoding.tokens[place] for place in own]
            rows.append(logits[own])
        start, end = torch.cat(rows).softmax(dim=0).T
        first = int(start.argmax())
        last = first + int(end[first : first + 8].argmax())
        return {"pieces": pieces, "start": start, "end": end, "span": (first, last)} | {
            "answer": " ".join(pieces[first : last + 1]),
            "margin": float(start[first]),
            "threshold": 0.0,
        }

    sentence = "어제 오후에 부산에서 친구와 함께 본 영화가 참말로 재미있어서 집에 오는 기차에서도 내내 "
    sentence += "그 이야기를 하였고 오늘 아침에는 동생에게 꼭 보라고 하며 표를 두 장 사서 손에 쥐여 주었는데 좋아하였다"
    return TaskHeads(
        sentence[:119],
        sentence[:60] + sentence[40:99],
        QUESTION,
        (PASSAGE * 3)[:299],
        classify=classes,
        compare=alike,
        tag=tags,
        answer=span,
    )

"""LayerMixer with made-up vectors: small() in which the layers know what they should, largest(), and keys.

The lowest layer knows the letters of a word alone, the highest its sense, those between both, in parts: so two kinds of
배 are one at the bottom and two on top. Nothing is learned.
"""

from __future__ import annotations

import zlib

import numpy as np

from course_utils.widgets import LayerMixer

MOVES = (
    ("weight-0", "Home"),
    ("weight-1", "ArrowLeft"),
    ("weight-2", "PageDown"),
    ("word-0", "ArrowRight"),
    ("word-1", "ArrowRight"),
    ("mix-1", "Enter"),
    ("neighbour-0", "Enter"),
    ("mix-0", "Enter"),
)

SIZE = 16
SENTENCES = [
    ("배를 타고 섬에 갔다", "sea"),
    ("항구에서 배를 기다렸다", "sea"),
    ("파도가 높아 배가 흔들렸다", "sea"),
    ("돛을 올린 배가 바다로 나갔다", "sea"),
    ("배를 깎아 접시에 담았다", "food"),
    ("달고 시원한 배를 먹었다", "food"),
    ("사과와 배를 한 상자 샀다", "food"),
    ("시장에서 단감과 배를 골랐다", "food"),
]
MIXES = {
    "임베딩": [1, 0, 0, 0, 0],
    "끝에서 둘째 층": [0, 0, 0, 1, 0],
    "마지막 층": [0, 0, 0, 0, 1],
    "마지막 네 층의 합": [0, 1, 1, 1, 1],
    "모든 층의 합": [1, 1, 1, 1, 1],
    "배운 섞기": [0.08, 0.12, 0.2, 0.38, 0.22],
}


def _direction(name: str) -> np.ndarray:
    """A direction of its own for each name, always the same."""
    return np.random.default_rng(zlib.crc32(name.encode())).normal(size=SIZE)


def vectors_of(sentence: str, sense: str) -> np.ndarray:
    """(5, T, 16): from the word's first letter alone to its sense and its sentence."""
    rows = []
    for layer in range(5):
        high = layer / 4
        rows.append(
            [
                (1 - high) * 2 * _direction(word[0])
                + high * (1.5 * _direction(word[0]) + 1.5 * _direction(sense) + 0.6 * _direction(sentence))
                + 0.4 * _direction(f"{word}{layer}")
                for word in sentence.split()
            ]
        )
    return np.array(rows)


def accuracy(shares: np.ndarray) -> float:
    """Best where the fourth layer has the most, and the others a little."""
    ideal = np.array([0.02, 0.08, 0.2, 0.5, 0.2])
    return float(0.93 - 0.35 * np.abs(shares - ideal).sum() / 2)


def small(**start) -> LayerMixer:
    """Eight sentences, five layers, six mixes; 배 of the first sentence is looked at."""
    sentences = [sentence.split() for sentence, _ in SENTENCES]
    vectors = [vectors_of(*row) for row in SENTENCES]
    return LayerMixer(sentences, vectors, mixes=MIXES, accuracy=accuracy, **start)


def largest() -> LayerMixer:
    """1,500 words in 50 sentences, 24 layers of width 1,024, eight mixes; a ridge classifier tells the accuracy."""
    draw = np.random.default_rng(0)
    sentences = [[f"단어{number}{place}" for place in range(30)] for number in range(50)]
    vectors = [draw.normal(size=(25, 30, 1024)).astype(np.float32) for _ in sentences]
    examples, labels = draw.normal(size=(25, 500, 64)).astype(np.float32), np.eye(5)[np.arange(500) % 5]

    def ridge(shares: np.ndarray) -> float:
        mixed = np.tensordot(shares.astype(np.float32), examples, axes=1)
        known, asked = mixed[:400], mixed[400:]
        weights = np.linalg.solve(known.T @ known + np.eye(64), known.T @ labels[:400])
        return float(((asked @ weights).argmax(axis=1) == labels[400:].argmax(axis=1)).mean())

    mixes = {f"이름이 제법 긴 섞기 {number}": draw.uniform(0.1, 1, size=25).round(2) for number in range(8)}
    return LayerMixer(sentences, vectors, mixes=mixes, accuracy=ridge)

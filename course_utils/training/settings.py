"""What decides the result of a pre-training run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from course_utils.datasets.corpus import CORPUS
from course_utils.datasets.pretraining import MASK_RATE
from course_utils.support.given import real_number, shown, whole_number
from course_utils.tokenization.vocab import SPECIAL_TOKENS

PRECISIONS = ("float32", "bfloat16", "fastest")
# More than this machine has is allowed, for a run goes on with the threads that it began with, on another machine, too.
# 512 was tried and is slow; at 100,000 torch crashes.
MOST_THREADS = 256
LARGEST_SEED = 2**63 - 1  # torch takes twice as many: what is added for each process has room
GROUPS = ("the corpus", "public text but for film reviews", "film reviews")  # what shares are of
# Name: least and most (None: no bound).
WHOLE: dict[str, tuple[int, int | None]] = {
    "vocab_size": (len(SPECIAL_TOKENS) + 2, None),  # and what the text needs, see text.py
    "layers": (1, None),
    "hidden": (1, None),
    "heads": (1, None),
    "max_length": (5, None),  # [CLS] A [SEP] B [SEP]
    "positions": (1, None),
    "steps": (1, None),
    "batch_size": (1, None),
    "warmup": (0, None),
    "held_out": (0, None),
    "seed": (0, LARGEST_SEED),
    "threads": (1, MOST_THREADS),
}
REAL: dict[str, dict[str, Any]] = {
    "dropout": {"most": 1.0, "open_at": ("most",)},
    "start_std": {"open_at": ("least",)},
    "peak_rate": {},
    "weight_decay": {},
    "mask_rate": {"most": 1.0, "open_at": ("least", "most")},
    "same_homonym": {"most": 1.0},
}


@dataclass(frozen=True)
class Settings:
    """The settings of a run; it is resumed with the same ones only. HELP says what each means.

    Raises:
        ValueError: if one is out of its range, or they do not fit each other.
    """

    corpus: str = str(CORPUS)
    public: str = ""
    shares: str = ""
    vocab_file: str = ""
    start_from: str = ""
    vocab_size: int = 8000
    layers: int = 4
    hidden: int = 256
    heads: int = 4
    max_length: int = 64
    positions: int = 128
    dropout: float = 0.1
    start_std: float = 0.05
    steps: int = 10000
    batch_size: int = 64
    peak_rate: float = 1e-3
    warmup: int = 500
    weight_decay: float = 0.01
    mask_rate: float = MASK_RATE
    whole_words: bool = True
    next_sentence: bool = True
    same_homonym: float = 0.0
    held_out: int = 20
    seed: int = 0
    threads: int = 2
    precision: str = "fastest"

    def __post_init__(self) -> None:
        for name, (least, most) in WHOLE.items():
            self._hold(name, whole_number(name, getattr(self, name), least=least, most=most))
        for name, bounds in REAL.items():
            self._hold(name, real_number(name, getattr(self, name), **bounds))
        for name in ("corpus", "public", "shares", "vocab_file", "start_from"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} must be a text, got {shown(getattr(self, name))}")
        for name in ("whole_words", "next_sentence"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, got {shown(getattr(self, name))}")
        if self.hidden % self.heads:
            raise ValueError(f"hidden must be a multiple of heads, got {self.hidden} and {self.heads}")
        if self.hidden % 2:
            raise ValueError(f"hidden must be even (sine and cosine by turns), got {self.hidden}")
        if self.warmup > self.steps:
            raise ValueError(f"warmup must be at most steps, got {self.warmup} and {self.steps}")
        if self.positions < self.max_length:
            raise ValueError(
                f"positions must be at least max_length, got {self.positions} and {self.max_length}"
            )
        self.percents()
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}; got {shown(self.precision)}")

    def percents(self) -> tuple[int, ...]:
        """The shares as whole percent: of the corpus, of public text but for film reviews, of film reviews; or none."""
        found = tuple(
            int(share) if share.isdecimal() else -1 for share in self.shares.split(",") if self.shares
        )
        if found and (len(found) != len(GROUPS) or min(found) < 0 or sum(found) != 100):
            raise ValueError(
                f"shares must be {len(GROUPS)} whole numbers with 100 as their sum, such as 85,5,10; "
                f"got {shown(self.shares)}"
            )
        return found

    def _hold(self, name: str, value: float) -> None:
        """Keep a number as Python's own: a checkpoint holds the settings as JSON."""
        object.__setattr__(self, name, value)


HELP = {
    "corpus": "a text file or a folder of them, or several joined by commas: one sentence a line, documents apart by a "
    "blank line",
    "public": "names of public corpora to add, joined by commas, or 'all' (see course_utils.datasets.public)",
    "shares": "of a hundred batches, how many come from the corpus, from the public text but for film reviews, and "
    "from film reviews, such as 85,5,10; without it each text is read once an epoch",
    "vocab_file": "a vocab.txt to read with; without it one is learned from the text",
    "start_from": "a model folder whose training goes on, with its vocabulary and sizes; without it the first weights "
    "are random",
    "vocab_size": "number of pieces to learn",
    "layers": "number of encoder layers",
    "hidden": "hidden size",
    "heads": "attention heads",
    "max_length": "tokens a row at most",
    "positions": "position embeddings; more than max_length leaves room for later",
    "dropout": "everywhere, attention weights included",
    "start_std": "standard deviation of the first weights; narrow models want more than BERT's 0.02",
    "steps": "number of updates",
    "batch_size": "rows an update, of all processes together",
    "peak_rate": "highest learning rate",
    "warmup": "updates until it is reached",
    "weight_decay": "of the matrices",
    "mask_rate": "share of the words that is chosen",
    "whole_words": "choose whole words, not single pieces",
    "next_sentence": "also predict the next sentence",
    "same_homonym": "how often a wrong next sentence shares a homonym of the course with the true one, where it holds "
    "one; 0 is BERT's way",
    "held_out": "one document in so many is kept for measuring; 0 keeps none",
    "seed": "of everything that is drawn",
    "threads": "processor cores that one process computes with; another number rounds sums otherwise, so a run "
    "keeps the one it began with",
    "precision": "of the matrix products: float32; bfloat16, about twice as fast where the processor multiplies in "
    "it and very slow elsewhere; or fastest, the one that suits this processor. Parameters are float32 always",
}

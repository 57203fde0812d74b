"""Our tokenizers against `tokenizers`: ratios, not seconds.

Both sides of a ratio take turns in one process, and the median is taken, so that a busy machine disturbs both alike.
The library trains on all cores it finds, unless RAYON_NUM_THREADS says otherwise.
The text is that of the course's corpus.
"""

from __future__ import annotations

import bisect
import itertools
import statistics
import time
from collections.abc import Callable

from benchmarks import table
from course_utils.datasets.corpus import read_documents
from course_utils.tokenization import (
    BPETokenizer,
    BPETrainer,
    ByteBPETrainer,
    WordPieceTokenizer,
    WordPieceTrainer,
    fast,
)
from course_utils.tokenization.merging import MergeTrainer

CHARACTERS, MERGES, REPEAT = 200_000, 300, 5


def sample_text(characters: int) -> list[str]:
    """Sentences of the course's corpus, so many characters of them."""
    sentences = [sentence for document in read_documents() for sentence in document]
    ends = list(itertools.accumulate(map(len, sentences)))
    return sentences[: bisect.bisect(ends, characters) + 1]


def compare(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of both, run in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEAT):
        for run, seconds in zip((ours, theirs), times):
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def rows() -> list[table.Row]:
    """Training and encoding against `tokenizers`."""
    texts = sample_text(CHARACTERS)
    measured: list[table.Row] = []

    def add(
        what: str, ours: Callable[[], object], theirs: Callable[[], object], goal: str = table.NO_GOAL
    ) -> None:
        a, b = compare(ours, theirs)
        measured.append(table.Row(what, a, b, b / a, goal))

    def size(trainer: MergeTrainer) -> int:
        words = trainer.words(texts)
        return len(trainer.special_tokens) + len(trainer.alphabet(words)) + MERGES

    bpe, byte_bpe, wordpiece = BPETrainer(), ByteBPETrainer(), WordPieceTrainer(strip_accents=False)
    sizes = [size(trainer) for trainer in (bpe, byte_bpe, wordpiece)]
    add(
        "BPE training : tokenizers",
        lambda: bpe.train(texts, sizes[0]),
        lambda: fast.train_fast_bpe(texts, sizes[0]),
        "≥ 0.1",
    )
    add(
        "byte-level BPE training : tokenizers",
        lambda: byte_bpe.train(texts, sizes[1]),
        lambda: fast.train_fast_byte_bpe(texts, sizes[1]),
        "≥ 0.1",
    )
    add(
        "WordPiece training : tokenizers (by counts)",
        lambda: wordpiece.train(texts, sizes[2]),
        lambda: fast.train_fast_wordpiece(texts, sizes[2], strip_accents=False),
        "≥ 0.1",
    )
    # A tokenizer remembers words; each run gets a fresh one.
    learned, merged = (
        fast.train_fast_wordpiece(texts, sizes[2], strip_accents=False),
        bpe.train(texts, sizes[0]),
    )
    twin, merged_twin = fast.fast_wordpiece(learned), fast.fast_bpe(merged)
    add(
        "WordPiece encoding : tokenizers (batch)",
        lambda: list(map(WordPieceTokenizer(learned.vocab, strip_accents=False).encode, texts)),
        lambda: twin.encode_batch(texts),
    )
    add(
        "BPE encoding : tokenizers (batch)",
        lambda: list(map(BPETokenizer(merged.vocab, merged.merges).encode, texts)),
        lambda: merged_twin.encode_batch(texts),
    )
    return measured

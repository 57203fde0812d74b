"""Our tokenizers against `tokenizers` and against plain recounting: ratios, not seconds.

Both sides of a ratio take turns in one process, and the median is taken, so that a busy machine disturbs both alike.
The library trains on all cores it finds, unless RAYON_NUM_THREADS says otherwise.
The text is that of the course's corpus.
"""

from __future__ import annotations

import bisect
import itertools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

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


def recount(words: Iterable[tuple[Sequence[str], int]], merges: int) -> list[tuple[str, str]]:
    """The plain way to train BPE: count every pair of every word again before each merge.

    Args:
        words: (symbols, how often the word occurs). Each distinct word once: running over every occurrence, as the
            textbook loop does, takes several times as long.
        merges: how many to learn.

    Returns:
        The merges; of equally frequent pairs, the one whose symbols came first into the vocabulary.
    """
    spelled = [(list(symbols), count) for symbols, count in words]
    ids = {symbol: n for n, symbol in enumerate(sorted({symbol for word, _ in spelled for symbol in word}))}
    learned: list[tuple[str, str]] = []
    for _ in range(merges):
        pairs: Counter[tuple[str, str]] = Counter()
        for symbols, count in spelled:
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] += count
        first, second = min(pairs, key=lambda pair: (-pairs[pair], ids[pair[0]], ids[pair[1]]))
        learned.append((first, second))
        ids.setdefault(first + second, len(ids))
        for symbols, _ in spelled:
            at = 0
            while at < len(symbols) - 1:
                if symbols[at] == first and symbols[at + 1] == second:
                    symbols[at : at + 2] = [first + second]
                at += 1
    return learned


def sample_text(characters: int) -> list[str]:
    """Sentences of the course's corpus, so many characters of them."""
    sentences = [sentence for document in read_documents() for sentence in document]
    ends = list(itertools.accumulate(map(len, sentences)))
    return sentences[: bisect.bisect(ends, characters) + 1]


def compare(ours: Callable[[], object], theirs: Callable[[], object], *, repeat: int) -> tuple[float, float]:
    """Median seconds of both, run in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeat):
        for run, seconds in zip((ours, theirs), times):
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
    return statistics.median(times[0]), statistics.median(times[1])


def rows(*, characters: int = 200_000, merges: int = 300, repeat: int = 5) -> list[table.Row]:
    """Training against recounting, training and encoding against `tokenizers`."""
    texts = sample_text(characters)
    measured: list[table.Row] = []

    def add(
        what: str,
        ours: Callable[[], object],
        theirs: Callable[[], object],
        goal: str = table.NO_GOAL,
        repeat: int = repeat,
    ) -> None:
        a, b = compare(ours, theirs, repeat=repeat)
        measured.append(table.Row(what, a, b, b / a, goal))

    def size(trainer: MergeTrainer) -> int:
        words = trainer.words(texts)
        return len(trainer.special_tokens) + len(trainer.alphabet(words)) + merges

    bpe, byte_bpe, wordpiece = BPETrainer(), ByteBPETrainer(), WordPieceTrainer(strip_accents=False)
    sizes = [size(trainer) for trainer in (bpe, byte_bpe, wordpiece)]
    words = bpe.words(texts)
    add(
        "BPE training : recounting each merge",
        lambda: bpe.train(texts, sizes[0]),
        lambda: recount(words.items(), merges),
        "≥ 30",
        min(repeat, 3),  # it is slow
    )
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

"""The counts of all pairs of neighbours, kept up to date while pairs are merged.

After a merge only the places where the merged pair stood are looked at, and a heap with lazily corrected entries gives
the best pair. Recounting everything after each merge (bpe.py) finds exactly the same merges, but spends nearly all its
time on what did not change.

All words stand in one row, and every symbol knows its neighbours' places. So a merge takes the same time in a word of
three letters and in one of three hundred thousand:

    symbols   배 를 END           places of the right neighbours   1 2 …
    merged    배를 GONE END                                        2 · …
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

END, GONE = -1, -2  # in place of a symbol: behind the last one of a word; where a merge has taken one away


class PairTable:
    """A corpus as symbol ids, with the counts of all pairs of neighbours; the best pair has the highest count.

    Args:
        words: (symbol ids of a word, how often it occurs). A word never merges with its neighbour.
        min_count: a pair seen less often than this is never merged.
    """

    def __init__(self, words: Iterable[tuple[Sequence[int], int]], *, min_count: int = 1) -> None:
        self.symbols: list[int] = []
        self.times: list[int] = []  # how often the word of each place occurs
        self.counts: defaultdict[tuple[int, int], int] = defaultdict(int)
        # The places of a pair, of its first symbol; a place may still be named after it has lost the pair.
        self.where: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self.min_count = max(1, min_count)
        for symbols, count in words:
            for place, pair in enumerate(zip(symbols, symbols[1:]), start=len(self.symbols)):
                self.counts[pair] += count
                self.where[pair].append(place)
            self.symbols += [*symbols, END]
            self.times += [count] * (len(symbols) + 1)
        self._right = list(range(1, len(self.symbols) + 1))
        self._left = list(range(-1, len(self.symbols) - 1))  # −1 is the last place, too, and that is an END
        self._heap: list[tuple[Any, tuple[int, int]]] = []
        self._prepare()
        self._heap = [
            (self.key(pair), pair) for pair, count in self.counts.items() if count >= self.min_count
        ]
        heapq.heapify(self._heap)

    def _prepare(self) -> None:
        """A place for a subclass to count what its score needs, before the first pair is ranked."""

    def score(self, pair: tuple[int, int]) -> float:
        """What the pairs are ranked by, the highest first."""
        return self.counts[pair]

    def key(self, pair: tuple[int, int]) -> Any:
        """What the heap sorts by, the smallest first; the pair itself breaks the ties that are left."""
        return -self.counts[pair]

    def best(self, number: int = 1) -> list[tuple[int, int]]:
        """The best `number` pairs, best first; fewer when there are not that many."""
        heap, found = self._heap, []
        while heap and len(found) < number:
            key, pair = heap[0]
            if self.counts.get(pair, 0) < self.min_count or any(pair == known for _, known in found):
                heapq.heappop(heap)
            elif key != (now := self.key(pair)):
                heapq.heapreplace(heap, (now, pair))  # it has become worse since it was entered
            else:
                found.append(heapq.heappop(heap))
        for entry in found:
            heapq.heappush(heap, entry)
        return [pair for _, pair in found]

    def merge(self, pair: tuple[int, int], new: int) -> int:
        """Replace each occurrence of the pair by the symbol `new`, from left to right; return how many there were."""
        first, second = pair
        symbols, left, right = self.symbols, self._left, self._right
        change: defaultdict[tuple[int, int], int] = defaultdict(int)
        merged = 0
        for place in sorted(self.where.pop(pair, ())):
            taken = right[place]
            if symbols[place] != first or symbols[taken] != second:
                continue
            count = self.times[place]
            before, after = symbols[left[place]], symbols[right[taken]]
            if before != END:
                change[before, first] -= count
                change[before, new] += count
                self.where[before, new].append(left[place])
            if after != END:
                change[second, after] -= count
                change[new, after] += count
                self.where[new, after].append(place)
            change[pair] -= count
            merged += count
            symbols[place], symbols[taken] = new, GONE
            right[place] = right[taken]
            left[right[taken]] = place
        self._apply(pair, new, merged, change)
        return merged

    def _apply(
        self, pair: tuple[int, int], new: int, merged: int, change: dict[tuple[int, int], int]
    ) -> None:
        """Bring the counts up to date, and enter every pair that has become better into the heap."""
        for touched, by in change.items():
            self.counts[touched] += by
            if self.counts[touched] <= 0:
                del self.counts[touched]
            elif by > 0 and self.counts[touched] >= self.min_count:
                heapq.heappush(self._heap, (self.key(touched), touched))

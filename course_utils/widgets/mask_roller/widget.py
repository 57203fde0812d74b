"""Roll the masks of a sentence again and again: what becomes of each token, and how often it should."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import torch
import traitlets
from torch import Tensor

from course_utils.datasets.pretraining import MASK_RATE, MASKED, RANDOM
from course_utils.widgets.base import CourseWidget
from course_utils.widgets.shown import unread

LONGEST_TEXT = 60
BLOCK = 1000  # rolls that are drawn together
MOST_ROLLS = 100_000
MOST_SEED = 9999
CONTINUES = "##"
SHARES = {"masked": MASKED, "random": RANDOM, "kept": round(1 - MASKED - RANDOM, 6)}


class MaskRoller(CourseWidget):
    """Type a sentence or a pair, roll the masks, switch between single pieces and whole words; the tally counts along.

    Roll number n depends on the seed and on n alone: going back shows the same masks again.

    Args:
        sentence: what to start from, 1 to 60 characters.
        pair: the second sentence, "" for none.
        tokenizer: cuts and numbers the text, such as a course_utils.tokenization.WordPieceTokenizer.
        special: the tokens that are never chosen.
        choose_tokens: as course_utils.datasets.pretraining.choose_tokens.
        choose_words: as choose_words there.
        corrupt: as corrupt there.
        start: any of the attributes.

    Attributes:
        sentence, pair: str.
        whole_words: choose whole words instead of single pieces.
        seed: 0 to 9999.
        roll: which roll is shown, 1 to 100,000; the tally counts all rolls up to it.
    """

    name = "mask_roller"
    constants: ClassVar[dict[str, Any]] = {"most_rolls": MOST_ROLLS, "most_seed": MOST_SEED, "many": BLOCK}
    inputs = ("sentence", "pair", "whole_words", "seed", "roll")

    sentence = traitlets.Unicode().tag(sync=True)
    pair = traitlets.Unicode("").tag(sync=True)
    whole_words = traitlets.Bool(False).tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)
    roll = traitlets.Int(1).tag(sync=True)

    def __init__(
        self,
        sentence: str,
        pair: str = "",
        *,
        tokenizer: Any,
        special: Sequence[str],
        choose_tokens: Callable[..., Tensor],
        choose_words: Callable[..., Tensor],
        corrupt: Callable[..., tuple[Tensor, Tensor]],
        **start: Any,
    ) -> None:
        self._tokenizer = tokenizer
        self._special = {tokenizer.vocab[token] for token in special}
        self._functions = choose_tokens, choose_words, corrupt
        self._key: tuple[Any, ...] = ()
        self._whole_blocks: list[Tensor] = []  # counts of all rolls up to the end of each block
        self._block: tuple[int, Tensor, Tensor] | None = None  # its number, the corrupted rows, the labels
        super().__init__(sentence=sentence, pair=pair, **start)

    def draw(self) -> tuple[dict[str, Any], str]:
        """The picture's tokens and tally, and its sentence."""
        ids, segments = self._encoded()
        key = (tuple(ids.tolist()), self.whole_words, self.seed)
        if key != self._key:
            self._key, self._whole_blocks, self._block = key, [], None
        number, place = divmod(self.roll - 1, BLOCK)
        before = self._up_to_block(ids, number)
        corrupted, labels = self._draw_block(ids, number)
        counts = before + _counts(corrupted[: place + 1], labels[: place + 1], self._mask_id)
        rows = self._rows(ids, segments, corrupted[place], labels[place])
        picture = {"tokens": rows, "tally": self._tally(ids, counts), "rolls": self.roll}
        return picture, self._say(picture, counts)

    @property
    def _mask_id(self) -> int:
        return self._tokenizer.vocab["[MASK]"]

    def _encoded(self) -> tuple[Tensor, list[int]]:
        """Ids (T,) and segments of what is typed."""
        self.typed(sentence=LONGEST_TEXT)
        self.no_longer(pair=LONGEST_TEXT)
        self.within(seed=(0, MOST_SEED), roll=(1, MOST_ROLLS))
        encoding = self._tokenizer.encode(self.sentence, self.pair if self.pair.strip() else None)
        if self._special.issuperset(encoding.input_ids):
            raise self.bad("nothing")
        return torch.tensor(encoding.input_ids), encoding.token_type_ids

    def _can_choose(self, ids: Tensor) -> Tensor:
        return torch.tensor([number not in self._special for number in ids.tolist()])

    def _continues(self, ids: Tensor) -> Tensor:
        tokens = (self._tokenizer.ids_to_tokens[number] for number in ids.tolist())
        return torch.tensor([token.startswith(CONTINUES) for token in tokens])

    def _draw_block(self, ids: Tensor, number: int) -> tuple[Tensor, Tensor]:
        """BLOCK rolls at once: corrupted ids and labels, both (BLOCK, T)."""
        if self._block is not None and self._block[0] == number:
            return self._block[1:]
        choose_tokens, choose_words, corrupt = self._functions
        generator = torch.Generator().manual_seed(self.seed * (MOST_ROLLS // BLOCK) + number)
        rows = ids.expand(BLOCK, -1)
        can_choose = self._can_choose(ids).expand(BLOCK, -1)
        if self.whole_words:
            chosen = choose_words(can_choose, self._continues(ids).expand(BLOCK, -1), generator=generator)
        else:
            chosen = choose_tokens(can_choose, generator=generator)
        corrupted, labels = corrupt(
            rows,
            chosen,
            mask_id=self._mask_id,
            first_id=max(self._special) + 1,
            vocab_size=len(self._tokenizer.vocab),
            generator=generator,
        )
        self._block = (number, corrupted, labels)
        return corrupted, labels

    def _up_to_block(self, ids: Tensor, number: int) -> Tensor:
        """The counts of all rolls in the blocks before `number`."""
        for earlier in range(len(self._whole_blocks), number):
            last = self._whole_blocks[-1] if self._whole_blocks else torch.zeros(3, dtype=torch.int64)
            self._whole_blocks.append(last + _counts(*self._draw_block(ids, earlier), self._mask_id))
        return self._whole_blocks[number - 1] if number else torch.zeros(3, dtype=torch.int64)

    def _rows(
        self, ids: Tensor, segments: list[int], corrupted: Tensor, labels: Tensor
    ) -> list[dict[str, Any]]:
        name = self._tokenizer.ids_to_tokens
        rows = []
        for true, shown, label, segment in zip(ids.tolist(), corrupted.tolist(), labels.tolist(), segments):
            fate = "special" if true in self._special else "plain"
            if label >= 0:
                fate = "masked" if shown == self._mask_id else "kept" if shown == true else "random"
            row = {"shown": name[shown], "true": name[true], "fate": fate, "chosen": label >= 0}
            rows.append(row | {"continues": name[true].startswith(CONTINUES), "segment": segment})
        return rows

    def _tally(self, ids: Tensor, counts: Tensor) -> list[dict[str, Any]]:
        """A row for each share: measured, expected, and what twice its standard error is (None without a draw)."""
        can_choose = self._can_choose(ids)
        seen = int(can_choose.sum()) * self.roll
        chosen = int(counts.sum())
        rows = [_share("chosen", chosen, seen, MASK_RATE, self._spread(ids) / max(1, seen) * self.roll**0.5)]
        for count, (fate, expected) in zip(counts.tolist(), self._expected().items()):
            rows.append(_share(fate, count, chosen, expected, chosen**-0.5 if chosen else 0.0))
        return rows

    def _expected(self) -> dict[str, float]:
        """The rule's shares; one random token in K is by chance the true one, and then looks kept."""
        same = SHARES["random"] / (len(self._tokenizer.vocab) - max(self._special) - 1)
        return SHARES | {"random": SHARES["random"] - same, "kept": SHARES["kept"] + same}

    def _spread(self, ids: Tensor) -> float:
        """√(Σ size²) over what is drawn together: pieces have size 1, whole words as many as they have pieces."""
        sizes: list[int] = []
        for can, continues in zip(self._can_choose(ids).tolist(), self._continues(ids).tolist()):
            if can and continues and self.whole_words and sizes:
                sizes[-1] += 1
            elif can:
                sizes.append(1)
        return sum(size * size for size in sizes) ** 0.5

    def _say(self, picture: dict[str, Any], counts: Tensor) -> str:
        rows = picture["tokens"]
        here = {fate: sum(row["fate"] == fate for row in rows) for fate in SHARES}
        facts = {"roll": f"{self.roll:,}", "chosen": sum(here.values()), "tokens": len(rows)}
        facts["can"] = sum(row["fate"] != "special" for row in rows)
        said = [self.say("here", **facts, **here)]
        if self.roll > 1 and int(counts.sum()):
            shares = {row["name"]: f"{100 * row['share']:.1f}" for row in picture["tally"]}
            said.append(self.say("so_far", rolls=f"{self.roll:,}", **shares))
        return " ".join([*said, *unread(self._tokenizer.pieces, self.sentence, self.pair)])


def _counts(corrupted: Tensor, labels: Tensor, mask_id: int) -> Tensor:
    """How often a chosen token was masked, replaced, kept: int64 (3,)."""
    chosen = labels >= 0
    masked = chosen & (corrupted == mask_id)
    kept = chosen & (corrupted == labels)
    return torch.stack([masked.sum(), (chosen & ~masked & ~kept).sum(), kept.sum()])


def _share(name: str, count: int, of: int, expected: float, per_deviation: float) -> dict[str, Any]:
    """One line of the tally; `per_deviation`: what √(p(1−p)) is multiplied by to give the standard error."""
    error = 2 * (expected * (1 - expected)) ** 0.5 * per_deviation
    share = count / of if of else None
    return {"name": name, "count": count, "of": of, "share": share, "expected": expected, "error": error}

"""From encoded documents to batches: rows of similar length together, padding masked, reproducible from a seed.

Batch number n of a stream depends on the seed and on n alone. So a stopped run resumes with exactly the batches
it would have seen, and the ranks of a distributed run agree on every batch without communicating.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from course_utils.datasets.corpus import HOMONYMS
from course_utils.datasets.pretraining import (
    MASK_RATE,
    Ids,
    Pair,
    choose_tokens,
    choose_words,
    corrupt,
    sentence_pairs,
)
from course_utils.support.given import list_of_texts
from course_utils.tokenization.encoding import shares
from course_utils.tokenization.fast import fast_wordpiece
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.tokenization.wordpiece import CONTINUES, WordPieceTokenizer

POOL = 50  # batches' rows are sorted by length together: little padding, yet well mixed


@dataclass(frozen=True)
class Batch:
    """One step's input of BertForPreTraining, by the names of its arguments. B rows, T tokens."""

    input_ids: Tensor  # int64 (B, T)
    attention_mask: Tensor  # int64 (B, T), 1 = real, 0 = padding
    token_type_ids: Tensor  # int64 (B, T)
    labels: Tensor  # int64 (B, T), −100 where nothing is predicted
    next_sentence_label: Tensor | None  # int64 (B,); None for rows of one sentence

    def inputs(self) -> dict[str, Tensor | None]:
        """The fields as keyword arguments."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to(self, device: torch.device) -> Batch:
        """The same on a device."""
        return Batch(*(None if field is None else field.to(device) for field in self.inputs().values()))

    def part(self, rank: int, world: int) -> Batch:
        """Every world-th row, from row `rank` on: what one process of several works on."""
        return Batch(*(None if field is None else field[rank::world] for field in self.inputs().values()))


def seeded(*numbers: int) -> torch.Generator:
    """A generator whose draws are independent of those for any other numbers (seed, epoch, step, …)."""
    digest = hashlib.sha256(repr(numbers).encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8], "big", signed=True))


def batches_by_length(
    lengths: Sequence[int], batch_size: int, *, generator: torch.Generator
) -> list[list[int]]:
    """Cut the row numbers into batches of rows of similar length, in random order.

    Args:
        lengths: tokens of each row.
        batch_size: rows a batch; one batch may be smaller.
        generator: source of the order.

    Returns:
        lists of row numbers; each row stands in exactly one.
    """
    order = torch.randperm(len(lengths), generator=generator).tolist()
    pool = batch_size * POOL
    for start in range(0, len(order), pool):
        order[start : start + pool] = sorted(order[start : start + pool], key=lengths.__getitem__)
    batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    return [batches[place] for place in torch.randperm(len(batches), generator=generator).tolist()]


def pad(rows: Sequence[Ids], value: int) -> Tensor:
    """Rows of unequal length -> int64 (B, T), the shorter ones filled up with `value`."""
    length = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (length - len(row))] for row in rows])


class PretrainingBatches:
    """An endless stream of batches: `stream(n)` is number n.

    Each epoch draws its sentence pairs anew, each batch its masks.

    Args:
        documents: encoded sentences (see encode_documents).
        tokenizer: whose ids they are.
        batch_size: rows a batch.
        max_length: tokens a row at most; the longer sentence of a pair is cut first.
        whole_words: mask whole words instead of single pieces.
        mask_rate: share of the tokens that is chosen.
        same_homonym: how often a wrong next sentence shares a homonym of the course, see sentence_pairs.
        seed: decides every draw.
    """

    def __init__(
        self,
        documents: Sequence[Sequence[Ids]],
        tokenizer: WordPieceTokenizer,
        *,
        batch_size: int = 64,
        max_length: int = 64,
        whole_words: bool = True,
        mask_rate: float = MASK_RATE,
        same_homonym: float = 0.0,
        seed: int = 0,
    ) -> None:
        if not documents or not all(documents):
            raise ValueError("documents must hold at least one document, each with at least one sentence")
        if max_length < 5:  # [CLS] A [SEP] B [SEP]
            raise ValueError(f"max_length must be at least 5, got {max_length}")
        self.documents = documents
        self.batch_size = batch_size
        self.max_length = max_length
        self.whole_words = whole_words
        self.mask_rate = mask_rate
        self.same_homonym = same_homonym
        self.homonyms = [tokenizer.vocab[word] for word in HOMONYMS if word in tokenizer.vocab]
        self.seed = seed
        self.vocab_size = len(tokenizer.vocab)
        self.pad_id, self.cls_id, self.sep_id, self.mask_id = (
            tokenizer.vocab[token] for token in ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
        )
        special = [tokenizer.vocab[token] for token in SPECIAL_TOKENS]
        self.first_id = max(special) + 1
        self.is_special = torch.zeros(self.vocab_size, dtype=torch.bool)
        self.is_special[special] = True
        tokens = sorted(tokenizer.vocab, key=tokenizer.vocab.__getitem__)
        self.continues = torch.tensor([token.startswith(CONTINUES) for token in tokens])
        self._epoch: tuple[int, list[list[Pair]]] = (-1, [])
        self._epoch = (0, self._draw_epoch(0))
        self.batches_per_epoch = len(self._epoch[1])

    def __call__(self, number: int) -> Batch:
        """Batch `number`, counted from 0."""
        epoch, place = divmod(number, self.batches_per_epoch)
        if self._epoch[0] != epoch:
            self._epoch = (epoch, self._draw_epoch(epoch))
        return self._collate(self._epoch[1][place], seeded(self.seed, epoch, place))

    def _draw_epoch(self, epoch: int) -> list[list[Pair]]:
        """The batches of one epoch. Pairs and single sentences never share a batch: only pairs have a label."""
        generator = seeded(self.seed, epoch)
        pairs = sentence_pairs(
            self.documents, generator=generator, homonyms=self.homonyms, same_homonym=self.same_homonym
        )
        batches = []
        for kind in (
            [pair for pair in pairs if pair.second is not None],
            [pair for pair in pairs if pair.second is None],
        ):
            lengths = [len(pair.first) + len(pair.second or ()) for pair in kind]
            chosen = batches_by_length(lengths, self.batch_size, generator=generator)
            batches += [[kind[row] for row in rows] for rows in chosen]
        return [batches[place] for place in torch.randperm(len(batches), generator=generator).tolist()]

    def _collate(self, pairs: list[Pair], generator: torch.Generator) -> Batch:
        rows = [self._row(pair) for pair in pairs]
        input_ids = pad([ids for ids, _ in rows], self.pad_id)  # (B, T)
        segments = pad([segment for _, segment in rows], 0)
        real = pad([[1] * len(ids) for ids, _ in rows], 0)
        can_choose = ~self.is_special[input_ids]
        if self.whole_words:
            chosen = choose_words(
                can_choose, self.continues[input_ids], generator=generator, rate=self.mask_rate
            )
        else:
            chosen = choose_tokens(can_choose, generator=generator, rate=self.mask_rate)
        corrupted, labels = corrupt(
            input_ids,
            chosen,
            mask_id=self.mask_id,
            first_id=self.first_id,
            vocab_size=self.vocab_size,
            generator=generator,
        )
        answers = None if pairs[0].label is None else torch.tensor([pair.label for pair in pairs])
        return Batch(corrupted, real, segments, labels, answers)

    def _row(self, pair: Pair) -> tuple[Ids, Ids]:
        """Ids and segments of [CLS] A [SEP] or [CLS] A [SEP] B [SEP]."""
        if pair.second is None:
            ids = [self.cls_id, *pair.first[: self.max_length - 2], self.sep_id]
            return ids, [0] * len(ids)
        first, second = shares(len(pair.first), len(pair.second), self.max_length - 3)
        head = [self.cls_id, *pair.first[:first], self.sep_id]
        tail = [*pair.second[:second], self.sep_id]
        return head + tail, [0] * len(head) + [1] * len(tail)


class MixedBatches:
    """Several streams by turns: of each hundred batches so many come from each, in an order drawn anew.

    Args:
        streams: functions of a batch's number, such as PretrainingBatches.
        shares: whole percent for each stream, 100 together.
        seed: decides the order.
    """

    def __init__(
        self, streams: Sequence[Callable[[int], Batch]], shares: Sequence[int], *, seed: int = 0
    ) -> None:
        self.streams = list(streams)
        self.turns = [number for number, share in enumerate(shares) for _ in range(share)]
        self.shares = list(shares)
        self.seed = seed

    def __call__(self, number: int) -> Batch:
        """Batch `number`, counted from 0."""
        hundred, place = divmod(number, len(self.turns))
        order = torch.randperm(len(self.turns), generator=seeded(self.seed, hundred)).tolist()
        turns = [self.turns[turn] for turn in order[: place + 1]]
        chosen = turns[-1]
        return self.streams[chosen](hundred * self.shares[chosen] + turns.count(chosen) - 1)


def encode_documents(documents: Sequence[Sequence[str]], tokenizer: WordPieceTokenizer) -> list[list[Ids]]:
    """Encode every sentence without special tokens, by the tokenizer's fast twin; drop sentences without any piece."""
    documents = [list_of_texts("each document", document, least=0) for document in documents]
    sentences = [sentence for document in documents for sentence in document]
    encoded = iter(fast_wordpiece(tokenizer).encode_batch(sentences, add_special_tokens=False))
    kept = [[ids for _ in document if (ids := next(encoded).ids)] for document in documents]
    return [document for document in kept if document]

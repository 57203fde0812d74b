"""Skip-gram with negative sampling: one vector a word (Mikolov et al. 2013a, 2013b).

A centre word has to tell its neighbours (o) from K words drawn at random (n):

    loss = −log σ(v_c · u_o) − Σ_k log σ(−v_c · u_nk)          (2013b, eq. 4, with the sign turned)

v is a word's vector as a centre, u as a neighbour; only v is kept in the end. The gradient is short enough to be
written out, so no graph is built: ∂loss/∂(v·u_o) = σ(v·u_o) − 1, ∂loss/∂(v·u_n) = σ(v·u_n).

Not here: hierarchical softmax, CBOW, phrases; vectors for words never seen (subword.py).

Letters: V words, C dimensions, B pairs in a batch, K negatives, N tokens of the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.support.given import list_of_texts

NOISE_POWER = 0.75  # negatives are drawn by count^0.75 (2013b, section 2.2)
SUBSAMPLE = (
    1e-3  # words of a larger share are thinned (2013b, 2.3: 1e-5, for a text of a thousand million words)
)
RATE = (
    0.1  # at the start; falls to 0 in a straight line (the authors' code; theirs is 0.025, for far more text)
)
BATCH = 512  # pairs whose slopes are added up before a step (the authors' code: 1); never more than there are words,
# or the same few vectors would be moved by many slopes at once, too far


class UnknownWord(KeyError):
    """A word that has no vector; the message is a sentence."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class WordVectors:
    """Words and their vectors.

    Attributes:
        words: V different words, the most frequent first.
        vectors: float (V, C).
        counts: int (V,), how often each was seen.
        index: word -> row.
    """

    words: tuple[str, ...]
    vectors: Tensor
    counts: Tensor
    index: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.vectors.dim() != 2 or not len(self.words) == len(self.vectors) == len(self.counts):
            raise ValueError(
                f"expected vectors (V, C) and counts (V,) for V = {len(self.words)} words, "
                f"got {tuple(self.vectors.shape)} and {tuple(self.counts.shape)}"
            )
        object.__setattr__(self, "index", {word: row for row, word in enumerate(self.words)})

    def vector(self, word: str) -> Tensor:
        """The vector of a word: float (C,); of one that has none, UnknownWord (a KeyError)."""
        if word not in self.index:
            raise UnknownWord(f"{word!r} has no vector: it is not among the {len(self.words)} words learned")
        return self.vectors[self.index[word]]

    def nearest(
        self, word: str | Tensor, *, number: int = 10, without: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """The words whose vectors have the largest cosine with a word's, or with a vector (C,).

        Args:
            word: a word, which is then left out itself; or a vector.
            number: how many.
            without: words to leave out.

        Returns:
            (word, cosine), the largest first.
        """
        vector = self.vector(word) if isinstance(word, str) else word
        cosines = F.normalize(self.vectors, dim=-1) @ F.normalize(vector, dim=-1)  # (V,)
        left_out = [
            self.index[other] for other in (word, *without) if isinstance(other, str) and other in self.index
        ]
        cosines[left_out] = -torch.inf
        best = cosines.topk(min(number, len(self.words) - len(set(left_out))))
        return [(self.words[row], cosine) for row, cosine in zip(best.indices.tolist(), best.values.tolist())]


def negative_sampling_loss(centres: Tensor, contexts: Tensor, negatives: Tensor) -> Tensor:
    """The loss of each pair (2013b, eq. 4, with the sign turned).

    Args:
        centres: float (B, C), vectors v of the centres.
        contexts: float (B, C), vectors u of their neighbours.
        negatives: float (B, K, C), vectors u of the words drawn.

    Returns:
        float (B,).
    """
    fits = centres.dim() == 2 and negatives.dim() == 3 and centres.shape == contexts.shape
    if not fits or (negatives.shape[0], negatives.shape[2]) != tuple(centres.shape):  # (1, C) would be spread
        raise ValueError(
            "centres and contexts must be (B, C) and negatives (B, K, C), "
            f"got {tuple(centres.shape)}, {tuple(contexts.shape)} and {tuple(negatives.shape)}"
        )
    positive = (centres * contexts).sum(-1)  # (B,)
    negative = (negatives @ centres[:, :, None]).squeeze(-1)  # (B, K)
    return -F.logsigmoid(positive) - F.logsigmoid(-negative).sum(-1)


def noise_distribution(counts: Tensor) -> Tensor:
    """How probable each word is as a negative: count^0.75, made to sum to 1. (V,) -> float (V,)."""
    weights = counts.double() ** NOISE_POWER
    return weights / weights.sum()


def keep_probability(counts: Tensor, *, threshold: float = SUBSAMPLE) -> Tensor:
    """The probability that an occurrence of each word is kept: min(1, √(threshold / share)). (V,) -> float (V,)."""
    share = counts.double() / counts.sum()
    return (threshold / share).sqrt().clamp(max=1.0)


def window_pairs(tokens: Tensor, sentence: Tensor, *, window: int, generator: torch.Generator) -> Tensor:
    """Every centre with the neighbours in its window, whose reach is drawn from 1 … window for each centre.

    Args:
        tokens: int (N,), rows of words.
        sentence: int (N,), number of the sentence of each token; neighbours are of the same sentence.
        window: the longest reach.
        generator: for the reaches (the authors' code draws them, so that nearer words count more).

    Returns:
        int (P, 2): centre, neighbour.
    """
    reach = torch.randint(1, window + 1, tokens.shape, generator=generator)
    pairs = []
    for distance in range(1, min(window, len(tokens) - 1) + 1):
        left, right = tokens[:-distance], tokens[distance:]
        together = sentence[:-distance] == sentence[distance:]
        for centre, neighbour, reaches in ((left, right, reach[:-distance]), (right, left, reach[distance:])):
            near = together & (reaches >= distance)
            pairs.append(torch.stack([centre[near], neighbour[near]], dim=-1))
    return torch.cat(pairs) if pairs else tokens.new_zeros(0, 2)


def count_words(sentences: Sequence[Sequence[str]], *, min_count: int) -> tuple[tuple[str, ...], Tensor]:
    """The words seen at least min_count times, the most frequent first (ties by letters), and their counts."""
    counted = Counter(
        word for sentence in sentences for word in list_of_texts("each sentence", sentence, least=0)
    )
    kept = sorted(
        (word for word in counted if counted[word] >= min_count), key=lambda word: (-counted[word], word)
    )
    if len(kept) < 2:
        raise ValueError(
            f"at least two words must occur {min_count} times or more; {len(kept)} of {len(counted)} do"
        )
    return tuple(kept), torch.tensor([counted[word] for word in kept])


def number_words(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> tuple[Tensor, Tensor]:
    """All sentences in one row, without the unknown words: (tokens (N,), sentence (N,))."""
    index = {word: row for row, word in enumerate(words)}
    rows = [[index[word] for word in sentence if word in index] for sentence in sentences]
    tokens = torch.tensor([row for sentence in rows for row in sentence])
    lengths = torch.tensor([len(sentence) for sentence in rows])
    return tokens, torch.arange(len(rows)).repeat_interleave(lengths)


def train_skip_gram(
    sentences: Sequence[Sequence[str]],
    *,
    dimensions: int = 64,
    window: int = 5,
    negatives: int = 5,
    epochs: int = 10,
    min_count: int = 5,
    generator: torch.Generator,
    on_epoch: Callable[[int, float, WordVectors], None] | None = None,
) -> WordVectors:
    """Learn one vector a word from the company it keeps.

    Args:
        sentences: lists of words.
        dimensions: C.
        window: neighbours are at most so many words away.
        negatives: K, words drawn for every neighbour.
        epochs: how often the text is read.
        min_count: rarer words are left out, as if they were not there.
        generator: decides everything that is drawn; the same one gives the same vectors.
        on_epoch: called after each reading with its number (from 1), the mean loss of a pair in it, and the vectors
            so far (a copy).
    """
    sentences = list(sentences)  # read twice
    words, counts = count_words(sentences, min_count=min_count)

    def report(epoch: int, loss: float, table: Tensor) -> None:
        if on_epoch is not None:
            on_epoch(epoch, loss, WordVectors(words, table[:-1].clone(), counts))

    table = learn_table(
        number_words(sentences, words),
        counts,
        torch.arange(len(words))[:, None],  # each word is made of a single row, its own
        rows=len(words),
        dimensions=dimensions,
        window=window,
        negatives=negatives,
        epochs=epochs,
        rate=RATE,
        generator=generator,
        report=report,
    )
    return WordVectors(words, table[:-1].clone(), counts)


def learn_table(
    text: tuple[Tensor, Tensor],
    counts: Tensor,
    parts: Tensor,
    *,
    rows: int,
    dimensions: int,
    window: int,
    negatives: int,
    epochs: int,
    rate: float,
    generator: torch.Generator,
    report: Callable[[int, float, Tensor], None],
) -> Tensor:
    """Descend the loss over the whole text, `epochs` times. A centre's vector is the sum of its parts.

    Args:
        text: tokens and sentence numbers, as number_words returns them.
        counts: int (V,).
        parts: int (V, G), rows of the table that make up each word; R, behind the last row, is an empty place.
        rows: R.
        rate: the learning rate at the start.
        report: called after each epoch with its number, its mean loss and the table (not a copy).
        dimensions, window, negatives, epochs, generator: as train_skip_gram.

    Returns:
        float (R + 1, C), the rows of the parts and one of zeros.
    """
    tokens, sentence = text
    noise, keep = noise_distribution(counts), keep_probability(counts)
    table = torch.zeros(rows + 1, dimensions)
    table[:-1] = (torch.rand(rows, dimensions, generator=generator) - 0.5) / dimensions
    context_vectors = torch.zeros(len(counts), dimensions)
    size = min(BATCH, len(counts))
    for epoch in range(1, epochs + 1):
        kept = torch.rand(len(tokens), generator=generator, dtype=torch.float64) < keep[tokens]
        pairs = window_pairs(tokens[kept], sentence[kept], window=window, generator=generator)
        pairs = pairs[torch.randperm(len(pairs), generator=generator)]  # (P, 2)
        drawn = torch.multinomial(
            noise, max(len(pairs), 1) * negatives, replacement=True, generator=generator
        )
        drawn = drawn.view(-1, negatives)  # (P, K)
        total = 0.0
        for start in range(0, len(pairs), size):
            done = (epoch - 1 + start / len(pairs)) / epochs
            batch = slice(start, start + size)
            centres, others = parts[pairs[batch, 0]], torch.cat([pairs[batch, 1:], drawn[batch]], dim=1)
            total += step(table, context_vectors, centres, others, rate * (1 - done))
        report(epoch, total / max(len(pairs), 1), table)
    return table


def step(table: Tensor, context_vectors: Tensor, centres: Tensor, others: Tensor, rate: float) -> float:
    """One step downhill on the summed loss of a batch, in place.

    Args:
        table: float (R + 1, C), rows that centres are made of; the last one is and stays zero.
        context_vectors: float (V, C), vectors u.
        centres: int (B, G), the rows of each centre.
        others: int (B, 1 + K), the neighbour first, then the words drawn.
        rate: how far.

    Returns:
        The loss before the step.
    """
    # F.embedding, vecdot and the rate in `moves` are, for so little work, several times as fast as [], @ and alpha=.
    v = F.embedding(centres, table).sum(1)  # (B, C)
    u = F.embedding(others, context_vectors)  # (B, 1 + K, C)
    scores = torch.linalg.vecdot(u, v[:, None])  # (B, 1 + K)
    slopes = scores.sigmoid()
    slopes[:, 0] -= 1.0  # only the first is a neighbour
    scores[:, 0].neg_()
    moves = -rate * slopes[:, :, None]  # (B, 1 + K, 1)
    v_moves = (moves * u).sum(1, keepdim=True).expand(-1, centres.shape[1], -1)  # (B, G, C)
    u_moves = moves * v[:, None]  # (B, 1 + K, C)
    table.index_add_(0, centres.flatten(), v_moves.flatten(0, 1))
    context_vectors.index_add_(0, others.flatten(), u_moves.flatten(0, 1))
    table[-1] = 0.0
    return float(F.softplus(scores).sum())

"""A model's vectors of every token at every layer, computed once: what feature-based use of BERT begins with.

Nothing of the model is trained here, so its vectors of a sentence are always the same: they are computed once, kept on
the disk (feature_files.py), and read again by whatever is built on top (Devlin et al. 2019, section 5.3).

Letters: N sentences, T tokens of a sentence, W words of it, L layers, C hidden_size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from course_utils.datasets.batching import pad
from course_utils.tasks.feature_files import feature_key, stored
from course_utils.tasks.words import Place, TaggedSentence, first_pieces, places, words_of
from course_utils.tokenization import Encoding, WordPieceTokenizer

# The rows of Table 7 in Devlin et al. 2019, in its order.
COMBINATIONS = (
    *("embeddings", "second-to-last", "last"),
    *("sum of last four", "concatenation of last four", "sum of all"),
)
LAST = 4  # layers, in "last four"
BATCH = 64  # sentences at a time


@dataclass(frozen=True)
class Features:
    """The vectors of N sentences.

    Attributes:
        tokens: of each sentence, float32 (L + 1, T, C): the input of the first layer, then the output of each. Without
            padding; [CLS] and [SEP] are the first and the last. Of words="first", (L + 1, W, C): one for each word.
        first_pieces: of each sentence, for each of its W words the token that it begins with, counted among the T;
            None for a word that has none of its own (see words.first_pieces).
        words: what was asked for, None or "first".
    """

    tokens: tuple[Tensor, ...]
    first_pieces: tuple[tuple[int | None, ...], ...]
    words: str | None = None


def layer_vectors(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    sentences: Sequence[str | TaggedSentence],
    *,
    words: str | None = None,
    max_length: int | None = None,
    cache: str | Path | None = None,
) -> Features:
    """Every layer's vectors of each token of each sentence.

    Those of a sentence are the same alone and in a batch, but for the last digits of a float.

    Args:
        model: BertModel, or a class of course_utils.heads, in eval mode.
        tokenizer: the model's.
        sentences: N texts, or TaggedSentences, whose words are their own; the words of a text are those of
            words.words_of.
        words: None for all tokens; "first" keeps of each word its first piece alone, which needs much less room. A
            word without a piece of its own has zeros.
        max_length: the most tokens of a row, special ones included; what is longer is cut off at its end. None means
            as many as the model can read. To be held against a fine-tuned model, give its own.
        cache: a folder for nothing else, made if it is not there. What was computed before, with the same weights,
            vocabulary, sentences, words and max_length, is read from it; a file there that is damaged, or of other
            weights, another vocabulary or other sentences, is told in a warning and replaced. A file has
            N·T·(L + 1)·C·4 bytes.

    Raises:
        ValueError: if the model is in training mode, sentences is one text, or words another word; if cache is a folder
            of something else, which is left as it is.
        OSError: if cache cannot be written or read; if another process is at work in it.
    """
    if model.training:
        raise ValueError("the model is in training mode, where dropout draws: call model.eval()")
    if isinstance(sentences, str):
        raise ValueError("sentences must be a list of texts, got one text: put it in a list")
    if words not in (None, "first"):
        raise ValueError(f"words must be None or 'first', got {words!r}")
    bert = getattr(model, "bert", model)
    room = bert.config.max_position_embeddings if max_length is None else max_length
    texts = [_words_in(sentence) for sentence in sentences]

    def compute() -> Features:
        return _compute(bert, tokenizer, texts, words, room)

    if cache is None:
        return compute()
    key = feature_key(bert, tokenizer, texts, words, room)
    found = stored(cache, key, lambda: _flat(compute()))
    return _unflat(found, words)


def sentence_vectors(features: Features, *, how: str, layer: int) -> Tensor:
    """One vector a sentence: that of [CLS], or the mean of all its pieces, without [CLS] and [SEP].

    Args:
        features: of all tokens (words=None).
        how: "cls" or "mean"; the mean of a sentence without a piece is zeros.
        layer: 0 (the input of the first layer) … L; −1 is the last.

    Returns:
        float32 (N, C).
    """
    if features.words is not None:
        raise ValueError("features must be layer_vectors' of all tokens (words=None), got those of words")
    if how not in ("cls", "mean"):
        raise ValueError(f"how must be 'cls' or 'mean', got {how!r}")
    if how == "cls":
        return torch.stack([vectors[layer, 0] for vectors in features.tokens])
    return torch.stack(
        [vectors[layer, 1:-1].sum(0) / max(vectors.shape[1] - 2, 1) for vectors in features.tokens]
    )


def combine(vectors: Tensor, how: str) -> Tensor:
    """All layers' vectors of a token, made one: the rows of Table 7.

        "embeddings"                    h_0                    "sum of last four"              h_{L−3} + … + h_L
        "second-to-last"                h_{L−1}                "concatenation of last four"    [h_{L−3}; …; h_L]
        "last"                          h_L                    "sum of all"                    h_1 + … + h_L

    "All" are the layers, as in the paper ("all 12 layers" of BERT-base): h_0, the embeddings, is not among them. A
    model of 4 layers has no others than its last four, so there "sum of all" is "sum of last four"; with 6, they
    differ. The paper's sums are weighted, by what it does not say; here each layer counts once. probe_models.LearnedMix
    learns the weights, and h_0's as well.

    Args:
        vectors: float (L + 1, …, C), L at least 4 where the last four are asked for.
        how: one of COMBINATIONS.

    Returns:
        float (…, C); (…, 4·C) for the concatenation.

    Source: Devlin et al. 2019, Table 7.
    """
    if how not in COMBINATIONS:
        raise ValueError(f"how must be one of {', '.join(COMBINATIONS)}, got {how!r}")
    if "four" in how and len(vectors) <= LAST:
        raise ValueError(f"vectors must be of at least {LAST} layers for {how}, got {len(vectors) - 1}")
    if how == "concatenation of last four":
        return torch.cat([*vectors[-LAST:]], dim=-1)  # (…, 4·C)
    first, end = {
        "embeddings": (0, 1),
        "second-to-last": (-2, -1),
        "last": (-1, None),
        "sum of last four": (-LAST, None),
        "sum of all": (1, None),
    }[how]
    return vectors[first:end].sum(0)  # (…, C)


def _words_in(sentence: str | TaggedSentence) -> tuple[str, list[Place]]:
    """A sentence's text, and where each of its words stands in it."""
    if isinstance(sentence, str):
        return sentence, [(start, start + len(word)) for start, word in words_of(sentence)]
    return sentence.text, places(sentence)


@torch.no_grad()
def _compute(
    bert: nn.Module,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[tuple[str, list[Place]]],
    words: str | None,
    room: int,
) -> Features:
    device = next(bert.parameters()).device
    rows = [tokenizer.encode(text, max_length=room) for text, _ in texts]
    firsts = [tuple(first_pieces(row, places)) for row, (_, places) in zip(rows, texts)]
    found: list[Tensor] = [torch.empty(0)] * len(rows)
    shortest_first = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    for start in range(0, len(rows), BATCH):
        numbers = shortest_first[start : start + BATCH]
        batch = [rows[number] for number in numbers]
        ids = pad([row.input_ids for row in batch], tokenizer.vocab["[PAD]"]).to(device)  # (B, T)
        real = pad([row.attention_mask for row in batch], 0).to(device)
        states = torch.stack(bert(ids, real).hidden_states, dim=1).float().cpu()  # (B, L + 1, T, C)
        for vectors, number in zip(states, numbers):
            found[number] = _kept(vectors, rows[number], firsts[number], words)
    return Features(tuple(found), tuple(firsts), words)


def _kept(vectors: Tensor, row: Encoding, firsts: Sequence[int | None], words: str | None) -> Tensor:
    """Of a padded row (L + 1, T, C), what is asked for, as a copy that does not hold the batch in memory."""
    if words is None:
        return vectors[:, : len(row)].clone()
    chosen = vectors[:, [place or 0 for place in firsts]]  # (L + 1, W, C)
    chosen[:, [place is None for place in firsts]] = 0.0
    return chosen


def _flat(features: Features) -> dict[str, Tensor]:
    """As four tensors: the vectors of all sentences one behind the other, and what is needed to part them again."""
    return {
        "vectors": torch.cat(features.tokens, dim=1),  # (L + 1, sum of T, C)
        "lengths": torch.tensor([vectors.shape[1] for vectors in features.tokens]),  # (N,)
        "words": torch.tensor([len(firsts) for firsts in features.first_pieces]),  # (N,)
        "first_pieces": torch.tensor(
            [-1 if place is None else place for firsts in features.first_pieces for place in firsts],
            dtype=torch.int64,
        ),  # (sum of W,)
    }


def _unflat(flat: dict[str, Tensor], words: str | None) -> Features:
    places = iter(flat["first_pieces"].tolist())
    return Features(
        flat["vectors"].split(flat["lengths"].tolist(), dim=1),
        tuple(
            tuple(None if (place := next(places)) < 0 else place for _ in range(count))
            for count in flat["words"].tolist()
        ),
        words,
    )

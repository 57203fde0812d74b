"""The vectors that a BERT has for a word in its sentence, layer by layer.

Letters: N sentences, L layers, C hidden_size.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from course_utils.contextual.words import WordNotFound, find_word
from course_utils.support.given import composed, list_of_texts
from course_utils.tokenization import WordPieceTokenizer

BATCH = 64  # sentences at a time


def word_vectors(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    sentence: str,
    word: str,
    *,
    layer: int | None = None,
    occurrence: int = 0,
) -> Tensor:
    """The vectors of a word in its sentence: the mean over the word's pieces, without those of its particles.

    Args:
        model: BertModel, or a class of course_utils.heads, in eval mode.
        tokenizer: the model's.
        sentence: must hold the word by itself or with particles (see words.py).
        word: a noun, such as 배.
        layer: from 0 to L, which one alone is wanted, float (C,); None means all.
        occurrence: which one, from 0, where it stands more than once.

    Returns:
        float (L + 1, C): the input of the first layer, then the output of each. WordNotFound if the word does not stand
        there by itself, or is part of an [UNK].
    """
    return encode_words(model, tokenizer, [sentence], word, layer=layer, occurrence=occurrence)[0]


@torch.no_grad()
def encode_words(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    sentences: Sequence[str],
    word: str,
    *,
    layer: int | None = None,
    occurrence: int = 0,
    masked: bool = False,
) -> Tensor:
    """`word_vectors` of many sentences at once.

    Args:
        model, tokenizer, word, layer, occurrence: as there.
        sentences: N of them.
        masked: put one [MASK] in the place of the word. Its vector then holds nothing but the context.

    Returns:
        float (N, L + 1, C).
    """
    if model.training:
        raise ValueError(
            "the model is in training mode, where dropout draws other vectors each time: call model.eval()"
        )
    sentences = list_of_texts("sentences", sentences)
    wanted = slice(None) if layer is None else checked_layer(model, layer)
    bert = getattr(model, "bert", model)
    device = next(bert.parameters()).device
    rows = [_locate(bert, tokenizer, sentence, word, occurrence, masked) for sentence in sentences]
    order = sorted(range(len(rows)), key=lambda number: len(rows[number][0]))
    vectors: dict[int, Tensor] = {}
    for start in range(0, len(order), BATCH):
        numbers = order[start : start + BATCH]
        length = max(len(rows[number][0]) for number in numbers)
        ids = torch.tensor([_padded(rows[number][0], length, tokenizer) for number in numbers], device=device)
        real = torch.tensor(
            [[1] * len(rows[n][0]) + [0] * (length - len(rows[n][0])) for n in numbers], device=device
        )  # (B, T), as ids
        states = torch.stack(bert(ids, real).hidden_states, dim=1)  # (B, L + 1, T, C)
        for row, number in enumerate(numbers):
            vectors[number] = states[row][:, rows[number][1]].mean(1)  # (L + 1, C)
    return torch.stack([vectors[number][wanted] for number in range(len(rows))])


def checked_layer(model: nn.Module, layer: int) -> int:
    """The number of a layer that the model has: 0 is what goes into the first."""
    layers = getattr(model, "bert", model).config.num_hidden_layers
    if layer not in range(layers + 1):
        raise ValueError(f"layer must lie in 0 … {layers}, got {layer}")
    return layer


def _padded(ids: list[int], length: int, tokenizer: WordPieceTokenizer) -> list[int]:
    return ids + [tokenizer.vocab["[PAD]"]] * (length - len(ids))


def _locate(
    bert: nn.Module, tokenizer: WordPieceTokenizer, sentence: str, word: str, occurrence: int, masked: bool
) -> tuple[list[int], list[int]]:
    """The ids of a sentence, and the places of the word's pieces among them.

    A piece belongs to the word if it covers any of its characters; 배를 does, where the vocabulary has it whole.
    """
    word, sentence = composed(word), composed(sentence)
    start, end = find_word(sentence, word, occurrence=occurrence)
    room = bert.config.max_position_embeddings
    encoding = tokenizer.encode(sentence, max_length=room)
    places = [place for place, (begin, stop) in enumerate(encoding.offsets) if begin < end and stop > start]
    if not places:
        raise ValueError(
            f"the model reads {room} tokens, and {word} stands behind them: shorten the sentence"
        )
    ids = list(encoding.input_ids)
    unread = [place for place in places if encoding.tokens[place] == "[UNK]"]
    if unread and not masked:
        begin, stop = encoding.offsets[unread[0]]
        raise WordNotFound("unread", word=word, sentence=sentence, inside=sentence[begin:stop])
    if masked:
        ids[places[0] : places[-1] + 1] = [tokenizer.vocab["[MASK]"]]
        places = places[:1]
    return ids, places

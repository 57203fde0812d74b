"""One sentence on its whole way through a BERT: pieces, layers, and what fills a piece that is hidden."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F

from course_utils.heads import BertForPreTraining
from course_utils.tokenization import WordPieceTokenizer

MASK = "[MASK]"


class Glance(NamedTuple):
    """What a model made of a sentence. Letters: T tokens, L layers."""

    tokens: list[str]  # T of them, [CLS] … [SEP], as the model read them
    ids: list[int]
    turned: list[list[float]]  # (L + 1, T): cosine of each layer's vector with the embedding at its place
    asked: int  # the place of the [MASK] that `fills` are for, 0 where there is none
    fills: list[tuple[str, float]]  # the likeliest pieces there with their probabilities, best first


@torch.no_grad()
def at_a_glance(
    model: BertForPreTraining, tokenizer: WordPieceTokenizer, sentence: str, hide: int = 0, *, best: int = 5
) -> Glance:
    """Read a sentence, one token of it hidden behind [MASK], and see what comes of it.

    Args:
        model: in eval mode.
        tokenizer: the model's.
        sentence: may hold [MASK] itself; then the first one is asked for, unless a token is hidden.
        hide: the token's place, 1 … T − 2; at another place nothing is hidden.
        best: how many fills are wanted.
    """
    encoding = tokenizer.encode(sentence, max_length=model.bert.config.max_position_embeddings)
    tokens, ids = list(encoding.tokens), list(encoding.input_ids)
    asked = tokens.index(MASK) if MASK in tokens else 0
    if 0 < hide < len(tokens) - 1:
        asked, tokens[hide], ids[hide] = hide, MASK, tokenizer.vocab[MASK]
    encoded = model.bert(torch.tensor([ids]))
    states = torch.cat(encoded.hidden_states)  # (L + 1, T, C)
    turned = F.cosine_similarity(states, states[:1], dim=-1)  # (L + 1, T)
    fills: list[tuple[str, float]] = []
    if asked:
        logits = model.mlm(states[-1, asked], model.bert.embeddings.token.weight)  # (V,)
        shares, pieces = logits.softmax(-1).topk(best)
        fills = [(tokenizer.ids_to_tokens[i], p) for i, p in zip(pieces.tolist(), shares.tolist())]
    return Glance(tokens, ids, turned.tolist(), asked, fills)

"""Right answers to the exercises of notebook 21, in forms that learners write."""

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def my_attention(query, key, value, mask=None):
    """As in the notebook."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def query_by_loop(query, key, value, allowed):
    scores = [
        sum(q * k for q, k in zip(query, one)) / math.sqrt(len(query)) if may else None
        for one, may in zip(key, allowed.tolist())
    ]
    largest = max(score.item() for score in scores if score is not None)
    powers = [torch.exp(score - largest) if score is not None else 0.0 for score in scores]
    total = sum(powers)
    return sum(power / total * one for power, one in zip(powers, value))


def query_of_the_allowed(query, key, value, allowed):
    """The others are left out from the start."""
    key, value = key[allowed], value[allowed]
    return torch.softmax(key @ query * len(query) ** -0.5, 0) @ value


def query_by_addition(query, key, value, allowed):
    penalty = torch.where(allowed, 0.0, -torch.inf).to(key.dtype)
    return torch.einsum(
        "t,tv->v", F.softmax(torch.mv(key, query) / query.shape[0] ** 0.5 + penalty, dim=0), value
    )


def query_renormalised(query, key, value, allowed):
    """Afterwards, but then divided by what is left."""
    scores = key @ query / math.sqrt(len(query))
    scores = scores - scores[allowed].max()
    powers = torch.where(allowed, scores, torch.full_like(scores, -1e9)).exp()
    return (powers / powers.sum()) @ value


def embed_by_module(input_ids, token_type_ids, token, segment, position, gain, bias, eps):
    places = torch.arange(input_ids.shape[1]).expand_as(input_ids)
    added = (
        F.embedding(input_ids, token) + F.embedding(token_type_ids, segment) + F.embedding(places, position)
    )
    return F.layer_norm(added, (len(gain),), gain, bias, eps)


def embed_by_loop(input_ids, token_type_ids, token, segment, position, gain, bias, eps):
    sentences = []
    for ids, types in zip(input_ids.tolist(), token_type_ids.tolist()):
        rows = []
        for place, (number, kind) in enumerate(zip(ids, types)):
            x = token[number] + segment[kind] + position[place]
            mean = sum(x) / len(x)
            variance = sum((one - mean) ** 2 for one in x) / len(x)
            rows.append((x - mean) / torch.sqrt(variance + eps) * gain + bias)
        sentences.append(torch.stack(rows))
    return torch.stack(sentences)


def embed_by_mean_of_squares(input_ids, token_type_ids, token, segment, position, gain, bias, eps):
    x = token[input_ids] + segment[token_type_ids] + position[: input_ids.size(1)]
    x = x - x.mean(-1, keepdim=True)
    return x / (x.pow(2).mean(-1, keepdim=True) + eps) ** 0.5 * gain + bias


def embed_by_difference_of_squares(input_ids, token_type_ids, token, segment, position, gain, bias, eps):
    """E[x²] − E[x]²."""
    x = token[input_ids] + segment[token_type_ids] + position[: input_ids.shape[1]]
    mean = x.mean(-1, keepdim=True)
    variance = (x**2).mean(-1, keepdim=True) - mean**2
    return (x - mean) / torch.sqrt(variance + eps) * gain + bias


def embed_by_one_hot(input_ids, token_type_ids, token, segment, position, gain, bias, eps):
    x = F.one_hot(input_ids, len(token)).to(token.dtype) @ token
    x = x + segment.index_select(0, token_type_ids.flatten()).view_as(x) + position[None, : x.shape[1]]
    centred = x - x.mean(dim=2, keepdim=True)
    return torch.addcmul(
        bias, gain.expand_as(x), centred * torch.rsqrt(x.var(2, unbiased=False, keepdim=True) + eps)
    )


def embed_by_var_mean(input_ids, token_type_ids, token, segment, position, gain, bias, eps):
    x = token[input_ids] + torch.where(token_type_ids[..., None] == 1, segment[1], segment[0])
    x = x + position.narrow(0, 0, x.shape[1])
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return gain * ((x - mean) / torch.sqrt(variance + eps)) + bias


def embed_as_in_the_notebook(input_ids, token_type_ids, token, segment, position, gain, bias, eps):
    """nn.LayerNorm, called with the given gain and bias."""
    added = token[input_ids] + segment[token_type_ids] + position[torch.arange(input_ids.shape[1])]
    norm = nn.LayerNorm(added.shape[-1], eps=eps)
    return torch.func.functional_call(norm, {"weight": gain, "bias": bias}, (added,))


def heads_as_in_the_notebook(hidden, w_query, w_key, w_value, w_output, num_heads, attention_mask):
    def split(hidden):
        return hidden.unflatten(-1, (num_heads, -1)).transpose(1, 2)

    query, key, value = (split(hidden @ w) for w in (w_query, w_key, w_value))
    context, _ = my_attention(query, key, value, attention_mask.bool()[:, None, None])
    return context.transpose(1, 2).flatten(2) @ w_output


def heads_by_loop(hidden, w_query, w_key, w_value, w_output, num_heads, attention_mask):
    size = hidden.shape[-1] // num_heads
    pieces = []
    for head in range(num_heads):
        own = slice(head * size, (head + 1) * size)
        query, key, value = hidden @ w_query[:, own], hidden @ w_key[:, own], hidden @ w_value[:, own]
        scores = query @ key.transpose(1, 2) / math.sqrt(size)
        scores = scores.masked_fill(attention_mask[:, None] == 0, float("-inf"))
        pieces.append(F.softmax(scores, dim=-1) @ value)
    return torch.cat(pieces, dim=-1) @ w_output


def heads_by_einsum(hidden, w_query, w_key, w_value, w_output, num_heads, attention_mask):
    batch, length, width = hidden.shape
    query, key, value = (
        torch.einsum("btc,cd->btd", hidden, w).view(batch, length, num_heads, -1)
        for w in (w_query, w_key, w_value)
    )
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) * (width // num_heads) ** -0.5
    scores = scores + torch.where(attention_mask == 1, 0.0, -torch.inf).to(hidden.dtype)[:, None, None, :]
    context = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), value)
    return context.reshape(batch, length, width) @ w_output


def heads_sentence_by_sentence(hidden, w_query, w_key, w_value, w_output, num_heads, attention_mask):
    rows = []
    for sentence, mask in zip(hidden, attention_mask.bool()):
        query, key, value = (
            torch.stack((sentence @ w).chunk(num_heads, -1)) for w in (w_query, w_key, w_value)
        )
        key, value = key[:, mask], value[:, mask]  # padding is left out from the start
        weights = torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, -1)
        rows.append(torch.cat(list(weights @ value), -1) @ w_output)
    return torch.stack(rows)


def heads_summed(hidden, w_query, w_key, w_value, w_output, num_heads, attention_mask):
    """Each head through its own rows of w_output; what it brings is added up."""
    size = hidden.shape[-1] // num_heads
    total = torch.zeros_like(hidden)
    for q, k, v, o in zip(
        w_query.split(size, 1), w_key.split(size, 1), w_value.split(size, 1), w_output.split(size, 0)
    ):
        context, _ = my_attention(hidden @ q, hidden @ k, hidden @ v, attention_mask[:, None] > 0)
        total = total + context @ o
    return total


def heads_in_one_batch(hidden, w_query, w_key, w_value, w_output, num_heads, attention_mask):
    batch, length, width = hidden.shape
    joined = hidden @ torch.cat([w_query, w_key, w_value], dim=1)
    query, key, value = joined.view(batch, length, 3, num_heads, -1).permute(2, 0, 3, 1, 4).flatten(1, 2)
    hidden_keys = (attention_mask == 0).repeat_interleave(num_heads, dim=0)[:, None]
    scores = torch.bmm(query / math.sqrt(width / num_heads), key.transpose(1, 2))
    weights = torch.where(hidden_keys, torch.finfo(scores.dtype).min, scores).softmax(-1)
    context = torch.bmm(weights, value).unflatten(0, (batch, num_heads))
    return context.permute(0, 2, 1, 3).reshape(batch, length, width) @ w_output


RIGHT = {
    "21.1": {
        "notebook": lambda query, key, value, allowed: my_attention(query[None], key, value, allowed)[0][0],
        "loop": query_by_loop,
        "allowed only": query_of_the_allowed,
        "added": query_by_addition,
        "divided afterwards": query_renormalised,
        "column": lambda query, key, value, allowed: (
            ((key * query).sum(-1, keepdim=True) / np.sqrt(len(query)))
            .masked_fill(~allowed[:, None], float("-inf"))
            .softmax(0)
            .mul(value)
            .sum(0)
        ),
    },
    "21.2": {
        "module": embed_by_module,
        "loop": embed_by_loop,
        "mean of squares": embed_by_mean_of_squares,
        "difference of squares": embed_by_difference_of_squares,
        "one-hot": embed_by_one_hot,
        "var_mean": embed_by_var_mean,
        "notebook": embed_as_in_the_notebook,
    },
    "21.3": {
        "notebook": heads_as_in_the_notebook,
        "loop": heads_by_loop,
        "einsum": heads_by_einsum,
        "sentences": heads_sentence_by_sentence,
        "summed": heads_summed,
        "one batch": heads_in_one_batch,
    },
}

"""Sequence to sequence: the Transformer and what is done with it."""

from __future__ import annotations

import torch

from course_utils import seq2seq
from tests.faults.registry import case
from tests.faults.strategies import generator

SIZES = {
    "source_vocab_size": 7,
    "target_vocab_size": 5,
    "hidden_size": 6,
    "num_heads": 3,
    "num_layers": 1,
    "intermediate_size": 7,
    "dropout": 0.1,
    "pad_token_id": 0,
}


def ids() -> dict[str, torch.Tensor]:
    return {
        "source_ids": torch.tensor([[1, 5, 6], [3, 0, 0]]),
        "target_ids": torch.tensor([[1, 3], [1, 0]]),
    }


def model() -> seq2seq.Transformer:
    return seq2seq.Transformer(**SIZES, generator=generator()).eval()


case(
    seq2seq.Transformer,
    lambda: SIZES | ids(),
    call=lambda source_ids, target_ids, **sizes: seq2seq.Transformer(**sizes)(source_ids, target_ids),
    also=(seq2seq.Transformer.forward,),
)
case(
    seq2seq.Transformer,
    lambda: ids() | {"last_ids": torch.tensor([1, 3])},
    call=lambda source_ids, target_ids, last_ids: (
        model().attend(source_ids, target_ids),
        model().step(last_ids, model().encode(source_ids)),
    ),
    also=(seq2seq.Transformer.attend, seq2seq.Transformer.encode, seq2seq.Transformer.step),
    part="#step",
)

"""Sequence to sequence: the Transformer and what is done with it."""

from __future__ import annotations

import torch

from course_utils import seq2seq
from course_utils.config import BertConfig
from course_utils.seq2seq.decoder import Decoder, DecoderLayer
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
CONFIG = BertConfig(
    hidden_size=6, num_hidden_layers=1, num_attention_heads=3, intermediate_size=7, hidden_act="relu"
)


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
for part in (Decoder, DecoderLayer):
    case(
        part,
        lambda: {
            "hidden_states": torch.randn(2, 3, 6),
            "encoded": torch.randn(2, 5, 6),
            "mask": torch.ones(3, 3).tril().bool(),
            "source_mask": torch.ones(2, 1, 1, 5, dtype=torch.bool),
        },
        call=lambda part=part, **given: part(CONFIG)(**given),
        also=(part.forward,),
    )


def search(**more) -> dict:
    return {
        "model": lambda source_ids, target_ids: torch.randn(*target_ids.shape, 5),
        "source_ids": ids()["source_ids"],
        **more,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "max_length": 3,
    }


BEAM = {"beam_size": 2, "length_penalty": 0.6}
case(seq2seq.greedy_search, search)
case(seq2seq.greedy_search, lambda: search() | {"model": model()}, part="#transformer")
case(seq2seq.beam_search, lambda: search(**BEAM))
case(seq2seq.beam_search, lambda: search(**BEAM) | {"model": model()}, part="#transformer")
case(
    seq2seq.beam_steps,
    lambda: search(**BEAM),
    call=lambda model, source_ids, **given: list(seq2seq.beam_steps(model, source_ids, **given)),
)
case(seq2seq.penalised_score, lambda: {"log_probability": -2.5, "length": 7, "length_penalty": 0.6})
case(
    seq2seq.smoothed_cross_entropy,
    lambda: {
        "logits": torch.randn(2, 3, 5),
        "targets": torch.tensor([[1, 3, 4], [2, 0, 0]]),
        "smoothing": 0.1,
        "ignore_index": 0,
    },
)
case(
    seq2seq.average_state_dicts,
    lambda: {"state_dicts": [{"weight": torch.randn(2, 3), "count": torch.tensor(n)} for n in range(3)]},
)

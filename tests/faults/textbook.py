"""The textbook: attention, masks, positions, activations, layers, BERT and its heads."""

from __future__ import annotations

import torch

from course_utils import activations, before, encoder, heads
from course_utils.attention import MultiHeadAttention, attention_weights, scaled_dot_product_attention
from course_utils.before.costs import longest_chain, saved_bytes
from course_utils.bert import BertModel, Pooler
from course_utils.config import BertConfig
from course_utils.embeddings import BertEmbeddings
from course_utils.initialization import init_weights
from course_utils.layer_norm import layer_norm
from course_utils.masks import causal_mask, combine_masks, padding_mask
from course_utils.positional import LearnedPositionEmbedding, sinusoidal_encoding
from tests.faults.registry import case

CONFIG = BertConfig(
    vocab_size=17,
    hidden_size=6,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=7,
    max_position_embeddings=11,
)
IDS = [[2, 5, 16], [7, 3, 0]]


def three() -> dict:
    """query, key and value, and a mask."""
    mask = torch.tensor([[True, False, True, True, True], [False] * 5, [True] * 5])
    return {
        "query": torch.randn(2, 3, 6),
        "key": torch.randn(2, 5, 6),
        "value": torch.randn(2, 5, 6),
        "mask": mask,
    }


def hidden() -> dict:
    return {"hidden_states": torch.randn(2, 3, 6), "mask": torch.tensor(IDS)[:, None, None, :] > 0}


def inputs() -> dict:
    ids = torch.tensor(IDS)
    return {
        "input_ids": ids,
        "attention_mask": (ids > 0).long(),
        "token_type_ids": ids % 2,
        "output_attentions": True,
    }


def fields() -> dict:
    return {name: getattr(CONFIG, name) for name in CONFIG.__dataclass_fields__}


case(scaled_dot_product_attention, three)
case(attention_weights, lambda: {name: value for name, value in three().items() if name != "value"})
case(
    MultiHeadAttention,
    lambda: {"hidden_size": 6, "num_heads": 3, "dropout": 0.1, **three()},
    call=lambda hidden_size, num_heads, dropout, **given: MultiHeadAttention(
        hidden_size, num_heads, dropout=dropout
    )(**given),
    also=(MultiHeadAttention.forward,),
)
case(padding_mask, lambda: {"input_ids": torch.tensor(IDS), "pad_token_id": 0})
case(causal_mask, lambda: {"length": 5})
case(
    combine_masks,
    lambda: {"first": three()["mask"], "second": torch.tensor(True), "third": None},
    call=lambda **masks: combine_masks(*masks.values()),
)
case(sinusoidal_encoding, lambda: {"length": 5, "hidden_size": 7})
case(
    LearnedPositionEmbedding,
    lambda: {"max_length": 5, "hidden_size": 7, "length": 3},
    call=lambda length, **sizes: LearnedPositionEmbedding(**sizes)(length),
    also=(LearnedPositionEmbedding.forward,),
)
for name in ("gelu", "gelu_tanh", "relu"):
    case(getattr(activations, name), lambda: {"x": torch.randn(2, 3)})
    case(getattr(activations, f"{name}_derivative"), lambda: {"x": torch.randn(2, 3)})
case(
    layer_norm,
    lambda: {"x": torch.randn(2, 3, 5), "weight": torch.ones(5), "bias": torch.zeros(5), "eps": 1e-12},
)
case(
    init_weights,
    lambda: {"std": 0.02},
    call=lambda std: init_weights(Pooler(CONFIG), std=std),
)
case(BertConfig, fields)
case(
    BertEmbeddings,
    lambda: {"input_ids": torch.tensor(IDS), "token_type_ids": torch.tensor(IDS) % 2},
    call=lambda **given: BertEmbeddings(CONFIG)(**given),
    also=(BertEmbeddings.forward,),
)
for layers in (encoder.EncoderLayer, encoder.PreLNEncoderLayer, encoder.Encoder, encoder.PreLNEncoder):
    case(layers, hidden, call=lambda layers=layers, **given: layers(CONFIG)(**given), also=(layers.forward,))
for part in (encoder.FeedForward, Pooler):
    case(
        part,
        lambda: {"hidden_states": torch.randn(2, 3, 6)},
        call=lambda part=part, **given: part(CONFIG)(**given),
        also=(part.forward,),
    )
case(BertModel, inputs, call=lambda **given: BertModel(CONFIG)(**given), also=(BertModel.forward,))
LABELS = {
    heads.BertForMaskedLM: {"labels": torch.tensor([[-100, 5, -100], [-100, -100, -100]])},
    heads.BertForNextSentencePrediction: {"next_sentence_label": torch.tensor([0, 1])},
    heads.BertForPreTraining: {
        "labels": torch.tensor([[-100, 5, -100], [-100, 7, -100]]),
        "next_sentence_label": torch.tensor([0, 1]),
    },
    heads.BertForSequenceClassification: {"labels": torch.tensor([0, 1])},
    heads.BertForTokenClassification: {"labels": torch.tensor([[0, 1, -100], [1, 1, 0]])},
    heads.BertForQuestionAnswering: {
        "start_positions": torch.tensor([0, 1]),
        "end_positions": torch.tensor([1, 2]),
    },
}
for model, labels in LABELS.items():
    case(
        model,
        lambda labels=labels: inputs() | {name: label.clone() for name, label in labels.items()},
        call=lambda model=model, **given: model(CONFIG)(**given),
        also=(model.forward,),
    )
case(
    heads.BertForMultipleChoice,
    lambda: (
        {name: rows[None] for name, rows in inputs().items() if name != "output_attentions"}
        | {"output_attentions": True, "labels": torch.tensor([1])}
    ),
    call=lambda **given: heads.BertForMultipleChoice(CONFIG)(**given),
    also=(heads.BertForMultipleChoice.forward,),
)
case(
    heads.BertForSequenceClassification,
    lambda: inputs() | {"labels": torch.tensor([0.5, 3.7])},
    call=lambda **given: heads.BertForSequenceClassification(CONFIG, 1)(**given),
    also=(heads.BertForSequenceClassification.forward,),
    part="#number",
)
case(
    heads.BertForSequenceClassification,
    lambda: {"num_labels": 3},
    call=lambda num_labels: heads.BertForSequenceClassification(CONFIG, num_labels),
    part="#num_labels",
)
case(
    heads.MaskedLMHead,
    lambda: {"hidden_states": torch.randn(2, 3, 6), "token_embedding": torch.randn(17, 6)},
    call=lambda **given: heads.MaskedLMHead(CONFIG)(**given),
    also=(heads.MaskedLMHead.forward,),
)


# What came before: three encoder–decoders, called alike.
def sentences() -> dict:
    return {"source_ids": torch.tensor(IDS), "target_ids": torch.tensor([[1, 5, 2], [1, 2, 0]])}


for model in (before.GRUSeq2Seq, before.AttentionSeq2Seq, before.ConvSeq2Seq):
    case(
        model,
        sentences,
        call=lambda model=model, **given: model(17, 13, hidden_size=6)(**given),
        also=(model.forward,),
    )
    case(
        model,
        lambda: {
            "source_vocab_size": 17,
            "target_vocab_size": 13,
            "hidden_size": 6,
            "dropout": 0.1,
            "pad_token_id": 0,
        },
        part="#sizes",
    )
case(
    before.ConvSeq2Seq,
    lambda: {"num_layers": 2, "window": 3, "max_length": 11},
    call=lambda **sizes: before.ConvSeq2Seq(17, 13, hidden_size=6, **sizes),
    part="#window",
)
case(
    before.GRU,
    lambda: {
        "input_size": 6,
        "hidden_size": 5,
        "inputs": torch.randn(2, 3, 6),
        "state": torch.randn(2, 5),
        "real": torch.tensor(IDS) > 0,
    },
    call=lambda input_size, hidden_size, **given: before.GRU(input_size, hidden_size)(**given),
    also=(before.GRU.forward,),
)
case(
    before.AdditiveAttention,
    lambda: {"hidden_size": 6, **three(), "mask": torch.tensor([True, True, False, True, True])},
    call=lambda hidden_size, **given: before.AdditiveAttention(hidden_size)(**given),
    also=(before.AdditiveAttention.forward,),
)
case(before.glu, lambda: {"x": torch.randn(2, 3, 6)})
case(
    before.GatedConvolution,
    lambda: {"hidden_size": 6, "window": 3, "before": 2, "keep": 0.9, "hidden_states": torch.randn(2, 5, 6)},
    call=lambda hidden_states, hidden_size, window, **given: before.GatedConvolution(
        hidden_size, window, **given
    )(hidden_states),
    also=(before.GatedConvolution.forward,),
)
case(
    longest_chain,
    lambda: {"output": torch.ones(3)},
    call=lambda output: longest_chain(
        output * torch.ones(1, requires_grad=True) if isinstance(output, torch.Tensor) else output
    ),
)
case(
    saved_bytes,
    lambda: {"model": before.GRUSeq2Seq(17, 13, hidden_size=6), **sentences()},
    call=lambda model, **given: saved_bytes(model, *given.values()),
    also=(before.GRUSeq2Seq.forward,),
)

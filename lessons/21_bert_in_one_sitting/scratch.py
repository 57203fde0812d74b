"""What notebook 21 builds by hand: attention, the block, the embeddings, and BERT with its two heads."""

import torch
from torch import nn

from course_utils.attention import MultiHeadAttention
from course_utils.bert import BertModel
from course_utils.heads import BertForPreTraining
from tests.scratch.registry import Scratch, config

NOTEBOOK = "21_bert_in_one_sitting"
HERE = f"lessons.{NOTEBOOK}.scratch"


class SelfAttention(MultiHeadAttention):
    """The package's, with query, key and value from one tensor."""

    def forward(self, hidden, mask=None):
        return super().forward(hidden, hidden, hidden, mask)


class Bert(BertModel):
    """The package's, returning what the notebook's returns."""

    def forward(self, *given):
        out = super().forward(*given, output_attentions=True)
        return out.hidden_states, out.pooler_output, out.attentions


class PreTraining(BertForPreTraining):
    """The package's, returning what the notebook's returns."""

    def forward(self, *given):
        out = super().forward(*given, output_attentions=True)
        return out.prediction_logits, out.seq_relationship_logits, out.hidden_states, out.attentions


def attention_cases(generator):
    for shape, wide, dtype in [
        ((2, 3), 5, torch.float32),
        ((1, 1), 7, torch.float64),
        ((), 2, torch.float64),
    ]:
        query = torch.randn(*shape, 7, 5, generator=generator, dtype=dtype)
        key = torch.randn(*shape, 11, 5, generator=generator, dtype=dtype)
        value = torch.randn(*shape, 11, wide, generator=generator, dtype=dtype)
        mask = torch.rand(7, 11, generator=generator) > 0.4
        mask[:, 3] = True  # every query has a key: what a row without any gives is notebook 03's subject
        yield query, key, value
        yield 30 * query, key, value, mask


def gelu_cases(generator):
    yield (3 * torch.randn(2, 5, 7, generator=generator),)
    yield (torch.linspace(-30, 30, 101, dtype=torch.float64),)


def layer_cases(generator):
    yield (torch.randn(2, 7, 15, generator=generator),)
    padding = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])[:, None, None]
    yield torch.randn(2, 7, 15, generator=generator), padding
    full = torch.rand(1, 5, 11, 11, generator=generator) > 0.4
    full[..., 2] = True
    yield torch.randn(1, 11, 15, generator=generator, dtype=torch.float64), full


def id_cases(generator):
    ids = torch.randint(0, 31, (3, 11), generator=generator)
    segments = (torch.arange(11) > 4).long().expand(3, 11)
    yield (ids,)
    yield ids, segments
    yield (ids[:1, :1],)


def model_cases(generator):
    ids = torch.randint(0, 31, (3, 11), generator=generator)
    mask = torch.ones(3, 11, dtype=torch.long)
    mask[1, 7:], mask[2, :4] = 0, 0
    yield (ids,)
    yield ids, mask
    yield ids, mask, (torch.arange(11) > 4).long().expand(3, 11)
    yield (ids[:1, :1],)


def wide_eps(cls) -> nn.Module:
    """Where eps decides, and in double precision."""
    return cls(config(layer_norm_eps=0.1, type_vocab_size=3, num_hidden_layers=3)).double()


BLOCK = {"expand": "feed_forward.expand", "contract": "feed_forward.contract"}
EMBEDDINGS = {"position": "position.embedding"}
BERT = {"pooler": "pooler.dense", "embeddings.position": "embeddings.position.embedding"}
BERT |= {f"blocks.{number}": f"encoder.layers.{number}" for number in range(3)}
BERT |= {
    f"blocks.{number}.{mine}": f"encoder.layers.{number}.{theirs}"
    for number in range(3)
    for mine, theirs in BLOCK.items()
}
HEADS = {"dense": "mlm.dense", "norm": "mlm.norm", "bias": "mlm.bias", "next_sentence": "nsp"}
HEADS |= {f"bert.{mine}": f"bert.{theirs}" for mine, theirs in BERT.items()}
BUILDS = [lambda cls: cls(config()), wide_eps]

ENTRIES = [
    Scratch(NOTEBOOK, "my_attention", "course_utils.attention:scaled_dot_product_attention", attention_cases),
    Scratch(
        NOTEBOOK,
        "MyMultiHeadAttention",
        f"{HERE}:SelfAttention",
        layer_cases,
        build=lambda cls: cls(15, 5),
    ),
    Scratch(NOTEBOOK, "my_gelu", "course_utils.activations:gelu", gelu_cases),
    Scratch(
        NOTEBOOK,
        "MyBlock",
        "course_utils.encoder:EncoderLayer",
        layer_cases,
        build=[lambda cls: cls(config()), lambda cls: cls(config(layer_norm_eps=0.1))],
        rename=BLOCK,
    ),
    Scratch(
        NOTEBOOK,
        "MyEmbeddings",
        "course_utils.embeddings:BertEmbeddings",
        id_cases,
        build=BUILDS,
        rename=EMBEDDINGS,
    ),
    Scratch(NOTEBOOK, "MyBert", f"{HERE}:Bert", model_cases, build=BUILDS, rename=BERT),
    Scratch(
        NOTEBOOK,
        "MyBertForPreTraining",
        f"{HERE}:PreTraining",
        model_cases,
        build=BUILDS,
        rename=HEADS,
    ),
]

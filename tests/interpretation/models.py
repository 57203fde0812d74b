"""A small model, its tokenizer, and the same weights in transformers' BertModel, for the tests of interpretation."""

from __future__ import annotations

from dataclasses import asdict

import torch
import transformers

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.heads import BertForPreTraining
from course_utils.pretrained.checkpoints import SenseReadout
from course_utils.pretrained.name_map import reference_name
from course_utils.tokenization import WordPieceTokenizer

PIECES = ["나는", "항", "##구에", "들", "##러", "배", "##를", "탔다", "먹었다", "어제", "##에서", "."]
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *PIECES]
CONFIG = BertConfig(
    vocab_size=len(VOCAB),
    hidden_size=15,
    num_hidden_layers=3,
    num_attention_heads=5,
    intermediate_size=31,
    max_position_embeddings=19,
    hidden_dropout_prob=0.3,
    attention_probs_dropout_prob=0.3,
    initializer_range=0.4,  # attention far from uniform
)
HARBOUR = "나는 항구에 들러 배를 탔다."


def small_tokenizer():
    return WordPieceTokenizer(
        {piece: number for number, piece in enumerate(VOCAB)}, lowercase=False, strip_accents=False
    )


def small_model(cls=BertForPreTraining):
    """A model whose every parameter is random, biases too, so that none can be forgotten unnoticed."""
    model = cls(CONFIG, generator=torch.Generator().manual_seed(5)).eval()
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):
                parameter.normal_(0, 0.3, generator=generator)
    getattr(model, "bert", model).sense_readout = SenseReadout(layer=3, temperature=6.0)
    return model


def as_transformers(model, attention="eager"):
    """transformers' BertModel with the weights of our BertModel."""
    settings = transformers.BertConfig(**asdict(model.config), attn_implementation=attention)
    theirs = transformers.BertModel(settings).eval()
    ours = {reference_name(name): tensor for name, tensor in model.state_dict().items()}
    theirs.load_state_dict(ours, strict=True)
    return theirs


def small_pair(attention="eager"):
    ours = small_model(BertModel)
    return ours, as_transformers(ours, attention)


def hooks_of(model):
    return sum(len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model.modules())

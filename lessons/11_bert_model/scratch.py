"""What notebook 11 builds by hand: the pooler and the whole model."""

import torch

from tests.scratch.registry import Scratch, config

NOTEBOOK = "11_bert_model"


def pooler_cases(generator):
    yield (torch.randn(3, 7, 15, generator=generator),)
    yield (torch.randn(1, 1, 15, generator=generator, dtype=torch.float64),)


def model_cases(generator):
    ids = torch.randint(0, 31, (3, 11), generator=generator)
    mask = torch.ones(3, 11, dtype=torch.long)
    mask[1, 7:], mask[2, :] = 0, 0  # the last has no key at all
    segments = (torch.arange(11) > 4).long().expand(3, 11)
    yield (ids,)
    yield ids, mask
    yield ids, mask, segments
    yield ids, mask.bool(), segments, True
    yield ids[:1, :1], None, None, True


ENTRIES = [
    Scratch(NOTEBOOK, "MyPooler", "course_utils.bert:Pooler", pooler_cases, build=lambda cls: cls(config())),
    Scratch(
        NOTEBOOK,
        "MyBertModel",
        "course_utils.bert:BertModel",
        model_cases,
        build=[
            lambda cls: cls(config()),
            lambda cls: cls(config(layer_norm_eps=0.1, type_vocab_size=3, num_hidden_layers=3)).double(),
        ],
        adapt=tuple,
    ),
]

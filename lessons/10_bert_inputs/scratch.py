"""What notebook 10 builds by hand: the embeddings of BERT."""

import torch

from tests.scratch.registry import Scratch, config

NOTEBOOK = "10_bert_inputs"


def embeddings_cases(generator):
    def ids(high, *shape):
        return torch.randint(high, shape, generator=generator)

    yield ids(31, 3, 7), ids(2, 3, 7)
    yield ids(31, 1, 13), torch.zeros(1, 13, dtype=torch.int64)  # as long as it can be
    yield torch.zeros(2, 5, dtype=torch.int64), torch.ones(2, 5, dtype=torch.int64)  # padding only, all in B
    yield ids(31, 5, 1), ids(2, 5, 1)


ENTRIES = [
    Scratch(
        NOTEBOOK,
        "MyBertEmbeddings",
        "course_utils.embeddings:BertEmbeddings",
        embeddings_cases,
        build=[
            lambda cls: cls(config()),
            lambda cls: cls(config()).double(),
            lambda cls: cls(config(layer_norm_eps=0.1, type_vocab_size=3)),
        ],
        rename={"position": "position.embedding"},
    )
]

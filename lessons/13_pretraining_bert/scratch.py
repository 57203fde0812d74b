"""What notebook 13 builds by hand: the learning rate, and the two groups of parameters."""

import torch
from torch import nn

from course_utils.config import BertConfig
from course_utils.heads import BertForPreTraining
from course_utils.training import optim
from tests.scratch.registry import Scratch

NOTEBOOK = "13_pretraining_bert"


def groups(model, weight_decay):
    return optim.parameter_groups(model, weight_decay=weight_decay)


def schedule_cases(generator):
    for peak, warmup, total in ((1e-4, 10_000, 1_000_000), (3.0, 0, 7), (2e-3, 13, 13), (0.5, 1, 2)):
        for step in {1, warmup // 2, warmup - 1, warmup, warmup + 1, total - 1, total, total + 5} - {-1, 0}:
            yield step, peak, warmup, total


def groups_cases(generator):
    sizes = dict(vocab_size=31, hidden_size=15, num_attention_heads=5, intermediate_size=31)
    model = BertForPreTraining(BertConfig(num_hidden_layers=2, **sizes))
    frozen = BertForPreTraining(BertConfig(num_hidden_layers=1, **sizes))
    frozen.bert.embeddings.requires_grad_(False)
    yield model, 0.01
    yield frozen, 0.3
    yield (
        nn.Sequential(nn.Conv1d(3, 5, 7), nn.LayerNorm((3, 2)), nn.BatchNorm1d(5)),
        0.0,
    )  # three axes, and two
    shared = nn.Linear(7, 7)
    yield nn.ModuleList([shared, shared]), torch.pi


ENTRIES = [
    # Numbers go in, and parameters that are only sorted: nothing has a gradient.
    Scratch(NOTEBOOK, "my_schedule", "course_utils.schedules:linear_rate", schedule_cases, gradients=False),
    Scratch(NOTEBOOK, "my_parameter_groups", f"{__name__}:groups", groups_cases, gradients=False),
]

"""What is told of a text is the model's own."""

import math

import torch

from course_utils.seq2seq import Transformer, greedy_search
from course_utils.seq2seq.told import told_steps


def test_steps_are_the_models_own():
    sizes = dict(hidden_size=6, num_heads=3, num_layers=2, intermediate_size=7)
    model = Transformer(11, 7, **sizes, generator=torch.Generator().manual_seed(0)).eval()
    source = torch.tensor([[3, 4, 5]])
    [ids] = greedy_search(model, source, bos_token_id=1, eos_token_id=2, max_length=5)
    told = told_steps(model, source, ids, "abcdefg", bos_token_id=1)
    log_probabilities = model(source, torch.tensor([[1, *ids[:-1]]]))[0].log_softmax(dim=-1)
    for step, token, row in zip(told["steps"], ids, log_probabilities, strict=True):
        assert step["chosen"] == "abcdefg"[token] == step["candidates"][0][0]
        assert math.isclose(math.log(step["probability"]), row.max().item(), rel_tol=1e-5)
        assert len(step["candidates"]) == 7 and math.isclose(
            sum(p for _, p in step["candidates"]), 1, rel_tol=1e-5
        )
    assert told["attention"].shape == (2, 3, len(ids), 3)

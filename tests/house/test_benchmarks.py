"""The table of `make bench`, with made-up figures: nothing is measured here, and no test asserts a time."""

from __future__ import annotations

import os

import pytest
import torch

from benchmarks import memory_bench, table

ROWS = [
    ("BPE training : tokenizers", 0.4, 0.1, 0.25, "≥ 0.1"),
    ("WordPiece training : tokenizers", 2.0, 0.1, 0.05, "≥ 0.1"),
    ("BPE encoding : tokenizers", 0.2, 0.1, 0.5, "–"),
]


def test_the_note_of_a_training():
    note = "10,240 : 4,096 tokens/s; 150 of 200 GFLOP/s = 75 %"
    assert table.training_note("float32", 10_240, 4_096, 150.0, 200.0) == note + " ✓ ≥ 65 %"
    assert table.training_note("float32", 10_240, 4_096, 100.0, 200.0).endswith("= 50 % ✗ ≥ 65 %")
    # The ceiling is that of float32, so in bfloat16 its share is no goal.
    assert table.training_note("bfloat16", 10_240, 4_096, 150.0, 200.0) == note


def test_the_table():
    head, *body = table.lines("tokenization", ROWS)
    assert head.split() == ["tokenization", "ours", "theirs", "ratio", "goal"]
    assert " ".join(body[0].split()) == "BPE training : tokenizers 400.0 ms 100.0 ms 0.25 ✓ ≥ 0.1"
    assert " ".join(body[1].split()).endswith(" 0.05 ✗ ≥ 0.1")
    assert "✓" not in body[2] and "✗" not in body[2]
    assert len({line.index(" ms") for line in body}) == 1  # the columns stand under each other


def test_a_goal_that_is_missed_is_marked():
    _, peer, slow = table.answer_lines([("peer", 40, 16.7, 100.0), ("sense_map", 40, 50.1, 60.0)])
    assert " 1.00 " in peer and "✓" in peer and " 3.00 " in slow and "✗" in slow
    _, large, small = table.memory_lines([("large", 1_234_567_890), ("small", 600_000_000)])
    assert "1,235 MB ✗" in large and "600 MB ✓" in small
    assert "✓" in table.busy_line("16", 60, 180) and "✗" in table.busy_line("16", 60, 181)


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (8, 7)])
def test_kernels_leave_a_core_to_others(cores, threads, monkeypatch):
    monkeypatch.setattr(os, "environ", found := {})
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(cores)), raising=False)
    memory_bench.as_in_lab()
    assert found == {"OMP_NUM_THREADS": str(threads)}
    found["OMP_NUM_THREADS"] = "5"  # what somebody has set stays
    memory_bench.as_in_lab()
    assert found["OMP_NUM_THREADS"] == "5"


def test_both_sides_of_the_training_table_do_the_same_work():
    """A tiny size without dropout: both begin with the same loss, and end a step with the same weights."""
    from benchmarks import training_bench
    from course_utils.pretrained.name_map import plain_name, reference_name

    sizes = training_bench.SIZES | dict(
        vocab_size=101,
        hidden_size=22,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=37,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    torch.manual_seed(0)
    ours, reference = training_bench.models(sizes)
    assert ours.training and reference.training
    data = training_bench.batches(101, count=2)
    mine, theirs = (training_bench.stepper(model, data) for model in (ours, reference))
    for _ in range(3):
        torch.testing.assert_close(mine(), theirs(), rtol=0, atol=1e-4)
    weights = {plain_name(name): tensor for name, tensor in reference.state_dict().items()}
    for name, tensor in ours.state_dict().items():
        # Adam's first steps have the size of the rate, 1e-4, whatever the gradient: even one that is all rounding.
        torch.testing.assert_close(tensor, weights[reference_name(name)], rtol=0, atol=7e-4)


def test_the_operations_of_a_step_by_hand():
    from benchmarks import training_bench
    from course_utils.config import BertConfig

    data = training_bench.batches(11, count=1)
    config = BertConfig(
        vocab_size=11, hidden_size=3, num_hidden_layers=2, num_attention_heads=1, intermediate_size=5
    )
    tokens, predicted = 32 * 64, int((data[0]["labels"] != -100).sum())
    layer = 4 * 3 * 3 + 2 * 3 * 5 + 2 * 64 * 3  # projections, feed-forward, scores and contexts
    products = 2 * tokens * layer + predicted * (3 * 3 + 3 * 11) + 32 * (3 * 3 + 3 * 2)
    assert training_bench.operations(config, data) == 3 * 2 * products
    assert 0.12 < predicted / tokens < 0.18

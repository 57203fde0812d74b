"""What the ablations command adds to the package: a left-to-right model, and its batches."""

import json

import pytest
import torch

from course_utils.config import BertConfig
from course_utils.datasets.batching import Batch
from course_utils.datasets.pretraining import IGNORE
from course_utils.heads import BertForPreTraining
from experiments import ablations

SPECIAL = torch.arange(13) < 5  # [PAD] 0, …, [CLS] 2, [SEP] 3, [MASK] 4


def batch() -> Batch:
    """[CLS] 5 6 [SEP] 7 [SEP] [PAD], with 6 masked and 7 replaced by 9."""
    return Batch(
        input_ids=torch.tensor([[2, 5, 4, 3, 9, 3, 0]]),
        attention_mask=torch.tensor([[1, 1, 1, 1, 1, 1, 0]]),
        token_type_ids=torch.tensor([[0, 0, 0, 0, 1, 1, 0]]),
        labels=torch.tensor([[IGNORE, IGNORE, 6, IGNORE, 7, IGNORE, IGNORE]]),
        next_sentence_label=torch.tensor([1]),
    )


def test_next_token_labels_by_hand() -> None:
    given = batch()
    every = ablations.next_token_batch(given, SPECIAL, every=True)
    assert every.input_ids.tolist() == [[2, 5, 6, 3, 7, 3, 0]] and every.next_sentence_label is None
    no = IGNORE
    assert every.labels.tolist() == [[5, 6, no, 7, no, no, no]]
    chosen = ablations.next_token_batch(given, SPECIAL, every=False)
    assert chosen.labels.tolist() == [[no, 6, no, 7, no, no, no]]
    assert given.input_ids.tolist() == batch().input_ids.tolist()


def test_it_sees_no_later_token() -> None:
    config = BertConfig(
        vocab_size=13,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=17,
        initializer_range=0.5,
    )
    model = ablations.LeftToRight(
        BertForPreTraining(config, generator=torch.Generator().manual_seed(0))
    ).eval()
    here = ablations.next_token_batch(batch(), SPECIAL, every=True).inputs()
    there = here | {"input_ids": torch.tensor([[2, 5, 6, 3, 11, 3, 0]])}  # another token at place 4
    before, after = model(**here).logits, model(**there).logits  # asked at the places 0, 1 and 3
    torch.testing.assert_close(before, after)
    there["input_ids"] = torch.tensor([[2, 12, 6, 3, 7, 3, 0]])
    changed = (model(**there).logits - before).abs().amax(dim=1) > 1e-4
    assert changed.tolist() == [False, True, True]


def test_runs_change_one_thing_each() -> None:
    assert ablations.RUNS["base"] == {}
    for name, changes in ablations.RUNS.items():
        assert set(changes) <= {*vars(ablations.BASE)}, name


@pytest.mark.slow
@pytest.mark.rare
def test_the_command_writes_what_the_notebook_reads(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(ablations.ROOT)
    out = tmp_path / "ablations.json"
    only = "small,left_to_right,left_to_right_15"
    assert ablations.main(["--out", str(out), "--steps", "3", "--threads", "1", "--only", only]) == 0
    data = json.loads(out.read_text("utf-8"))
    assert [entry["name"] for entry in data["runs"]] == ["left_to_right", "left_to_right_15", "small"]
    left, fewer_places, small = data["runs"]
    assert left["settings"] == fewer_places["settings"] and left["log"] != fewer_places["log"]
    assert "held_out_next_accuracy" in small["held_out"] and "held_out_next_accuracy" not in left["held_out"]
    assert small["log"][-1]["step"] == left["log"][-1]["step"] == 3
    assert ablations.main(["--out", str(out), "--only", "none"]) == 2

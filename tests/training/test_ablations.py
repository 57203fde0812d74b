"""What the ablations command adds to the package: a left-to-right model, and its batches."""

import json

import pytest
import torch

from course_utils.datasets.batching import Batch
from course_utils.datasets.pretraining import IGNORE
from course_utils.heads import BertForPreTraining
from experiments import ablations
from experiments.runs import ROOT
from tests.small import small_config

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
    config = small_config(13, initializer_range=0.5)
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


@pytest.mark.slow
@pytest.mark.rare
def test_the_command_stopped_and_gone_on_with(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(ROOT)
    made, whole = [], ablations.one_run

    def until_the_second(name, settings):
        made.append(name)
        if len(made) == 2:
            raise KeyboardInterrupt
        return whole(name, settings)

    monkeypatch.setattr(ablations, "one_run", until_the_second)
    command = ["--out", str(tmp_path / "o.json"), "--steps", "3"]
    command += ["--only", "left_to_right,left_to_right_15,small"]
    assert ablations.main(command) == 130 and ablations.main(command) == 0
    assert made == ["left_to_right", "left_to_right_15", "left_to_right_15", "small"]
    left, fewer_places, small = json.loads((tmp_path / "o.json").read_text("utf-8"))["runs"]
    assert left["settings"] == fewer_places["settings"] and left["held_out"] != fewer_places["held_out"]
    assert "held_out_next_accuracy" in small["held_out"] and "held_out_next_accuracy" not in left["held_out"]
    capsys.readouterr()
    assert ablations.main([*command, "--table"]) == 0 and len(made) == 4
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:]] == made[:2] + made[3:]

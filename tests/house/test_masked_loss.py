"""experiments/masked_loss.py: what was set aside, the control, the table; two vocabularies."""

import math
from collections import Counter
from types import SimpleNamespace

import pytest
import torch

from course_utils.datasets import corpus
from course_utils.datasets.batching import encode_documents, seeded
from course_utils.datasets.public import Prepared
from course_utils.heads import BertForPreTraining
from course_utils.pretrained import load_pretrained, save_pretrained
from course_utils.training.settings import Settings
from experiments import masked_loss
from scripts.pretraining.text import prepare_text
from tests.small import small_config


def model(folder, tokenizer, seed=0):
    sizes = {"max_position_embeddings": 128, "initializer_range": 0.5 + seed}
    config = small_config(len(tokenizer.vocab), num_hidden_layers=1, **sizes)
    save_pretrained(BertForPreTraining(config, generator=seeded(seed)), tokenizer, folder)
    return folder


@pytest.mark.rare
def test_it_is_what_a_run_sets_aside(tmp_path, monkeypatch):
    talks = [[f"손님 {number}번이 왔다.", "무엇을 드릴까요?"] for number in range(11)]
    books = [[f"책 {number}권을 샀다.", "잘 읽었다.", "재미있다."] for number in range(7)]
    films = [[f"영화 {number}편을 보았다."] for number in range(9)]
    both = [Prepared("talks", talks), Prepared("books", books), Prepared("nsmc_raw.tsv.gz", films)]
    monkeypatch.setattr(masked_loss, "prepare", lambda names: both)
    monkeypatch.setattr("scripts.pretraining.text.prepare", lambda names: both)
    found = masked_loss.sources(str(corpus.CORPUS), ["talks", "books"], 3, 5)
    assert [one.name for one in found] == ["the course's corpus", *(one.name for one in both)]
    assert sorted(found[1].read + found[1].aside) == sorted(talks) and all(one.aside for one in found)
    settings = Settings(corpus=str(corpus.CORPUS), public="talks,books", held_out=3, seed=5, vocab_size=2000)
    text = prepare_text(settings, tmp_path / "vocab.txt")
    kept = encode_documents([document for one in found[1:] for document in one.aside], text.tokenizer)
    assert text.held_out[-len(kept) :] == kept
    assert len(text.held_out) == sum(len(one.aside) for one in found)


def test_the_control_knows_counts_alone():
    def batches(number):
        return SimpleNamespace(
            labels=torch.tensor([[[7, -100, 7], [-100, 3, 5]], [[5, 5, 5], [5, 5, 5]]][number])
        )

    batches.batches_per_epoch = 2
    counts = Counter({7: 5, 3: 1})  # of 6 pieces; 4 in the vocabulary: (count + 1) / 10
    first, every = (masked_loss.behind_blanks(batches, most) for most in (1, 9))
    assert first == {7: 2, 3: 1, 5: 1} and every == {7: 2, 3: 1, 5: 7}
    lost = -math.log(0.6) * 2 - math.log(0.2) - math.log(0.1)
    assert masked_loss.loss_by_counts(counts, 4, first) == pytest.approx(lost / 4)
    assert masked_loss.loss_by_counts(counts, 4, every) == pytest.approx((lost - 6 * math.log(0.1)) / 10)


@pytest.mark.rare
def test_the_table_of_two_models(tmp_path, capsys):
    _, tokenizer = load_pretrained()
    folders = [str(model(tmp_path / name, tokenizer, seed)) for seed, name in enumerate(("a", "b"))]
    assert masked_loss.main([*folders, "--public", "", "--held-out", "500", "--most", "1"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.endswith(f"{folders[0]} loss, right  {folders[1]} loss, right")
    *_, none, first, _, second, _ = row.split()
    assert float(none) < 9 < math.log(len(tokenizer.vocab)) < float(first[:-1]) != float(second[:-1])
    words = tmp_path / "b" / "vocab.txt"
    tokens = words.read_text(encoding="utf-8").splitlines()
    words.write_text("\n".join([*tokens[:-2], *tokens[:-3:-1]]) + "\n", encoding="utf-8")
    assert masked_loss.main(folders) == 2
    assert "the models must have one vocabulary" in capsys.readouterr().err

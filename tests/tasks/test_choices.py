"""Situations with four endings: reader, batches, baselines, the frozen head; a model learns what is there."""

from __future__ import annotations

from itertools import groupby

import pytest
import torch

from course_utils.config import BertConfig
from course_utils.datasets.batching import seeded
from course_utils.tasks.choices import choice_vectors, fit_choice, load_endings, load_situations
from course_utils.tasks.data import PARTS, Situation, read_situations
from tests.tasks.small_tasks import CONFIG, small_bert, tokenizer

HEAD = "subject\tpart\tsituation\tright\twrong1\twrong2\twrong3\n"
ROWS = HEAD + "7\ttest\t배가 왔다.\t타다\t가다\t나다\t사다\n9\ttrain\t눈이 왔다.\t가\t나\t다\t라\n"
LETTERS = "가나다라마바사"


def read(tmp_path, content):
    (tmp_path / "situations.tsv").write_text(content, encoding="utf-8")
    return read_situations(tmp_path / "situations.tsv")


def situation(number):
    """The right ending is the letter that the situation has."""
    endings = [LETTERS[(number + step) % 7] for step in (0, 1, 3, 5)]
    endings = tuple(sorted(endings))
    return Situation(number // 4, f"{LETTERS[number % 7]} 왔다.", endings, endings.index(LETTERS[number % 7]))


def small(load=load_situations):
    sizes = {"train": range(28), "validation": range(28, 41), "test": range(41, 52)}
    parts = {part: [situation(number) for number in numbers] for part, numbers in sizes.items()}
    return load(tokenizer(), parts=parts)


def test_endings_are_sorted_and_the_right_one_is_found_again(tmp_path):
    found = read(tmp_path, ROWS)
    assert found["test"] == [Situation(7, "배가 왔다.", ("가다", "나다", "사다", "타다"), 3)]
    assert found["train"] == [Situation(9, "눈이 왔다.", ("가", "나", "다", "라"), 0)]
    assert found["validation"] == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("situation\tright", "text\tright", "must have the columns subject, part, situation, right"),
        ("9\ttrain", "아홉\ttrain", "situations.tsv, row 3: subject must be a number, got '아홉'"),
        ("9\ttrain", "7\ttrain", "row 3: subject 7 must be in one part, and is in two"),
        ("가\t나\t다\t라", "가\t나\t가\t라", "situations.tsv, row 3: the four endings must differ"),
    ],
)
def test_a_broken_row_is_told_with_its_number(tmp_path, old, new, said):
    with pytest.raises(ValueError, match=said):
        read(tmp_path, ROWS.replace(old, new))


def test_the_file_of_the_course():
    """A subject's four situations have the same endings, each right once: nothing in an ending tells, nor its place."""
    found = read_situations()
    assert {part: len(found[part]) for part in PARTS} == {"train": 168, "validation": 40, "test": 68}
    situations = sorted((one for part in PARTS for one in found[part]), key=lambda one: one.subject)
    assert len({one.text for one in situations}) == 276
    for _, group in groupby(situations, key=lambda one: one.subject):
        endings, right = zip(*((one.endings, one.right) for one in group))
        assert len(set(endings)) == 1 and sorted(right) == [0, 1, 2, 3]


def test_a_batch_has_four_rows_for_each_situation():
    task = small()
    batch = task.batch(task.parts["train"][:5])
    assert batch.input_ids.shape == (5, 4, batch.input_ids.shape[2])
    assert batch.labels["labels"].tolist() == [one.source.right for one in task.parts["train"][:5]]
    source, row = task.parts["train"][2].source, batch.input_ids[2, 3]
    expected = tokenizer().encode(source.text, source.endings[3])
    assert row[: len(expected)].tolist() == expected.input_ids
    assert batch.token_type_ids[2, 3, : len(expected)].tolist() == expected.token_type_ids
    alone = small(load_endings).parts["train"][2].windows[3]
    assert alone.input_ids == tokenizer().encode(source.endings[3]).input_ids


def test_predictions_hang_on_the_situation_alone():
    task = small()
    model = task.new_model(BertConfig(**vars(CONFIG) | {"hidden_dropout_prob": 0.5}), generator=seeded(3))
    model.train()
    examples = task.parts["train"]
    said = task.predict(model, examples)
    assert said == [task.predict(model, [one])[0] for one in examples] and model.training
    assert len(set(said)) > 1
    right = sum(one == example.source.right for one, example in zip(said, examples, strict=True))
    assert task.measure(model, examples) == {"accuracy": right / len(examples)}


def test_vectors_are_the_poolers_and_the_head_learns_them():
    task, bert = small(), small_bert()
    vectors = choice_vectors(task, bert, task.parts["train"])
    inputs = task.batch(task.parts["train"][3:4]).inputs()
    del inputs["labels"]
    alone = bert(**{name: rows[0] for name, rows in inputs.items()}).pooler_output
    torch.testing.assert_close(vectors[3], alone)
    assert vectors.shape == (28, 4, CONFIG.hidden_size) and not vectors.requires_grad
    clear = torch.zeros(28, 4, 3)
    right = [number % 4 for number in range(28)]
    clear[range(28), right, 1] = 1.0
    head = fit_choice(clear, right, rate=0.1, weight_decay=0.0)
    assert head(clear)[..., 0].argmax(-1).tolist() == right
    one, other = (fit_choice(clear, right, seed=seed).weight for seed in (3, 3))
    assert torch.equal(one, other) and not torch.equal(one, fit_choice(clear, right, seed=4).weight)


def test_what_would_be_silently_wrong_is_refused():
    for endings, right in ((("가", "나", "다", "라"), 4), (("가", "나", "다"), 0)):
        bad = {part: [Situation(1, "가", endings, right)] for part in PARTS}
        with pytest.raises(ValueError, match="record 0 of train has a label"):
            load_situations(tokenizer(), parts=bad)
    with pytest.raises(ValueError, match="right must be one for each of 2 vectors, got 1"):
        fit_choice(torch.zeros(2, 4, 3), [0])

"""Six tasks as the loop sees them: what is encoded, batched, said and measured; draws; what is refused."""

from __future__ import annotations

import math

import pytest
import torch

from course_utils.config import BertConfig
from course_utils.datasets.batching import seeded
from course_utils.heads import IGNORE
from course_utils.positional import sinusoidal_encoding
from course_utils.tasks import task as task_file
from course_utils.tasks.data import DIALECTS, DialectSentence, LabelledReview
from course_utils.tasks.load import TASKS, draw, load_task
from course_utils.tasks.metrics import entity_f1, pearson, spearman
from course_utils.tasks.questions import LARGEST, Answer
from course_utils.tasks.words import NAME_TAGS, TaggedSentence
from tests.tasks.small_tasks import CONFIG, records, small, small_bert, tokenizer

METRICS = dict(zip(TASKS, ("accuracy", "accuracy", "spearman", "entity_f1", "accuracy", "f1")))


@pytest.fixture(autouse=True)
def in_float32(monkeypatch):
    """So that values compare on every processor."""
    monkeypatch.setattr(task_file, "fast_precision", lambda device: torch.float32)


# --- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TASKS)
def test_each_is_trained_asked_and_measured(name):
    task = small(name)
    model = task.new_model(CONFIG, generator=seeded(3))
    examples = task.parts["validation"]
    batch = task.batch(examples)
    loss = model(**batch.inputs()).loss
    loss.backward()
    assert math.isfinite(loss.item()) and all(one.grad is not None for one in model.parameters())
    assert len(task.predict(model, examples)) == len(examples) == 13
    measured = task.measure(model, examples)
    assert next(iter(measured)) == task.metric == METRICS[name] and task.name == name
    assert all(isinstance(value, float) and math.isfinite(value) for value in measured.values())


@pytest.mark.parametrize("name", TASKS)
def test_what_is_said_hangs_on_the_example_alone(name, monkeypatch):
    """Neither the others of its batch, nor their order, nor padding, nor dropout; and the mode stays."""
    monkeypatch.setattr(task_file, "ROWS", 3)
    task = small(name)
    model = task.new_model(
        BertConfig(**vars(CONFIG) | {"hidden_dropout_prob": 0.5}), generator=seeded(3)
    ).train()
    examples = task.parts["train"][:17]
    together = task.predict(model, examples)
    alone = [task.predict(model, [example])[0] for example in reversed(examples)][::-1]
    for one, other in zip(together, alone):
        assert one == pytest.approx(other, abs=1e-4) if isinstance(one, float | Answer) else one == other
    assert model.training and all(part.training for part in model.modules())


@pytest.mark.parametrize("name", [name for name in TASKS if name != "questions"])
def test_padding_changes_no_loss(name):
    """The loss of a batch is the mean over its rows, or over its tags, each by itself.

    Of questions it is not: there, padding has scores as every token has, in run_squad.py as here.
    """
    task = small(name)
    model = task.new_model(CONFIG, generator=seeded(3)).eval()
    examples = task.parts["train"][:7]
    alone = [task.batch([example]) for example in examples]
    counts = [int((batch.labels["labels"] != IGNORE).sum()) for batch in alone]
    with torch.no_grad():
        losses = [float(model(**batch.inputs()).loss) * count for batch, count in zip(alone, counts)]
        together = float(model(**task.batch(examples).inputs()).loss)
    assert together == pytest.approx(sum(losses) / sum(counts), rel=1e-4)


@pytest.mark.parametrize("name", TASKS)
def test_the_encoder_is_copied_and_the_head_is_that_of_a_fresh_model(name):
    task, bert = small(name), small_bert()
    before = {key: value.clone() for key, value in bert.state_dict().items()}
    tuned, fresh = task.with_encoder(bert, generator=seeded(5)), task.new_model(CONFIG, generator=seeded(5))
    for key, value in tuned.state_dict().items():
        source = before[key.removeprefix("bert.")] if key.startswith("bert.") else fresh.state_dict()[key]
        assert torch.equal(value, source), key
    assert tuned.state_dict().keys() == fresh.state_dict().keys()  # also: a pooler just where it is looked at
    with torch.no_grad():
        for parameter in tuned.parameters():
            parameter.add_(1)
    assert all(torch.equal(value, before[key]) for key, value in bert.state_dict().items())


def test_a_bert_without_pooler_gets_a_new_one():
    task, bert = small("reviews"), small_bert()
    bert.pooler = None
    model, fresh = task.with_encoder(bert, generator=seeded(5)), task.new_model(CONFIG, generator=seeded(5))
    assert torch.equal(model.bert.pooler.dense.weight, fresh.bert.pooler.dense.weight)
    assert bert.pooler is None


# --- text and pairs ---------------------------------------------------------------------------------------------------


def fixed(task, logits):
    """A model that says these logits, row by row."""
    model = task.new_model(CONFIG)
    rows = iter(logits)
    task._logits = lambda model, examples: [
        [torch.tensor(next(rows)) for _ in one.windows] for one in examples
    ]
    return model


def test_reviews_are_judged_by_their_most_probable_label():
    task = small("reviews", 3, 4, 2)  # validation: good, bad, good, bad
    model = fixed(task, [[0.0, 1.0], [0.3, 0.2], [5.0, 4.0], [1.0, 2.0]] * 2)
    assert task.predict(model, task.parts["validation"]) == ["good", "bad", "bad", "good"]
    assert task.measure(model, task.parts["validation"]) == {"accuracy": 0.5}


def test_pairs_are_learned_about_the_middle_and_told_as_scores():
    task = small("pairs", 3, 4, 2)
    batch = task.batch(task.parts["train"])  # scores 5, 2.5, 0
    assert batch.labels["labels"].tolist() == [1.0, 0.0, -1.0]
    first = task.parts["train"][1].row
    second = first.tokens.index("[SEP]") + 1
    assert first.token_type_ids == [0] * second + [1] * (len(first) - second)
    assert first.tokens[1:second] != first.tokens[second:]
    model = fixed(task, [[0.5], [-1.0], [1.5], [0.1]] * 2)
    examples = task.parts["validation"]
    said = task.predict(model, examples)
    assert said == pytest.approx([3.75, 0.0, 6.25, 2.75])
    scores = [example.source.score for example in examples]
    assert task.measure(model, examples) == {
        "spearman": spearman(said, scores),
        "pearson": pearson(said, scores),
    }


# --- tags -------------------------------------------------------------------------------------------------------------


def test_a_tag_stands_at_the_first_piece_of_its_word():
    task = small("names")
    example = task.parts["train"][1]
    assert example.source.words[-3:] == ("부산에서", "왔다", ".")
    assert example.row.tokens[-5:] == ["부산", "##에서", "왔다", ".", "[SEP]"]
    labels = task.batch([example]).labels["labels"][0].tolist()
    place = NAME_TAGS.index("B-LC")
    assert labels[-5:] == [place, IGNORE, 0, 0, IGNORE] and labels[0] == IGNORE


@pytest.mark.parametrize(("name", "unknown"), [("names", "O"), ("parts_of_speech", "")])
def test_a_word_that_was_cut_off_is_judged_all_the_same(name, unknown):
    task = small(name, max_length=8)
    long = max(task.parts["train"], key=lambda example: len(example.source.words))
    assert len(long.source.words) > 6 == len(long.row) - 2
    model = task.new_model(CONFIG, generator=seeded(3))
    (tags,) = task.predict(model, [long])
    assert len(tags) == len(long.source.words) and tags[-1] == unknown
    assert unknown == "O" or task.measure(model, [long])["accuracy"] <= 6 / len(tags)


def test_names_are_measured_whole():
    task = small("names")
    examples = task.parts["validation"]
    wanted = [list(example.source.tags) for example in examples]
    task.predict = lambda model, examples: wanted
    assert task.measure(None, examples) == {"entity_f1": 1.0, "accuracy": 1.0}
    wrong = [
        [tag.replace("LC", "PS") for tag in tags] if number % 2 else tags
        for number, tags in enumerate(wanted)
    ]
    task.predict = lambda model, examples: wrong
    measured = task.measure(None, examples)
    assert measured["entity_f1"] == entity_f1(wrong, wanted) < measured["accuracy"] < 1


# --- questions --------------------------------------------------------------------------------------------------------


def test_a_long_passage_is_read_in_windows():
    task = small("questions", max_length=11)
    batch = task.batch(task.parts["train"][:5])
    assert len(batch.input_ids) == sum(len(example.windows) for example in task.parts["train"][:5]) > 5
    assert all(len(window) <= 11 for example in task.parts["train"] for window in example.windows)
    for example in task.parts["train"]:  # each answer stands whole in some window, at its characters
        starts = task.batch([example]).labels["start_positions"]
        assert bool(starts.any()) == (example.source.answer is not None)
    model = task.new_model(CONFIG, generator=seeded(1))
    for example, answer in zip(task.parts["train"], task.predict(model, task.parts["train"])):
        assert answer.text == example.source.passage[answer.start : answer.end] and answer.text


def test_a_model_that_points_at_the_answer_is_right():
    task = small("questions")
    model = task.new_model(CONFIG, generator=seeded(1))
    examples = task.parts["validation"]
    logits = []
    for example in examples:
        row = torch.zeros(len(example.row), 2)
        if example.source.answer:
            row[example.row.tokens.index("부산"), :] = 3.0
        else:
            row[0, :] = 3.0
        logits.append([row])
    task._logits = lambda model, examples: logits
    assert task.measure(model, examples) == {"f1": 1.0, "exact_match": 1.0, "threshold": 0.0}
    never = task.measure(model, examples, threshold=math.inf)
    silent = sum(example.source.answer is None for example in examples) / len(examples)
    assert never == {"f1": pytest.approx(silent), "exact_match": pytest.approx(silent), "threshold": math.inf}


def test_the_threshold_is_chosen_on_validation_and_never_on_test():
    task = small("questions", 5, 7, 7)
    model = task.new_model(CONFIG, generator=seeded(1))
    chosen = task.measure(model, task.parts["validation"])["threshold"]
    assert abs(chosen) <= LARGEST
    for examples in (task.parts["test"], task.parts["validation"] + task.parts["test"][-1:]):
        with pytest.raises(ValueError, match="threshold must be given for test questions"):
            task.measure(model, examples)
    for threshold in (chosen, 0.7):
        assert task.measure(model, task.parts["test"], threshold=threshold)["threshold"] == threshold


# --- draws ------------------------------------------------------------------------------------------------------------


def test_a_draw_is_balanced_and_begins_with_the_smaller_ones():
    task = small("dialect", 6 * 11, 6, 6)
    large = draw(task, 47, seed=4)
    assert len(set(map(id, large))) == 47 and {id(one) for one in large} <= {
        id(one) for one in task.parts["train"]
    }
    for size in (6, 13, 30, 47):
        some = draw(task, size, seed=4)
        assert some == large[:size]
        counts = [sum(one.source.dialect == dialect for one in some) for dialect in DIALECTS]
        assert max(counts) - min(counts) <= 1
    assert draw(task, 47, seed=5) != large


@pytest.mark.parametrize("name", TASKS)
def test_no_more_are_drawn_than_there_are(name):
    task = small(name, 12, 2, 2)
    assert len({id(one) for one in draw(task, 12, seed=0)}) == 12
    with pytest.raises(ValueError, match=f"size must lie in 1 … 12, all that {name} has .*got 13"):
        draw(task, 13, seed=0)


def test_a_draw_stays_balanced_where_the_data_are_not():
    reviews = records("reviews", 9, 2, 2)
    task = load_task(
        "reviews", tokenizer(), parts=reviews | {"train": reviews["train"] + reviews["train"][::2]}
    )
    with pytest.raises(ValueError, match="size must lie in 1 … 8, .* as many of each label; got 10"):
        draw(task, 10, seed=0)


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("reviews", LabelledReview("가", 2)),
        ("dialect", DialectSentence("가", "서울", 1, ())),
        ("names", TaggedSentence("가", ("가",), (0,), ("B-XX",))),
        ("parts_of_speech", TaggedSentence("가", ("가",), (0,), ("O",))),
    ],
)
def test_a_label_that_the_task_does_not_know(name, record):
    parts = records(name, 2, 2, 1)
    parts["test"].append(record)
    with pytest.raises(ValueError, match=f"record 1 of test has a label that {name} does not know"):
        load_task(name, tokenizer(), parts=parts)


def test_a_model_of_another_head_is_refused():
    reviews, dialect, words = (small(name) for name in ("reviews", "dialect", "parts_of_speech"))
    model = reviews.new_model(CONFIG)
    with pytest.raises(ValueError, match="SequenceClassification of 6 logits for the task dialect"):
        dialect.predict(model, dialect.parts["test"])
    with pytest.raises(ValueError, match="BertForTokenClassification of 17 logits"):
        words.predict(model, words.parts["test"])


def test_from_scratch_the_positions_are_sinusoids():
    positions = small("reviews").new_model(CONFIG, generator=seeded(5)).bert.embeddings.position
    torch.testing.assert_close(positions.embedding.weight, sinusoidal_encoding(29, 12) * 0.2 * 2**0.5)

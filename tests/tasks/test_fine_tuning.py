"""Fine-tuning: whose rate is how high, what a batch holds, and that a planted word is learned."""

from __future__ import annotations

import pytest
import torch

from course_utils.config import BertConfig
from course_utils.heads import BertForSequenceClassification
from course_utils.tasks.fine_tuning import TextBatches, fine_tune, layered_adamw, predict
from course_utils.training.optim import set_learning_rate

CONFIG = BertConfig(
    vocab_size=23,
    hidden_size=12,
    num_hidden_layers=3,
    num_attention_heads=3,
    intermediate_size=17,
    max_position_embeddings=11,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    initializer_range=0.2,
)


def new_model(seed=0):
    return BertForSequenceClassification(CONFIG, generator=torch.Generator().manual_seed(seed))


def planted(seed, number=60):
    """Rows of random tokens; token 5 stands in those of label 1."""
    generator = torch.Generator().manual_seed(seed)
    rows, labels = [], []
    for count in range(number):
        row = torch.randint(6, 23, (3 + count % 5,), generator=generator).tolist()
        if label := count % 2:
            row[count % len(row)] = 5
        rows.append([1, *row, 2])
        labels.append(label)
    return rows, labels


# --- batches ----------------------------------------------------------------------------------------------------------


def test_an_epoch_holds_every_row_once_with_its_label():
    rows, labels = planted(0, number=10)
    stream = TextBatches(rows, labels, pad_id=0, batch_size=4, seed=3)
    assert stream.batches_per_epoch == 3
    for epoch in range(2):
        batches = [stream(number) for number in range(3 * epoch, 3 * epoch + 3)]
        assert [len(batch.labels) for batch in batches] == [4, 4, 2]
        found = [
            ([int(token) for token, real in zip(ids, mask) if real], int(label))
            for batch in batches
            for ids, mask, label in zip(batch.input_ids, batch.attention_mask, batch.labels)
        ]
        assert sorted(found) == sorted(zip(rows, labels))
        assert all((batch.input_ids[batch.attention_mask == 0] == 0).all() for batch in batches)
    first = [stream(number).labels.tolist() for number in range(3)]
    assert first == [
        TextBatches(rows, labels, pad_id=0, batch_size=4, seed=3)(n).labels.tolist() for n in range(3)
    ]
    assert any(not torch.equal(stream(n).input_ids, stream(n + 3).input_ids) for n in range(3))  # drawn anew


@pytest.mark.parametrize(("rows", "labels"), [([], []), ([[1, 2]], [0, 1])])
def test_rows_and_labels_that_do_not_fit(rows, labels):
    with pytest.raises(ValueError, match="a label for each row"):
        TextBatches(rows, labels, pad_id=0)


# --- rates ------------------------------------------------------------------------------------------------------------


def test_the_rate_falls_from_layer_to_layer():
    model = new_model()
    optimizer = layered_adamw(model, layer_decay=0.5)
    set_learning_rate(optimizer, 0.8)
    rate = {id(p): group["lr"] for group in optimizer.param_groups for p in group["params"]}
    decays = {id(p): group["weight_decay"] for group in optimizer.param_groups for p in group["params"]}
    expected = {"classifier.": 0.8, "bert.pooler.": 0.8, "bert.embeddings.": 0.1}
    expected |= {f"bert.encoder.layers.{number}.": 0.8 * 0.5 ** (2 - number) for number in range(3)}
    for name, parameter in model.named_parameters():
        (found,) = [value for start, value in expected.items() if name.startswith(start)]
        assert rate[id(parameter)] == pytest.approx(found), name
        assert decays[id(parameter)] == (0.01 if parameter.dim() >= 2 else 0.0), name
    assert sum(len(group["params"]) for group in optimizer.param_groups) == len(list(model.parameters()))


def test_without_decay_all_learn_at_the_full_rate():
    optimizer = layered_adamw(new_model())
    set_learning_rate(optimizer, 0.3)
    assert {group["lr"] for group in optimizer.param_groups} == {0.3}


# --- learning ---------------------------------------------------------------------------------------------------------


def test_a_planted_word_is_learned():
    model, (rows, labels) = new_model(), planted(1)
    asked, answers = planted(2)
    before = predict(model, asked, pad_id=0)
    fine_tune(model, TextBatches(rows, labels, pad_id=0), updates=150, peak_rate=5e-3)
    assert not model.training
    after = predict(model, asked, pad_id=0, batch_size=7)
    assert (before == torch.tensor(answers)).float().mean() < 0.8
    assert (after == torch.tensor(answers)).float().mean() > 0.95


def test_answers_stand_in_the_order_of_the_rows():
    model, (rows, labels) = new_model(), planted(1)
    fine_tune(model, TextBatches(rows, labels, pad_id=0), updates=150, peak_rate=5e-3)
    mixed = [rows[place] for place in (7, 0, 3, 2, 9, 4)]
    assert predict(model, mixed, pad_id=0, batch_size=2).tolist() == [1, 0, 1, 0, 1, 0]


def test_what_is_dropped_hangs_on_the_seed_alone():
    rows, labels = planted(1)
    found = []
    for seed, noise in ((0, 1), (0, 2), (1, 1)):
        model = new_model()
        torch.manual_seed(noise)
        fine_tune(
            model, TextBatches(rows, labels, pad_id=0), updates=3, peak_rate=1e-2, dropout=0.5, seed=seed
        )
        found.append(model.classifier.weight)
    assert torch.equal(found[0], found[1]) and not torch.equal(found[0], found[2])


def test_no_update_is_refused():
    rows, labels = planted(0)
    with pytest.raises(ValueError, match="updates must be at least 1, got 0"):
        fine_tune(new_model(), TextBatches(rows, labels, pad_id=0), updates=0, peak_rate=1e-3)

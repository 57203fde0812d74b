"""MT-DNN: one encoder for all, a head for each, batches that never mix."""

from collections import Counter

import torch

from course_utils.after.multitask import MultiTaskModel, shuffled_batches
from course_utils.bert import BertModel
from course_utils.datasets.batching import seeded
from course_utils.heads import BertForSequenceClassification, BertForTokenClassification
from tests.after.models import B, T, batch, config

SIZES = {"reviews": 211, "names": 53, "pairs": 17}


def model(**more):
    small = config(2, **more)
    encoder = BertModel(small, generator=seeded(0))
    models = {
        "reviews": BertForSequenceClassification(small, 2, generator=seeded(1)),
        "names": BertForTokenClassification(small, 7, generator=seeded(2)),
        "pairs": BertForSequenceClassification(small, 1, generator=seeded(3)),
    }
    return MultiTaskModel(encoder, models), encoder, models


LABELS = {
    "reviews": torch.tensor([0, 1, 1]),
    "names": torch.arange(B * T).view(B, T) % 7,
    "pairs": torch.tensor([0.5, -0.5, 0.1]),
}


def inputs():
    ids, mask, segments, _ = batch()
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}


def test_each_task_has_its_own_head_on_the_shared_encoder():
    multi, encoder, models = model()
    multi.eval()
    for name, alone in models.items():
        alone.eval().bert.load_state_dict(
            {key: tensor for key, tensor in encoder.state_dict().items() if key in alone.bert.state_dict()}
        )
        own, theirs = multi(name, **inputs(), labels=LABELS[name]), alone(**inputs(), labels=LABELS[name])
        torch.testing.assert_close(own.logits, theirs.logits)
        torch.testing.assert_close(own.loss, theirs.loss)
    assert all(multi.tasks[name].bert is encoder for name in models) and multi.encoder is encoder


def test_the_models_given_stay_as_they_are():
    multi, encoder, models = model()
    assert all(one.bert is not encoder for one in models.values())
    assert all(multi.tasks[name].classifier is not one.classifier for name, one in models.items())


def test_an_update_on_one_task_changes_the_encoder_for_all_and_no_other_head():
    multi, encoder, _ = model(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    before = {name: multi(name, **inputs()).logits.detach() for name in LABELS}
    heads = {name: multi.tasks[name].classifier.weight.clone() for name in LABELS}
    optimizer = torch.optim.SGD(multi.parameters(), lr=0.5)
    multi("names", **inputs(), labels=LABELS["names"]).loss.backward()
    assert encoder.embeddings.token.weight.grad.abs().sum() > 0
    optimizer.step()
    for name in LABELS:
        assert not torch.allclose(multi(name, **inputs()).logits, before[name])
        assert torch.equal(multi.tasks[name].classifier.weight, heads[name]) == (name != "names")


def test_an_epoch_has_every_example_once_and_no_batch_of_two_tasks():
    batches = shuffled_batches(SIZES, batch_size=5, generator=seeded(0))
    assert Counter(name for name, _ in batches) == {"reviews": 43, "names": 11, "pairs": 4}  # ⌈n/5⌉
    for name, size in SIZES.items():
        chosen = [numbers for task, numbers in batches if task == name]
        assert sorted(number for numbers in chosen for number in numbers) == list(range(size))
        assert sorted(map(len, chosen), reverse=True) == [5] * (size // 5) + [size % 5]


def test_tasks_are_spread_over_the_epoch_and_examples_over_their_batches():
    batches = shuffled_batches(SIZES, batch_size=5, generator=seeded(0))
    order = [name for name, _ in batches]
    changes = sum(one != other for one, other in zip(order, order[1:]))
    assert changes > 15  # one after the other there would be 2
    first = [numbers for task, numbers in batches if task == "reviews"]
    assert any(numbers != sorted(numbers) for numbers in first)
    assert max(max(numbers) - min(numbers) for numbers in first) > 100


def test_the_order_is_the_generators():
    def drawn(seed):
        return shuffled_batches(SIZES, batch_size=5, generator=seeded(seed))

    assert drawn(3) == drawn(3) and drawn(3) != drawn(4)
    generator = seeded(3)
    epochs = [shuffled_batches(SIZES, batch_size=5, generator=generator) for _ in range(2)]
    assert epochs[0] == drawn(3) and epochs[0] != epochs[1]

"""Heads switched off: the same as a copy whose output projection lacks their columns, and all undone afterwards."""

import copy

import pytest
import torch

from course_utils.bert import BertModel
from course_utils.contextual import senses, separation
from course_utils.contextual.senses import sense_points
from course_utils.datasets.batching import Batch
from course_utils.heads import BertForMaskedLM
from course_utils.interpretation import ablation, head_effects, heads_off, measure_heads
from course_utils.interpretation.ablation import masked_loss
from tests.interpretation.models import HARBOUR, hooks_of, small_model, small_pair, small_tokenizer

TOKENIZER = small_tokenizer()
IDS = torch.tensor(
    [TOKENIZER.encode(HARBOUR).input_ids, TOKENIZER.encode("어제 배를 탔다. 배에서 배.").input_ids]
)
HEADS = {(0, 1), (0, 4), (2, 3)}
GROUPS = {
    "ship": ["배를 탔다.", "나는 배를 탔다.", "어제 배를 탔다."],
    "pear": ["배를 먹었다.", "어제 배를 먹었다."],
}


def without_columns(model, heads):
    """A copy whose W^O has zeros for what these heads bring: 3 columns each (D = 3)."""
    quiet = copy.deepcopy(model)
    bert = getattr(quiet, "bert", quiet)
    with torch.no_grad():
        for layer, head in heads:
            if hasattr(bert.encoder, "layers"):
                weight = bert.encoder.layers[layer].attention.output.weight
            else:
                weight = bert.encoder.layer[layer].attention.output.dense.weight
            weight[:, 3 * head : 3 * head + 3] = 0
    return quiet


def outputs(model):
    with torch.no_grad():
        return model(IDS).last_hidden_state


@pytest.mark.parametrize("make", [small_model, lambda: small_pair()[1]], ids=["ours", "transformers"])
@pytest.mark.parametrize("heads", [HEADS, {(1, 0)}, {(0, head) for head in range(5)}, set()])
def test_off_is_zero_columns(make, heads):
    model = make()
    whole = outputs(model)
    with heads_off(model, heads) as same:
        assert same is model
        damaged = outputs(model)
    torch.testing.assert_close(damaged, outputs(without_columns(model, heads)), rtol=0, atol=1e-5)
    assert (not heads) == torch.allclose(damaged, whole, atol=1e-4)
    torch.testing.assert_close(outputs(model), whole, rtol=0, atol=0)


def test_the_open_path_is_switched_off_too_and_the_heads_still_look():
    model = small_model()
    with torch.no_grad(), heads_off(model, {(0, 2)}):
        opened = model(IDS, output_attentions=True)
        torch.testing.assert_close(opened.last_hidden_state, outputs(model), rtol=0, atol=1e-5)
    whole = model(IDS, output_attentions=True)
    assert torch.equal(opened.attentions[0], whole.attentions[0])
    assert not torch.allclose(opened.attentions[1], whole.attentions[1], atol=1e-3)


def test_parameters_are_untouched_and_hooks_removed_also_after_an_error():
    model = small_model()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with pytest.raises(RuntimeError, match="stop"), heads_off(model, HEADS):
        assert hooks_of(model) == 2  # one a layer that has heads off
        assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
        raise RuntimeError("stop")
    assert hooks_of(model) == 0
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())


def test_blocks_may_stand_in_each_other():
    model = small_model()
    with heads_off(model, {(0, 1)}), heads_off(model, {(0, 4), (2, 3)}):
        nested = outputs(model)
    with heads_off(model, HEADS):
        torch.testing.assert_close(nested, outputs(model), rtol=0, atol=1e-6)


@pytest.mark.parametrize("head", [(3, 0), (0, 5), (-1, 0), (0, -1)])
def test_there_is_no_such_head(head):
    model = small_model()
    with (
        pytest.raises(ValueError, match="layer must lie in 0 … 2 and head in 0 … 4"),
        heads_off(model, [(0, 0), head]),
    ):
        pass
    assert hooks_of(model) == 0


def test_each_head_is_measured_in_its_own_cell():
    model = small_model()
    found = measure_heads(model, lambda: (float(outputs(model).sum()), float(outputs(model)[0, 3, 1])))
    assert found.shape == (2, 3, 5) and found.dtype == torch.float64
    for layer, head in [(0, 0), (1, 4), (2, 2)]:
        quiet = outputs(without_columns(model, {(layer, head)}))
        assert float(found[0, layer, head]) == pytest.approx(float(quiet.sum()), abs=1e-3)
        assert float(found[1, layer, head]) == pytest.approx(float(quiet[0, 3, 1]), abs=1e-4)


def make_batch(rows, chosen):
    """Rows of unequal length as a padded batch in which the `chosen` (row, place) are masked."""
    length = max(map(len, rows))
    ids = torch.tensor([row + [0] * (length - len(row)) for row in rows])
    labels = torch.full_like(ids, -100)
    for row, place in chosen:
        labels[row, place], ids[row, place] = ids[row, place].clone(), 4
    real = torch.tensor([[1] * len(row) + [0] * (length - len(row)) for row in rows])
    return Batch(ids, real, torch.zeros_like(ids), labels, None)


def batches():
    rows = [TOKENIZER.encode(sentence).input_ids for sentence in (HARBOUR, "배를 먹었다.", "어제 배를 탔다.")]
    return [make_batch(rows[:2], [(0, 6), (0, 8), (1, 1)]), make_batch(rows[2:], [(0, 2)])]


@pytest.mark.parametrize("cls", [None, BertForMaskedLM])
def test_the_loss_is_the_mean_over_all_chosen_tokens(cls):
    model = small_model() if cls is None else small_model(cls)
    losses = []
    with torch.no_grad():
        for batch in batches():
            for row, place in (batch.labels != -100).nonzero().tolist():
                alone = batch.input_ids[row : row + 1, : int(batch.attention_mask[row].sum())]
                scores = model(alone).logits[0, place].log_softmax(-1)
                losses.append(-float(scores[batch.labels[row, place]]))
    assert len(losses) == 4
    assert masked_loss(model, batches()) == pytest.approx(sum(losses) / 4, abs=1e-4)


def test_a_loss_needs_something_to_predict():
    with pytest.raises(ValueError, match="at least one chosen token"):
        masked_loss(small_model(), [make_batch([[2, 5, 3]], [])])


@pytest.fixture
def toy_corpus(monkeypatch):
    """Two senses only, and their example sentences."""
    examples = {sense: [[sentence.replace(".", "")] for sentence in rows] for sense, rows in GROUPS.items()}
    monkeypatch.setattr(senses, "homonym", lambda word: ("bae", tuple(GROUPS)))
    monkeypatch.setattr(senses, "sense_documents", lambda word, sense: examples[sense])


def test_effects_are_what_a_damaged_copy_measures(toy_corpus):
    model = small_model()
    with torch.no_grad():  # heads that matter, whatever the random weights
        for layer in model.bert.encoder.layers:
            layer.attention.output.weight.mul_(5)
    effects = head_effects(model, TOKENIZER, batches(), held_out=GROUPS)
    sentences = [sentence for rows in GROUPS.values() for sentence in rows]
    labels = [sense for sense, rows in GROUPS.items() for _ in rows]
    space = senses.sense_space(model, TOKENIZER, "배")

    def measured(other):
        points = sense_points(other, TOKENIZER, sentences, "배")
        right = [space.senses[row.argmax()] == sense for row, sense in zip(space.scores(points), labels)]
        return masked_loss(other, batches()), separation(points, labels), sum(right) / 5

    whole = measured(model)
    assert tuple(effects.whole) == pytest.approx(whole, abs=1e-5)
    for layer, head in [(0, 3), (1, 1), (2, 4)]:
        damaged = measured(without_columns(model, {(layer, head)}))
        for change, before, after in zip(effects.change, whole, damaged, strict=True):
            assert change.shape == (3, 5)
            assert float(change[layer, head]) == pytest.approx(after - before, abs=1e-4)
    assert effects.change.loss.abs().max() > 0.01 and effects.change.separation.abs().max() > 0.01
    assert hooks_of(model) == 0


def test_the_words_own_held_out_sentences_are_the_default(toy_corpus, monkeypatch):
    monkeypatch.setattr(ablation, "held_out_sentences", lambda: {"눈": {}, "배": GROUPS})
    model = small_model()
    default, given = (
        head_effects(model, TOKENIZER, batches()),
        head_effects(model, TOKENIZER, batches(), held_out=GROUPS),
    )
    assert default.whole == given.whole


def test_effects_in_training_mode_are_refused():
    with pytest.raises(ValueError, match=r"training mode.*model\.eval\(\)"):
        head_effects(small_model().train(), TOKENIZER, batches())
    with pytest.raises(TypeError, match="BertModel"):
        heads_off(small_model(BertModel).pooler, {(0, 0)}).__enter__()

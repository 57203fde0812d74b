import dataclasses
import json
from pathlib import Path

import pytest
import torch
import transformers

from course_utils.after.albert import AlbertConfig, AlbertForPreTraining, AlbertModel, SharedEncoder
from course_utils.after.sentence_order import IN_ORDER, SWAPPED, sentence_order_pairs
from course_utils.heads import BertForSequenceClassification
from tests.after.twins import SIZES, B, batch, copy_weights, masked_labels, same_gradients
from tests.small import randomised

PAPER = Path(__file__).parents[2] / "data/paper/albert_sizes.json"
LAYER = "encoder.albert_layer_groups.0.albert_layers.0"
NAMES = {
    "embeddings.project": "encoder.embedding_hidden_mapping_in",
    "encoder.layer.attention.query": f"{LAYER}.attention.query",
    "encoder.layer.attention.key": f"{LAYER}.attention.key",
    "encoder.layer.attention.value": f"{LAYER}.attention.value",
    "encoder.layer.attention.output": f"{LAYER}.attention.dense",
    "encoder.layer.attention_norm": f"{LAYER}.attention.LayerNorm",
    "encoder.layer.feed_forward.expand": f"{LAYER}.ffn",
    "encoder.layer.feed_forward.contract": f"{LAYER}.ffn_output",
    "encoder.layer.feed_forward_norm": f"{LAYER}.full_layer_layer_norm",
    "pooler.dense": "pooler",
    "mlm.dense": "predictions.dense",
    "mlm.norm": "predictions.LayerNorm",
    "mlm": "predictions",
    "order": "sop_classifier.classifier",
}
SMALL = {**SIZES, "embedding_size": 7}
# To the unit; without a head, with the pooler. V = 30,000, E = 128, 512 positions, 2 segments.
PUBLISHED = {"base": 11_683_584, "large": 17_683_968, "xlarge": 58_724_864, "xxlarge": 222_595_584}


def twins(kind=AlbertForPreTraining, *, hidden_act="gelu"):
    """A random reference model and ours with its weights."""
    theirs = {"gelu": "gelu", "gelu_tanh": "gelu_new"}[hidden_act]
    reference = getattr(transformers, kind.__name__)(
        transformers.AlbertConfig(**SMALL, hidden_act=theirs, attn_implementation="eager")
    )
    reference = randomised(reference)
    ours = kind(AlbertConfig(**SMALL, hidden_act=hidden_act)).double().eval()
    return ours, reference, copy_weights(ours, reference, NAMES, "albert.")


@pytest.mark.parametrize("hidden_act", ["gelu", "gelu_tanh"])
def test_the_model_is_that_of_transformers(hidden_act):
    ours, reference, _ = twins(AlbertModel, hidden_act=hidden_act)
    ids, mask, segments = batch()
    mine = ours(ids, mask, segments, output_attentions=True)
    theirs = reference(ids, mask, segments, output_hidden_states=True, output_attentions=True)
    real = mask.bool()
    torch.testing.assert_close(
        mine.last_hidden_state[real], theirs.last_hidden_state[real], rtol=0, atol=1e-9
    )
    torch.testing.assert_close(mine.pooler_output, theirs.pooler_output, rtol=0, atol=1e-9)
    assert len(mine.hidden_states) == len(mine.attentions) + 1 == SIZES["num_hidden_layers"] + 1
    for one, other in zip(mine.hidden_states, theirs.hidden_states, strict=True):
        torch.testing.assert_close(one[real], other[real], rtol=0, atol=1e-9)
    for one, other in zip(mine.attentions, theirs.attentions, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-9)


def test_losses_and_gradients_are_those_of_transformers():
    ours, reference, table = twins()
    labels, order = masked_labels(), torch.tensor([0, 1, 1, 0, 1])
    mine = ours(*batch(), labels=labels, sentence_order_label=order)
    theirs = reference(*batch(), labels=labels, sentence_order_label=order)
    torch.testing.assert_close(mine.loss, theirs.loss, rtol=0, atol=1e-9)
    torch.testing.assert_close(mine.logits, theirs.prediction_logits[labels != -100], rtol=0, atol=1e-9)
    torch.testing.assert_close(mine.order_logits, theirs.sop_logits, rtol=0, atol=1e-9)
    mine.loss.backward()
    theirs.loss.backward()
    same_gradients(ours, reference, table, "albert.")


def test_each_loss_is_given_by_itself_and_their_sum_is_the_loss():
    ours, _, _ = twins()
    order = torch.tensor([0, 1, 1, 0, 1])
    alone = ours(*batch(), sentence_order_label=order)
    words = ours(*batch(), labels=masked_labels())
    both = ours(*batch(), labels=masked_labels(), sentence_order_label=order)
    assert ours(*batch()).loss is None and alone.mlm_loss is None and words.order_loss is None
    torch.testing.assert_close(both.loss, words.mlm_loss + alone.order_loss, rtol=0, atol=1e-9)
    expected = -both.order_logits.log_softmax(-1)[torch.arange(B), order].mean()
    torch.testing.assert_close(both.order_loss, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", PUBLISHED)
def test_parameters_are_as_many_as_in_transformers_and_in_the_paper(size):
    config = getattr(AlbertConfig, size)()
    shared = {
        name: value
        for name, value in dataclasses.asdict(config).items()
        if name not in ("hidden_act", "hidden_dropout_prob", "attention_probs_dropout_prob")
    }
    with torch.device("meta"):
        ours = AlbertModel(config)
        theirs = transformers.AlbertModel(transformers.AlbertConfig(**shared))
    count = sum(parameter.numel() for parameter in ours.parameters())
    assert count == sum(parameter.numel() for parameter in theirs.parameters()) == PUBLISHED[size]
    table = json.loads(PAPER.read_text(encoding="utf-8"))["rows"]
    _, millions, layers, hidden, embedding, sharing = next(row for row in table if row[0] == f"ALBERT {size}")
    assert (config.num_hidden_layers, config.hidden_size, config.embedding_size) == (
        layers,
        hidden,
        embedding,
    )
    assert sharing
    # 11.7 and 17.7 round to the paper's 12 and 18. Of the 60 of xlarge 58.7 are there (59.0 with the heads); of the 235
    # of xxlarge 222.6 (223.2 with the heads), as in transformers: the parts that the paper names make no more.
    assert round(count / 1e6) == {"xlarge": 59, "xxlarge": 223}.get(size, millions)


def test_one_layer_is_used_several_times():
    deep = randomised(SharedEncoder(AlbertConfig(**SMALL)))
    assert len(list(deep.parameters())) == len(list(deep.layer.parameters()))
    states = torch.randn(2, 5, 44, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    by_hand = states
    for _ in range(3):
        by_hand, _ = deep.layer(by_hand)
    torch.testing.assert_close(deep(states).last_hidden_state, by_hand, rtol=0, atol=0)


def test_a_task_head_sits_on_it():
    class OnAlbert(BertForSequenceClassification):
        model_class = AlbertModel

    model = OnAlbert(AlbertConfig(**SMALL), 3)
    model(*batch(), labels=torch.tensor([0, 1, 2, 1, 0])).loss.backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


DOCUMENTS = [[[10 * d + s] for s in range(n)] for d, n in enumerate([5, 1, 7, 2])]


def test_pairs_are_neighbours_of_one_document_in_order_or_swapped():
    pairs = sentence_order_pairs(DOCUMENTS, generator=torch.Generator().manual_seed(0))
    assert len(pairs) == 4 + 1 + 6 + 1
    for first, second, label in pairs:
        if second is None:
            assert label is None and first == [10]
            continue
        step = second[0] - first[0]
        assert first[0] // 10 == second[0] // 10
        assert (step, label) in {(1, IN_ORDER), (-1, SWAPPED)}
    places = [min(pair.first[0], pair.second[0]) for pair in pairs if pair.second]
    assert places == [0, 1, 2, 3, 20, 21, 22, 23, 24, 25, 30]


def test_half_of_them_are_swapped():
    pairs = sentence_order_pairs([[[n] for n in range(4001)]], generator=torch.Generator().manual_seed(1))
    swapped = sum(pair.label == SWAPPED for pair in pairs)
    assert abs(swapped / 4000 - 0.5) < 0.03  # 3.8 standard deviations


def test_equal_neighbours_are_in_order_and_nothing_is_changed():
    documents = [[[1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2], [1, 2]]]
    pairs = sentence_order_pairs(documents, generator=torch.Generator().manual_seed(0))
    assert {pair.label for pair in pairs} == {IN_ORDER}
    assert documents == [[[1, 2]] * 7]
    assert sentence_order_pairs([[], []], generator=torch.Generator()) == []

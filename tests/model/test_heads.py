import pytest
import torch
import torch.nn.functional as F
import transformers

from course_utils import heads
from course_utils.config import BertConfig
from course_utils.pretrained.name_map import plain_name, reference_name
from tests.model.every_head import HEADS, SIZES, B, T, in_its_form, targets
from tests.model.every_head import batch as rows_of

V = SIZES["vocab_size"]
# Devlin et al. 2019, Turc et al. 2019, vocabulary 30,522: encoder and pooler; with the heads of pre-training, too.
PUBLISHED = {
    "tiny": (4_385_920, 4_433_468),
    "mini": (11_170_560, 11_267_900),
    "small": (28_763_648, 29_058_876),
    "medium": (41_373_184, 41_668_412),
    "base": (109_482_240, 110_106_428),
    "large": (335_141_888, 336_226_108),
}


def twins(name, num_labels=3, **overrides):
    """A random reference model and ours with its weights; float64, eval mode."""
    torch.manual_seed(0)
    labels = {"num_labels": num_labels} if "Classification" in name else {}
    reference = getattr(transformers, name)(
        transformers.BertConfig(**SIZES, **labels, **overrides, attn_implementation="eager")
    )
    reference = reference.double().eval()
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.normal_(std=0.3)
    weights = {plain_name(key): tensor for key, tensor in reference.state_dict().items()}
    ours = getattr(heads, name)(BertConfig(**SIZES, **overrides), **labels).double().eval()
    ours.load_state_dict({key: weights[reference_name(key)] for key in ours.state_dict()})
    return ours, reference


def batch(name=None):
    return in_its_form(name, rows_of())


def run_reference(reference, **more):
    ids, mask, segments = batch(type(reference).__name__)
    if isinstance(reference, transformers.BertForNextSentencePrediction) and more:
        more = {"labels": more["next_sentence_label"]}
    return reference(ids, attention_mask=mask, token_type_ids=segments, output_hidden_states=True, **more)


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameter_totals(name):
    with torch.device("meta"):
        model = heads.BertForPreTraining(getattr(BertConfig, name)())
    totals = [sum(weight.numel() for weight in part.parameters()) for part in (model.bert, model)]
    assert totals == [*PUBLISHED[name]]


@pytest.mark.parametrize("name", HEADS)
def test_logits_without_labels_equal_the_reference(name):
    ours, reference = twins(name)
    output, expected = ours(*batch(name)), run_reference(reference)
    assert output.loss is None
    pairs = {
        "BertForPreTraining": ["prediction_logits", "seq_relationship_logits"],
        "BertForQuestionAnswering": ["start_logits", "end_logits"],
    }.get(name, ["logits"])
    for logits in pairs:
        torch.testing.assert_close(getattr(output, logits), getattr(expected, logits), rtol=0, atol=1e-9)


def same_losses_and_gradients(ours, reference, output, expected):
    torch.testing.assert_close(output.loss, expected.loss, rtol=0, atol=1e-9)
    output.loss.backward()
    expected.loss.backward()
    theirs = {plain_name(key): parameter for key, parameter in reference.named_parameters()}
    assert sum(p.numel() for p in theirs.values()) == sum(p.numel() for p in ours.parameters())
    for key, parameter in ours.named_parameters():
        wanted = theirs[reference_name(key)].grad
        torch.testing.assert_close(parameter.grad, wanted, rtol=0, atol=1e-8, msg=key)


@pytest.mark.parametrize("name", HEADS)
def test_losses_and_all_gradients_equal_the_reference(name):
    ours, reference = twins(name)
    given = ours(*batch(name), **targets(name)), run_reference(reference, **targets(name))
    same_losses_and_gradients(ours, reference, *given)


def test_with_one_label_the_loss_is_the_squared_error_and_equals_the_reference():
    ours, reference = twins("BertForSequenceClassification", num_labels=1)
    labels = torch.tensor([0.0, 3.7, 5.0, 1.3, 2.9], dtype=torch.float64)
    output = ours(*batch(), labels=labels)
    pairs = zip(output.logits.flatten().tolist(), labels.tolist())
    assert output.loss.item() == pytest.approx(sum((value - label) ** 2 for value, label in pairs) / B)
    with pytest.raises(ValueError, match=r"labels must have shape \(5,\), got \(5, 1\)"):
        ours(*batch(), labels=labels[:, None])  # would be the mean over all 25 pairs
    same_losses_and_gradients(ours, reference, output, run_reference(reference, labels=labels))


@pytest.mark.parametrize("name", HEADS)
def test_what_the_encoder_gave_comes_too(name):
    ours, _ = twins(name)
    rows = [part.reshape(-1, T) for part in batch(name)]
    output, encoded = ours(*batch(name), output_attentions=True), ours.bert(*rows, output_attentions=True)
    assert torch.equal(output.last_hidden_state, encoded.last_hidden_state)
    assert all(map(torch.equal, output.hidden_states, encoded.hidden_states))
    assert all(map(torch.equal, output.attentions, encoded.attentions))
    assert (output.pooler_output is None) == (encoded.pooler_output is None)
    assert ours(*batch(name)).attentions is None


# --- masked language model ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["BertForPreTraining", "BertForMaskedLM"])
def test_the_decoder_runs_on_the_chosen_positions_only(name):
    ours, _ = twins(name)
    labels = targets(name)["labels"]
    everywhere, chosen = ours(*batch()).logits, ours(*batch(), labels=labels).logits
    assert everywhere.shape == (B, T, V)
    assert chosen.shape == (int((labels != -100).sum()), V)
    torch.testing.assert_close(chosen, everywhere[labels != -100], rtol=0, atol=1e-9)


def test_the_decoder_is_tied_and_its_bias_free():
    ours, _ = twins("BertForMaskedLM")
    assert [name for name, p in ours.named_parameters() if V in p.shape] == [
        "bert.embeddings.token.weight",
        "mlm.bias",
    ]
    before = ours(*batch()).logits
    hidden = ours(*batch()).last_hidden_state
    transformed = ours.mlm.norm(F.gelu(ours.mlm.dense(hidden)))
    expected = transformed @ ours.bert.embeddings.token.weight.T + ours.mlm.bias
    torch.testing.assert_close(before, expected, rtol=0, atol=1e-9)


def test_without_any_chosen_position_the_loss_is_zero():
    ours, _ = twins("BertForPreTraining")
    output = ours(*batch(), labels=torch.full((B, T), -100))
    output.loss.backward()
    assert float(output.loss) == 0.0 and output.prediction_logits.shape == (0, V)
    assert all(torch.isfinite(p.grad).all() for p in ours.parameters() if p.grad is not None)


# --- next sentence prediction ---------------------------------------------------------------------------------


def test_zero_means_next():
    ours, _ = twins("BertForPreTraining")
    with torch.no_grad():
        ours.nsp.weight.zero_()
        ours.nsp.bias.copy_(torch.tensor([5.0, -5.0]))  # "B is the next sentence", surely
    losses = [float(ours(*batch(), next_sentence_label=torch.full((B,), label)).loss) for label in (0, 1)]
    assert losses[0] < 1e-4 and losses[1] == pytest.approx(10.0, abs=1e-3)


# --- the others -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["BertForSequenceClassification", "BertForTokenClassification", "BertForMultipleChoice"]
)
def test_dropout_before_the_classifier_only_in_training(name):
    labels = {} if name == "BertForMultipleChoice" else {"num_labels": 7}
    ours = getattr(heads, name)(BertConfig(**SIZES, hidden_dropout_prob=0.3), **labels)
    assert ours.dropout.p == 0.3 and ours.classifier.out_features == labels.get("num_labels", 1)
    for module in ours.bert.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0  # what is left is the head's own
    torch.manual_seed(0)
    one, other = (ours.train()(*batch(name)).logits for _ in range(2))
    assert not torch.allclose(one, other)
    assert torch.equal(ours.eval()(*batch(name)).logits, ours(*batch(name)).logits)


def test_where_all_tags_are_ignored_the_loss_is_zero_where_the_reference_has_nan():
    ours, reference = twins("BertForTokenClassification")
    labels = torch.full((B, T), -100)
    assert float(ours(*batch(), labels=labels).loss) == 0.0
    assert torch.isnan(run_reference(reference, labels=labels).loss)


def test_a_position_beyond_the_row_is_refused_where_the_reference_leaves_it_out():
    ours, reference = twins("BertForQuestionAnswering")
    ends = torch.tensor([1, 8, 5, 12, 4])
    starts = torch.tensor([0, 3, 5, 12, T])
    expected = run_reference(reference, start_positions=starts, end_positions=ends).loss
    logits = ours(*batch())
    parts = [F.cross_entropy(logits.start_logits[:4], starts[:4]), F.cross_entropy(logits.end_logits, ends)]
    torch.testing.assert_close(expected, sum(parts) / 2, rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match="got 13"):
        ours(*batch(), start_positions=starts, end_positions=ends)


# --- choices --------------------------------------------------------------------------------------------------


def test_choices_in_another_order_get_the_same_scores_in_that_order():
    ours, _ = twins("BertForMultipleChoice")
    order = torch.tensor([2, 0, 1])
    given = batch("BertForMultipleChoice")
    turned = ours(*(part[:, order] for part in given)).logits
    torch.testing.assert_close(turned, ours(*given).logits[:, order], rtol=0, atol=1e-9)


def test_a_choice_is_scored_by_itself_whatever_stands_beside_it():
    ours, _ = twins("BertForMultipleChoice")
    given = batch("BertForMultipleChoice")
    both = ours(*(part[:, :2] for part in given)).logits
    torch.testing.assert_close(both, ours(*given).logits[:, :2], rtol=0, atol=1e-9)
    by_hand = ours.classifier(ours.bert(*(part[3, 1:2] for part in given)).pooler_output)
    torch.testing.assert_close(both[3, 1], by_hand[0, 0], rtol=0, atol=1e-9)


def test_the_same_generator_gives_the_same_model():
    one, same, other = (
        heads.BertForPreTraining(BertConfig(**SIZES), generator=torch.Generator().manual_seed(seed))
        for seed in (1, 1, 2)
    )
    assert all(map(torch.equal, one.state_dict().values(), same.state_dict().values()))
    assert not torch.equal(one.nsp.weight, other.nsp.weight)
    assert not one.mlm.bias.any() and 0 < float(one.mlm.dense.weight.detach().abs().max()) <= 0.04


REFUSED = [
    ("BertForPreTraining", {"labels": torch.full((B, T), -1)}, r"0 … 100 or be -100 \(ignored\), got -1"),
    ("BertForPreTraining", {"labels": torch.full((B, T), V)}, "got 101"),
    ("BertForTokenClassification", {"labels": torch.zeros(T, B).long()}, r"shape \(5, 13\), got \(13, 5\)"),
    ("BertForNextSentencePrediction", {"next_sentence_label": torch.full((B,), -100)}, "in 0 … 1, got -100"),
    ("BertForMultipleChoice", {"labels": torch.full((B,), 3)}, "labels must lie in 0 … 2, got 3"),
    ("BertForQuestionAnswering", {"start_positions": torch.zeros(B).long()}, "got only one"),
]


@pytest.mark.parametrize(("name", "given", "message"), REFUSED)
def test_labels_that_would_give_a_wrong_loss_are_refused(name, given, message):
    ours, _ = twins(name)
    with pytest.raises(ValueError, match=message):
        ours(*batch(name), **given)


def test_with_one_class_there_is_nothing_to_learn():
    one = heads.BertForTokenClassification(BertConfig(**SIZES), num_labels=1)
    with pytest.raises(ValueError, match="at least 2 labels"):
        one(*batch(), labels=torch.zeros(B, T, dtype=torch.long))


# --- where values cannot be looked at -------------------------------------------------------------------------


@pytest.mark.parametrize("with_labels", [False, True])
@pytest.mark.rare
def test_pre_training_compiles_as_one_graph(with_labels):
    torch._dynamo.reset()
    ours, _ = twins("BertForPreTraining")
    given = targets("BertForPreTraining") if with_labels else {}
    # With labels the number of chosen positions is known only when the graph runs.
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(ours, fullgraph=True, backend="eager")
        actual = compiled(*batch(), **given)
    expected = ours(*batch(), **given)
    torch.testing.assert_close(actual.prediction_logits, expected.prediction_logits, rtol=0, atol=1e-9)
    torch.testing.assert_close(
        actual.seq_relationship_logits, expected.seq_relationship_logits, rtol=0, atol=1e-9
    )
    if with_labels:
        torch.testing.assert_close(actual.loss, expected.loss, rtol=0, atol=1e-9)
        actual.loss.backward()
        assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in ours.parameters())


@pytest.mark.parametrize("name", HEADS)
def test_every_head_runs_on_the_meta_device(name):
    with torch.device("meta"):
        model = getattr(heads, name)(BertConfig(**SIZES))
        labels = {key: label.to("meta") for key, label in targets(name).items()}
        labels.pop("labels" if "PreTraining" in name or "MaskedLM" in name else None, None)
        output = model(*(x.to("meta") for x in batch(name)), **labels)
    assert output.logits.is_meta and (output.loss is None) == (not labels)

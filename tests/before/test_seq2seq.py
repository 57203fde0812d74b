"""Translation before the Transformer: what all three models promise, whatever is inside."""

import pytest
import torch
import torch.nn.functional as F

from course_utils.before import AttentionSeq2Seq, GRUSeq2Seq
from tests.before.every_model import MODELS, SOURCE, TARGET, V_Q, made


@pytest.fixture(params=MODELS, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def test_shapes_and_dtype(kind) -> None:
    logits = made(kind)(SOURCE, TARGET)
    assert logits.shape == (3, 5, V_Q) and logits.dtype == torch.float64
    assert made(kind)(SOURCE[:1, :1], TARGET[:1, :1]).shape == (1, 1, V_Q)
    torch.testing.assert_close(made(kind)(SOURCE.int(), TARGET.int()), logits)


def test_padding_of_the_source_changes_nothing(kind) -> None:
    model = made(kind)
    together = model(SOURCE, TARGET)
    for row, length in enumerate((7, 3, 5)):
        alone = model(SOURCE[row : row + 1, :length], TARGET[row : row + 1])
        torch.testing.assert_close(together[row : row + 1], alone)
    wider = model(F.pad(SOURCE, (0, 4)), TARGET)
    torch.testing.assert_close(wider, together)


def test_padding_of_the_target_changes_nothing(kind) -> None:
    model = made(kind)
    together = model(SOURCE, TARGET)
    torch.testing.assert_close(model(SOURCE, F.pad(TARGET, (0, 3)))[:, :5], together)
    torch.testing.assert_close(model(SOURCE[1:2], TARGET[1:2, :3]), together[1:2, :3])


def test_another_padding_id(kind) -> None:
    model = made(kind)
    expected = model(SOURCE[1:2, :3], TARGET[1:2])
    model.pad_token_id = 16
    padded = torch.tensor([[11, 1, 8, 16, 16]])
    torch.testing.assert_close(model(padded, TARGET[1:2]), expected)


def test_no_target_token_changes_what_was_said_before_it(kind) -> None:
    model = made(kind)
    before = model(SOURCE, TARGET)
    for place in range(TARGET.shape[1]):
        changed = TARGET.clone()
        changed[:, place] = (changed[:, place] + 4) % V_Q
        moved = (model(SOURCE, changed) - before).abs().amax(-1) > 1e-9  # (B, T_q)
        assert not moved[:, :place].any() and moved[:, place].all()


def test_every_source_token_counts(kind) -> None:
    model = made(kind)
    before = model(SOURCE[:1], TARGET[:1])
    for place in range(7):
        changed = SOURCE[:1].clone()
        changed[:, place] = 13
        assert ((model(changed, TARGET[:1]) - before).abs().amax(-1) > 1e-9).all()


def test_every_parameter_is_trained(kind) -> None:
    model = made(kind).train()
    F.cross_entropy(
        model(SOURCE, TARGET)[:, :-1].flatten(0, 1), TARGET[:, 1:].flatten(), ignore_index=0
    ).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.isfinite().all() and parameter.grad.any(), name


@pytest.mark.parametrize("kind", [GRUSeq2Seq, AttentionSeq2Seq])
def test_one_token_after_the_other_says_the_same(kind) -> None:
    """A recurrent model's cache is its state."""
    model = made(kind)
    expected, state = model(SOURCE, TARGET), model.encode(SOURCE)
    for place in range(TARGET.shape[1]):
        logits, state = model.step(TARGET[:, place], state)
        torch.testing.assert_close(logits, expected[:, place])


def test_dropout_is_for_training_alone(kind) -> None:
    model = made(kind, dropout=0.5)
    assert torch.equal(model(SOURCE, TARGET), model(SOURCE, TARGET))
    torch.testing.assert_close(model(SOURCE, TARGET), made(kind)(SOURCE, TARGET))
    model.train()
    assert not torch.equal(model(SOURCE, TARGET), model(SOURCE, TARGET))
    with torch.no_grad():
        model.dropout.p = 1.0
        logits = model(SOURCE, TARGET)
    assert torch.equal(logits, model.output.bias.expand_as(logits))  # nothing gets through

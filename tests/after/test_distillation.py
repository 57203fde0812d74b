"""Soft targets, cosine, the student's start, and the loss that puts them together."""

import copy
import math

import pytest
import torch
import torch.nn.functional as F

from course_utils.after import (
    DistilBertForMaskedLM,
    DistillationLoss,
    cosine_loss,
    every_other_layer,
    soft_target_loss,
)
from course_utils.datasets.batching import seeded
from course_utils.heads import BertForMaskedLM, BertForPreTraining
from tests.after.models import V, batch, config, randn, without_dropout

N = 5


def logits():
    return randn(N, V, seed=1).requires_grad_(), randn(N, V, seed=2).requires_grad_()


# --- Soft targets


def test_soft_targets_by_hand():
    """Teacher (ln 3, 0) is ¾, ¼ at τ = 1; the student's (0, 0) is ½, ½."""
    teacher, student = torch.tensor([[math.log(3), 0.0]]), torch.zeros(1, 2)
    by_hand = 0.75 * math.log(0.75 / 0.5) + 0.25 * math.log(0.25 / 0.5)
    assert soft_target_loss(student, teacher, temperature=1.0).item() == pytest.approx(by_hand, abs=1e-6)
    # At τ = ½ the teacher's logits double: 9/10, 1/10; and τ² = ¼.
    by_hand = (0.9 * math.log(0.9 / 0.5) + 0.1 * math.log(0.1 / 0.5)) / 4
    assert soft_target_loss(student, teacher, temperature=0.5).item() == pytest.approx(by_hand, abs=1e-6)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0, 7.0])
def test_equal_to_torchs_kl_divergence_times_the_temperature_squared(temperature):
    student, teacher = logits()
    ours = soft_target_loss(student, teacher, temperature=temperature)
    logs = [(one / temperature).log_softmax(-1) for one in (student, teacher)]
    theirs = F.kl_div(*logs, log_target=True, reduction="batchmean") * temperature**2
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_the_papers_cross_entropy_is_more_by_the_teachers_entropy(temperature):
    student, teacher = logits()
    wanted = (teacher.detach() / temperature).softmax(-1)
    entropy = -(wanted * wanted.log()).sum(-1).mean() * temperature**2
    papers = F.cross_entropy(student / temperature, wanted) * temperature**2
    ours = soft_target_loss(student, teacher, temperature=temperature)
    assert (papers - ours).item() == pytest.approx(entropy.item(), abs=1e-10)
    gradients = [torch.autograd.grad(loss, student)[0] for loss in (papers, ours)]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)


def test_at_a_high_temperature_logits_are_matched():
    """∂/∂z = (z − v)/(V·N) for logits of mean 0 (Hinton et al. 2015, eq. 4)."""
    student, teacher = (one.detach() - one.detach().mean(-1, keepdim=True) for one in logits())
    student.requires_grad_()
    (gradient,) = torch.autograd.grad(soft_target_loss(student, teacher, temperature=1e4), student)
    torch.testing.assert_close(gradient, (student - teacher).detach() / (V * N), rtol=1e-3, atol=1e-6)


# --- Cosine


def hidden():
    return randn(3, 7, 11, seed=3).requires_grad_(), randn(3, 7, 11, seed=4).requires_grad_()


def test_cosine_by_hand():
    student = torch.tensor([[[1.0, 0.0], [3.0, 4.0], [9.0, 9.0]]])
    teacher = torch.tensor([[[5.0, 0.0], [4.0, 3.0], [-1.0, -1.0]]])
    assert cosine_loss(student, teacher).item() == pytest.approx((0 + 0.04 + 2) / 3, abs=1e-6)
    mask = torch.tensor([[1, 1, 0]])  # 24/25 is the cosine of (3, 4) and (4, 3)
    assert cosine_loss(student, teacher, mask).item() == pytest.approx(0.04 / 2, abs=1e-6)


def test_equal_to_torchs_cosine_embedding_loss_at_real_places():
    student, teacher = hidden()
    mask = batch()[1]
    real = mask.bool()
    theirs = F.cosine_embedding_loss(student[real], teacher[real], torch.ones(int(mask.sum())))
    torch.testing.assert_close(cosine_loss(student, teacher, mask), theirs, rtol=0, atol=1e-12)


def test_only_directions_at_real_places_count():
    student, teacher = hidden()
    mask = batch()[1]
    loss = cosine_loss(student, teacher, mask)
    louder = cosine_loss(7 * student, teacher, mask)
    torch.testing.assert_close(loss, louder, rtol=0, atol=1e-9)
    loss.backward()
    assert teacher.grad is None
    assert student.grad[mask == 0].abs().max() == 0 < student.grad[mask == 1].abs().min(-1).values.max()


# --- The student's start


def teacher_model(kind=BertForMaskedLM, layers=5, seed=0, **more):
    return kind(config(layers, **more), generator=seeded(seed))


@pytest.mark.parametrize(("layers", "kept"), [(12, [0, 2, 4, 6, 8, 10]), (5, [0, 2, 4]), (1, [0])])
def test_the_student_has_every_other_layer(layers, kept):
    teacher = teacher_model(layers=layers)
    student = every_other_layer(teacher)
    assert isinstance(student, DistilBertForMaskedLM)
    assert len(student.bert.encoder.layers) == student.config.num_hidden_layers == len(kept)
    for own, number in zip(student.bert.encoder.layers, kept, strict=True):
        wanted = teacher.bert.encoder.layers[number].state_dict()
        assert all(torch.equal(tensor, wanted[name]) for name, tensor in own.state_dict().items())
    assert torch.equal(student.bert.embeddings.token.weight, teacher.bert.embeddings.token.weight)
    assert torch.equal(
        student.bert.embeddings.position.embedding.weight, teacher.bert.embeddings.position.embedding.weight
    )
    for name, tensor in teacher.mlm.state_dict().items():
        assert torch.equal(student.mlm.state_dict()[name], tensor)


def test_a_teacher_of_one_layer_without_segments_is_its_own_student():
    teacher = teacher_model(layers=1).eval()
    with torch.no_grad():
        teacher.bert.embeddings.segment.weight.zero_()
    ids, mask, *_ = batch()
    student = every_other_layer(teacher).eval()
    torch.testing.assert_close(student(ids, mask).logits, teacher(ids, mask).logits)
    assert student.bert.pooler is None


def test_student_and_teacher_share_no_weights():
    teacher = teacher_model()
    before = copy.deepcopy(teacher.state_dict())
    student = every_other_layer(teacher)
    with torch.no_grad():
        for parameter in student.parameters():
            parameter.add_(1.0)
    assert all(torch.equal(tensor, before[name]) for name, tensor in teacher.state_dict().items())


def test_the_student_has_the_teachers_type():
    student = every_other_layer(teacher_model(BertForPreTraining).double())
    assert {parameter.dtype for parameter in student.parameters()} == {torch.float64}


# --- All together


def pair():
    teacher = teacher_model(hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.5).double()
    student = every_other_layer(teacher)
    return DistillationLoss(student, teacher), student, teacher


def test_the_three_parts_are_weighted_and_added():
    ids, mask, segments, labels = batch()
    distil, student, teacher = pair()
    without_dropout(student)
    output = distil(ids, mask, segments, labels)
    teacher.eval()
    taught, own, real = teacher(ids, mask, segments), student(ids, mask), mask.bool()
    soft = soft_target_loss(own.logits[real], taught.logits[real], temperature=2.0)
    torch.testing.assert_close(output.soft, soft)
    torch.testing.assert_close(output.masked, student(ids, mask, labels=labels).loss)
    torch.testing.assert_close(
        output.cosine, cosine_loss(own.last_hidden_state, taught.last_hidden_state, mask)
    )
    torch.testing.assert_close(output.loss, 5 * output.soft + 2 * output.masked + output.cosine)
    output = distil(ids, mask, segments)
    assert output.masked is None and output.loss == 5 * output.soft + output.cosine


def test_the_teacher_is_asked_in_eval_mode_and_gets_no_gradient():
    ids, mask, segments, labels = batch()
    distil, student, teacher = pair()
    distil.train()
    teacher.train()
    seen = []
    teacher.bert.encoder.layers[2].dropout.register_forward_hook(
        lambda part, given, output: seen.append((part.training, output.requires_grad))
    )
    distil(ids, mask, segments, labels).loss.backward()
    assert seen == [(False, False)] * 2 and teacher.training and student.training
    assert all(parameter.grad is None for parameter in teacher.parameters())
    assert all(parameter.grad is not None for parameter in student.parameters())


def test_the_teacher_is_no_part_of_it():
    distil, student, teacher = pair()
    assert {id(one) for one in distil.parameters()} == {id(one) for one in student.parameters()}
    teacher.eval()
    distil.train()
    assert not teacher.training and student.training
    assert all(name.startswith("student.") for name in distil.state_dict())


def test_a_teacher_that_fails_has_its_mode_back():
    distil, _, teacher = pair()
    teacher.train()
    with pytest.raises((ValueError, IndexError)):
        distil(torch.full((2, 3), V))
    assert teacher.training


def test_padding_counts_for_nothing():
    """What stands at padding changes no part; neither does more padding."""
    ids, mask, segments, labels = batch()
    distil, student, _ = pair()
    without_dropout(student)
    wanted = distil(ids, mask, segments, labels)
    other = distil(torch.where(mask == 1, ids, 5), mask, segments, labels)
    more = [F.pad(one, (0, 3)) for one in (ids, mask, segments)]
    longer = distil(*more, F.pad(labels, (0, 3), value=-100))
    for one, two, three in zip(wanted, other, longer, strict=True):
        torch.testing.assert_close(one, two)
        torch.testing.assert_close(one, three)


def test_a_student_of_another_width_is_told():
    ids, mask, *_ = batch()
    narrow = DistilBertForMaskedLM(config(2, hidden=15), generator=seeded(3))
    with pytest.raises(ValueError, match="student_hidden and teacher_hidden must have one shape"):
        DistillationLoss(narrow, teacher_model())(ids, mask)

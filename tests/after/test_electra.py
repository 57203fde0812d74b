import pytest
import torch
import transformers

from course_utils.after.electra import Electra
from course_utils.after.electra_parts import (
    ElectraConfig,
    ElectraDiscriminator,
    ElectraGenerator,
    ElectraModel,
)
from course_utils.after.replaced_tokens import replaced, sample_tokens
from course_utils.heads import BertForSequenceClassification
from tests.after.twins import SIZES, B, T, batch, copy_weights, masked_labels, same_gradients
from tests.small import randomised

NAMES = {
    "embeddings.project": "embeddings_project",
    "mlm.dense": "generator_predictions.dense",
    "mlm.norm": "generator_predictions.LayerNorm",
    "mlm": "generator_lm_head",
    "dense": "discriminator_predictions.dense",
    "score": "discriminator_predictions.dense_prediction",
}
SMALL = {**SIZES, "embedding_size": 7}
MASK = 1


def seeded(seed=3):
    return torch.Generator().manual_seed(seed)


def twins(kind, reference, **sizes):
    reference = randomised(
        getattr(transformers, reference)(
            transformers.ElectraConfig(**(SMALL | sizes), attn_implementation="eager")
        )
    )
    ours = kind(ElectraConfig(**(SMALL | sizes))).double().eval()
    return ours, reference, copy_weights(ours, reference, NAMES, "electra.")


def pair(**more):
    """A small ELECTRA with random weights, its inputs and labels; the chosen tokens are masked."""
    electra = randomised(Electra(ElectraConfig(**{**SMALL, "num_attention_heads": 4}), divisor=2))
    ids, mask, segments = batch()
    labels = masked_labels()
    return electra, (ids.masked_fill(labels != -100, MASK), mask, segments), labels


@pytest.mark.parametrize("embedding_size", [7, 44])
def test_the_generator_is_that_of_transformers(embedding_size):
    ours, reference, table = twins(ElectraGenerator, "ElectraForMaskedLM", embedding_size=embedding_size)
    labels = masked_labels()
    mine, theirs = ours(*batch(), labels=labels), reference(*batch(), labels=labels)
    torch.testing.assert_close(mine.logits, theirs.logits[labels != -100], rtol=0, atol=1e-9)
    torch.testing.assert_close(mine.loss, theirs.loss, rtol=0, atol=1e-9)
    mine.loss.backward()
    theirs.loss.backward()
    same_gradients(ours, reference, table, "electra.")


@pytest.mark.parametrize("embedding_size", [7, 44])
def test_the_discriminator_is_that_of_transformers(embedding_size):
    ours, reference, table = twins(
        ElectraDiscriminator, "ElectraForPreTraining", embedding_size=embedding_size
    )
    ids, mask, segments = batch()
    labels = (torch.rand(B, T, generator=seeded()) < 0.2).long()
    mine = ours(ids, mask, segments, labels=labels.masked_fill(mask == 0, -100))
    theirs = reference(ids, mask, segments, labels=labels, output_hidden_states=True)
    torch.testing.assert_close(mine.logits[mask == 1], theirs.logits[mask == 1], rtol=0, atol=1e-9)
    # Their labels are float32, and so is their loss.
    torch.testing.assert_close(mine.loss.float(), theirs.loss, rtol=0, atol=1e-6)
    for one, other in zip(mine.hidden_states, theirs.hidden_states, strict=True):
        torch.testing.assert_close(one[mask == 1], other[mask == 1], rtol=0, atol=1e-9)
    mine.loss.backward()
    theirs.loss.backward()
    same_gradients(ours, reference, table, "electra.", atol=1e-5)


def test_replaced_means_different_from_the_original():
    original = torch.tensor([[5, 6, 7, 8, 0], [9, 9, 9, 9, 9]])
    corrupted = torch.tensor([[5, 2, 7, 1, 4], [9, 9, 8, 9, 9]])
    mask = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])
    expected = [[0, 1, 0, 1, -100], [0, 0, 1, 0, 0]]
    assert replaced(original, corrupted, mask).tolist() == expected
    assert replaced(original, corrupted, mask.bool()).tolist() == expected
    assert replaced(original, corrupted).tolist() == [[0, 1, 0, 1, 1], [0, 0, 1, 0, 0]]


def test_the_loss_is_the_mean_over_every_real_position():
    ours = randomised(ElectraDiscriminator(ElectraConfig(**SMALL)))
    labels = torch.full((B, T), -100)
    labels[0, 2], labels[3, 11], labels[4, 0] = 1, 0, 1
    z = ours(*batch()).logits
    by_hand = -(z[0, 2].sigmoid().log() + (1 - z[3, 11].sigmoid()).log() + z[4, 0].sigmoid().log()) / 3
    torch.testing.assert_close(ours(*batch(), labels=labels).loss, by_hand, rtol=0, atol=1e-9)
    assert ours(*batch(), labels=torch.full((B, T), -100)).loss == 0


def test_the_joint_loss_counts_every_real_token_and_weighs_it_by_50():
    electra, inputs, labels = pair()
    output = electra(*inputs, labels=labels, generator=seeded())
    torch.testing.assert_close(output.loss, output.generator_loss + 50 * output.discriminator_loss)
    real = inputs[1] == 1
    assert torch.equal(output.replaced != -100, real)
    # Many more positions than the generator learns from.
    assert int(real.sum()) > 4 * int((labels != -100).sum())
    z, wanted = output.logits[real], output.replaced[real].double()
    by_hand = -(wanted * z.sigmoid().log() + (1 - wanted) * (1 - z.sigmoid()).log()).mean()
    torch.testing.assert_close(output.discriminator_loss, by_hand, rtol=0, atol=1e-9)
    torch.testing.assert_close(
        output.generator_loss, electra.generator(*inputs, labels=labels).loss, rtol=0, atol=0
    )


def test_only_chosen_tokens_change_and_no_mask_is_left():
    electra, inputs, labels = pair()
    chosen = labels != -100
    original = torch.where(chosen, labels, inputs[0])
    output = electra(*inputs, labels=labels, generator=seeded())
    assert torch.equal(output.corrupted[~chosen], original[~chosen])
    assert 0 < int((output.corrupted != original).sum()) <= int(chosen.sum())
    assert not (output.replaced[~chosen] == 1).any()


def test_a_generator_that_guesses_right_replaces_nothing():
    electra, inputs, labels = pair()
    with torch.no_grad():  # token 5 is all it ever says
        electra.generator.mlm.bias.fill_(-1e4)[5] = 1e4
    right = torch.where(labels != -100, 5, -100)
    output = electra(*inputs, labels=right, generator=seeded())
    assert (output.corrupted[labels != -100] == 5).all()
    assert not (output.replaced == 1).any()
    wrong = torch.where(labels != -100, 6, -100)
    output = electra(*inputs, labels=wrong, generator=seeded())
    assert torch.equal(output.replaced == 1, labels != -100)


def test_the_discriminator_does_not_teach_the_generator():
    electra, inputs, labels = pair()
    output = electra(*inputs, labels=labels, generator=seeded())
    shared = {id(p) for p in electra.discriminator.parameters()}
    own = [p for p in electra.generator.parameters() if id(p) not in shared]
    assert len(own) > 40
    reached = torch.autograd.grad(output.discriminator_loss, own, allow_unused=True, retain_graph=True)
    assert all(gradient is None for gradient in reached)
    taught = torch.autograd.grad(output.generator_loss, own, allow_unused=True, retain_graph=True)
    assert all(gradient is not None for gradient in taught)
    heads = [electra.discriminator.score.weight, electra.discriminator.bert.embeddings.project.weight]
    assert all(g is None for g in torch.autograd.grad(output.generator_loss, heads, allow_unused=True))


def test_both_share_the_embeddings_and_each_loss_moves_them():
    electra, inputs, labels = pair()
    below, above = electra.generator.bert.embeddings, electra.discriminator.bert.embeddings
    output = electra(*inputs, labels=labels, generator=seeded())
    for one, other in [
        (below.token.weight, above.token.weight),
        (below.position.embedding.weight, above.position.embedding.weight),
        (below.segment.weight, above.segment.weight),
        (below.norm.weight, above.norm.weight),
    ]:
        assert one is other
        for loss in (output.generator_loss, output.discriminator_loss):
            (gradient,) = torch.autograd.grad(loss, one, retain_graph=True)
            assert gradient.abs().sum() > 0
    assert below.project.weight.shape == (22, 7) and above.project.weight.shape == (44, 7)


def test_the_generator_is_smaller():
    config = ElectraConfig(hidden_size=768, num_attention_heads=12, embedding_size=768)
    small = config.smaller(3)  # the paper's base
    assert (small.hidden_size, small.intermediate_size, small.num_attention_heads) == (256, 1024, 4)
    assert (small.embedding_size, small.num_hidden_layers) == (768, 12)
    tiny = ElectraConfig(hidden_size=128, num_attention_heads=2, intermediate_size=512).smaller()
    assert (tiny.hidden_size, tiny.num_attention_heads, tiny.intermediate_size) == (32, 1, 128)
    electra, _, _ = pair()
    sizes = [
        sum(p.numel() for p in m.bert.encoder.parameters())
        for m in (electra.generator, electra.discriminator)
    ]
    assert 2 * sizes[0] < sizes[1]


def test_draws_follow_the_probabilities_and_the_generator():
    p = torch.tensor([0.5, 0.0, 0.3, 0.2, 0.0])
    logits = p.log().nan_to_num(neginf=-1e30).expand(20_011, 5)
    drawn = sample_tokens(logits, generator=seeded())
    share = drawn.bincount(minlength=5) / len(drawn)
    assert (share - p).abs().max() < 0.014 and share[1] == share[4] == 0  # 4 standard deviations
    assert torch.equal(drawn, sample_tokens(logits, generator=seeded()))
    assert not torch.equal(drawn, sample_tokens(logits, generator=seeded(4)))
    assert sample_tokens(logits[:0], generator=seeded()).shape == (0,)
    assert not sample_tokens(logits.clone().requires_grad_(), generator=seeded()).is_floating_point()


def test_a_task_head_sits_on_the_discriminator():
    class OnElectra(BertForSequenceClassification):
        model_class = ElectraModel

    model = OnElectra(ElectraConfig(**SMALL), 3)
    model.bert.load_state_dict(ElectraDiscriminator(ElectraConfig(**SMALL)).bert.state_dict(), strict=False)
    assert model(*batch()).pooler_output.shape == (B, 44)

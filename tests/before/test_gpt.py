"""GPT: transformers' with the same weights (values, losses, gradients), a value by hand, what no token sees."""

import math

import pytest
import torch
import torch.nn.functional as F
import transformers

from course_utils.before import GPT, GPTForClassification
from course_utils.config import BertConfig

B, T, V, C, K = 5, 13, 101, 44, 3
CONFIG = BertConfig(
    vocab_size=V,
    hidden_size=C,
    num_hidden_layers=3,
    num_attention_heads=11,
    intermediate_size=4 * C,  # transformers' block has no other
    max_position_embeddings=47,
    layer_norm_eps=1e-3,  # one that can be seen
)
THEIRS = dict(vocab_size=V, n_positions=47, n_embd=C, n_layer=3, n_head=11, layer_norm_epsilon=1e-3)
NAMES = {
    "attention.output": "attn.c_proj",
    "attention_norm": "ln_1",
    "feed_forward.expand": "mlp.c_fc",
    "feed_forward.contract": "mlp.c_proj",
    "feed_forward_norm": "ln_2",
}


def weights_of(theirs, value=lambda parameter: parameter.data):
    """Their parameters (or gradients) by our names; Conv1D is transposed, query, key and value stand in one."""
    found = {
        "token.weight": value(theirs.tokens_embed.weight),
        "position.embedding.weight": value(theirs.positions_embed.weight),
    }
    for number, block in enumerate(theirs.h):
        below = f"encoder.layers.{number}"
        for ours, name in NAMES.items():
            part = block.get_submodule(name)
            turned = value(part.weight).T if value(part.weight).dim() == 2 else value(part.weight)
            found |= {f"{below}.{ours}.weight": turned, f"{below}.{ours}.bias": value(part.bias)}
        three = (value(block.attn.c_attn.weight).chunk(3, dim=1), value(block.attn.c_attn.bias).chunk(3))
        for ours, weight, bias in zip(("query", "key", "value"), *three):
            found |= {f"{below}.attention.{ours}.weight": weight.T, f"{below}.attention.{ours}.bias": bias}
    return found


def twins(kind="OpenAIGPTLMHeadModel", **more):
    torch.manual_seed(3)
    theirs = getattr(transformers, kind)(transformers.OpenAIGPTConfig(**THEIRS, **more))
    theirs = theirs.double().eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.normal_(std=0.3)
    ours = GPT(CONFIG).double().eval()
    ours.load_state_dict(weights_of(theirs.transformer))
    return ours, theirs


def batch():
    """Ids, and padding on the right of three rows."""
    ids = torch.randint(1, V, (B, T), generator=torch.Generator().manual_seed(1))
    mask = (torch.arange(T) < torch.tensor([13, 7, 2, 11, 13])[:, None]).long()
    return ids * mask, mask


def test_same_as_transformers_in_values_loss_and_gradients():
    ours, theirs = twins()
    ids, mask = batch()
    labels = ids.masked_fill(mask == 0, -100)
    labels[0, 4] = -100
    output = ours(ids, mask, labels, output_attentions=True)
    expected = theirs(
        ids, mask, labels=labels, output_hidden_states=True, output_attentions=True, return_dict=True
    )
    real = mask.bool()
    torch.testing.assert_close(output.logits[real], expected.logits[real], rtol=0, atol=1e-5)
    assert len(output.hidden_states) == len(expected.hidden_states) == 4
    for mine, other in zip(output.hidden_states, expected.hidden_states):
        torch.testing.assert_close(mine[real], other[real], rtol=0, atol=1e-5)
    for mine, other in zip(output.attentions, expected.attentions):
        torch.testing.assert_close(mine, other, rtol=0, atol=1e-5)
    assert output.loss.item() == pytest.approx(expected.loss.item(), abs=1e-5)  # theirs is in float32
    output.loss.backward()
    expected.loss.backward()
    gradients = weights_of(theirs.transformer, lambda parameter: parameter.grad)
    assert gradients.keys() == dict(ours.named_parameters()).keys()
    for name, parameter in ours.named_parameters():
        torch.testing.assert_close(parameter.grad, gradients[name], rtol=0, atol=1e-5)
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())


def test_gpt_has_117_million_parameters():
    """12 layers of 768, 512 places, 40,478 pieces (Radford et al. 2018, section 4.1)."""
    with torch.device("meta"):
        model = GPT(BertConfig.base(vocab_size=40478))
    block = 4 * (768 * 768 + 768) + 2 * 768 * 3072 + 3072 + 768 + 4 * 768
    by_hand = (40478 + 512) * 768 + 12 * block
    assert sum(p.numel() for p in model.parameters()) == by_hand == 116_534_784


def test_the_classifier_is_that_of_transformers():
    ours, theirs = twins("OpenAIGPTForSequenceClassification", num_labels=K, pad_token_id=0)
    model = GPTForClassification(CONFIG, K).double().eval()
    model.gpt.load_state_dict(ours.state_dict())
    model.classifier.load_state_dict(theirs.score.state_dict())
    ids, mask = batch()
    labels = torch.tensor([2, 0, 1, 1, 2])
    output, expected = model(ids, mask, labels), theirs(ids, mask, labels=labels, return_dict=True)
    torch.testing.assert_close(output.logits, expected.logits, rtol=0, atol=1e-5)
    torch.testing.assert_close(output.task_loss, expected.loss, rtol=0, atol=1e-5)


def test_the_language_model_counts_half():
    model = GPTForClassification(CONFIG, K, generator=torch.Generator().manual_seed(1)).eval()
    other = GPTForClassification(CONFIG, K, lm_weight=2.0)
    other.load_state_dict(model.state_dict())
    ids, mask = batch()
    labels = torch.tensor([2, 0, 1, 1, 2])
    output = model(ids, mask, labels)
    assert output.lm_loss.item() > 1 and output.task_loss.item() > 0.5
    assert output.loss.item() == pytest.approx(output.task_loss.item() + output.lm_loss.item() / 2, abs=1e-5)
    assert output.lm_loss.item() == pytest.approx(model.gpt(ids, mask, ids).loss.item(), abs=1e-6)
    doubled = other.eval()(ids, mask, labels)
    assert doubled.loss.item() == pytest.approx(
        doubled.task_loss.item() + 2 * doubled.lm_loss.item(), abs=1e-5
    )
    nothing = model(ids, mask)
    assert nothing.loss is nothing.task_loss is nothing.lm_loss is None
    torch.testing.assert_close(nothing.logits, output.logits)


def test_loss_by_hand():
    """V = 3, two tokens to predict, scores from the model's own logits; padding and −100 are no targets."""
    sizes = dict(vocab_size=3, hidden_size=5, num_hidden_layers=1, num_attention_heads=1, intermediate_size=7)
    model = GPT(BertConfig(**sizes, initializer_range=0.7), generator=torch.Generator().manual_seed(2)).eval()
    ids = torch.tensor([[1, 2, 0, 0], [2, 1, 1, 0]])
    mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0]])
    labels = torch.tensor([[1, 2, 0, 0], [2, -100, 1, 0]])
    scores = model(ids, mask).logits.tolist()
    assert abs(scores[0][0][2] - scores[0][1][2]) > 0.1  # places differ: the shift can be seen
    log_p = lambda row, place, token: (  # noqa: E731
        scores[row][place][token] - math.log(sum(map(math.exp, scores[row][place])))
    )
    by_hand = -(log_p(0, 0, 2) + log_p(1, 1, 1)) / 2
    assert model(ids, mask, labels).loss.item() == pytest.approx(by_hand, abs=1e-6)
    assert model(ids[:, :1], labels=ids[:, :1]).loss.item() == 0.0  # one token: nothing to predict


def test_no_token_sees_its_target_or_what_lies_behind_it():
    ours, _ = twins()
    ids, _ = batch()
    place = 6
    other = ids.clone()
    other[:, place + 1 :] = 1 + ids[:, place + 1 :] % (V - 1)
    before, after = ours(ids), ours(other)
    for one, two in zip(before.hidden_states, after.hidden_states):
        assert torch.equal(one[:, : place + 1], two[:, : place + 1])
    assert torch.equal(before.logits[:, : place + 1], after.logits[:, : place + 1])
    assert not torch.allclose(before.logits[:, place + 1], after.logits[:, place + 1])
    embedded = torch.zeros(B, T, C, dtype=torch.float64, requires_grad=True)
    ours.token.register_forward_hook(lambda module, given, output: output + embedded)
    (gradient,) = torch.autograd.grad(ours(ids).logits[:, place].square().sum(), embedded)
    assert (gradient[:, place + 1 :] == 0).all()
    assert (gradient[:, : place + 1].abs().amax(-1) > 0).all()


def test_padding_changes_nothing():
    ours, _ = twins()
    ids, mask = batch()
    output = ours(ids, mask, ids)
    longer = F.pad(ids, (0, 3), value=7)
    again = ours(longer, F.pad(mask, (0, 3)), longer)
    torch.testing.assert_close(again.loss, output.loss)
    for row, length in enumerate(mask.sum(1).tolist()):
        alone = ours(ids[row : row + 1, :length], labels=ids[row : row + 1, :length])
        torch.testing.assert_close(alone.logits[0], output.logits[row, :length])
    # In front: other places, but no NaN, and nothing looks there.
    left = ours(F.pad(ids, (2, 0)), F.pad(mask, (2, 0)))
    assert left.logits.isfinite().all()
    noise = ours(F.pad(ids, (2, 0), value=9), F.pad(mask, (2, 0)))
    torch.testing.assert_close(noise.logits[:, 2:], left.logits[:, 2:])


def test_it_starts_from_its_generator_and_scores_with_its_embedding():
    one, two = (GPT(CONFIG, generator=torch.Generator().manual_seed(5)) for _ in range(2))
    for mine, other in zip(one.parameters(), two.parameters()):
        assert torch.equal(mine, other)
    assert one.token.weight.std().item() == pytest.approx(0.88 * 0.02, rel=0.05)
    assert [name for name, _ in one.named_parameters() if name.count(".") == 1] == ["token.weight"]
    assert one.config.hidden_act == "gelu_tanh" and CONFIG.hidden_act == "gelu"
    output = one.eval()(batch()[0])
    torch.testing.assert_close(output.logits, output.last_hidden_state @ one.token.weight.T)

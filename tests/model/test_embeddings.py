import pytest
import torch

from course_utils.config import BertConfig
from course_utils.embeddings import BertEmbeddings
from course_utils.layer_norm import layer_norm

B, T, C, V, LONGEST, SEGMENTS = 3, 7, 13, 101, 11, 2


def config(**overrides):
    sizes = dict(
        vocab_size=V,
        hidden_size=C,
        num_attention_heads=1,
        max_position_embeddings=LONGEST,
        type_vocab_size=SEGMENTS,
        hidden_dropout_prob=0.0,
        layer_norm_eps=0.25,  # large enough to be seen
    )
    return BertConfig(**(sizes | overrides))


def embeddings(**overrides):
    """In eval mode and float64, every parameter random."""
    torch.manual_seed(0)
    module = BertEmbeddings(config(**overrides)).double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()
    return module


def ids(seed=1, high=V, length=T):
    return torch.randint(0, high, (B, length), generator=torch.Generator().manual_seed(seed))


def test_token_by_token():
    module, tokens, segments = embeddings(), ids(), ids(2, high=SEGMENTS)
    output = module(tokens, segments)
    assert output.shape == (B, T, C)
    for b in range(B):
        for t in range(T):
            total = (
                module.token.weight[tokens[b, t]]
                + module.segment.weight[segments[b, t]]
                + module.position.embedding.weight[t]
            )
            expected = layer_norm(total, module.norm.weight, module.norm.bias, eps=0.25)
            torch.testing.assert_close(output[b, t], expected, rtol=0, atol=1e-12)


def test_the_longest_text_uses_every_position():
    module = embeddings()
    module(ids(length=LONGEST)).sin().sum().backward()
    assert all(float(row.abs().max()) > 1e-9 for row in module.position.embedding.weight.grad)


def test_dropout_comes_last_and_only_in_training():
    module, tokens = embeddings(hidden_dropout_prob=0.5), ids()
    still = module(tokens)
    torch.manual_seed(0)
    dropped = module.train()(tokens)
    kept = dropped != 0
    torch.testing.assert_close(dropped[kept], 2 * still[kept])
    assert 0.3 < float(kept.double().mean()) < 0.7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((torch.full((1, 3), V),), "input_ids must lie in 0 … 100, got 101"),
        ((torch.full((1, 3), -1),), "input_ids must lie in 0 … 100, got -1"),
        ((ids(), torch.full((B, T), 2)), "token_type_ids must lie in 0 … 1, got 2"),
        ((ids()[0],), r"input_ids must have shape \(B, T\), both at least 1, got \(7,\)"),
        ((ids(length=LONGEST + 1),), "length must lie in 1 … 11 .* got 12"),
    ],
)
def test_another_vocabulary_or_a_text_too_long_is_told(arguments, message):
    with pytest.raises(ValueError, match=message):
        embeddings()(*arguments)

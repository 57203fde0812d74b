"""Which inputs reach an output: by hand, against finite differences, exact zeros."""

import torch

from course_utils.before.reach import reach
from course_utils.config import BertConfig
from course_utils.encoder import Encoder
from course_utils.masks import causal_mask
from tests.before.every_model import drawn

CONFIG = BertConfig(hidden_size=6, num_hidden_layers=2, num_attention_heads=3, intermediate_size=7)


def encoder() -> Encoder:
    torch.manual_seed(0)
    return Encoder(CONFIG).double().eval()


def test_by_hand():
    # h_t = Σ_s mix[t, s] · x_s, two coordinates.
    mix = torch.tensor([[3.0, 0, 0], [4.0, 1.0, 0], [0, 0, 2.0]])
    sizes = reach(lambda x: torch.einsum("ts,bsc->btc", mix, x), torch.ones(1, 3, 2))
    torch.testing.assert_close(sizes, (mix * 2**0.5)[None])


def test_parts_are_slices_of_the_output():
    def two_ways(x):
        before, after = x.cumsum(dim=1), x.flip(1).cumsum(dim=1).flip(1)
        return torch.cat([before, 5 * after], dim=-1)

    sizes = reach(two_ways, torch.ones(1, 5, 3), parts=2)  # each of three coordinates hands itself on
    one = 3**0.5 * torch.ones(5, 5)
    torch.testing.assert_close(sizes, torch.stack([one.tril(), 5 * one.triu()]))
    whole = reach(two_ways, torch.ones(1, 5, 3))
    torch.testing.assert_close(whole, sizes.square().sum(dim=0, keepdim=True).sqrt())


def test_is_the_size_of_the_jacobian_by_differences():
    model, vectors, step = encoder(), drawn(1, 5, 6), 1e-6

    def states_of(x):
        return model(x).last_hidden_state

    sizes = reach(states_of, vectors)[0]
    for s in range(5):
        columns = []
        for c in range(6):
            moved = torch.zeros_like(vectors)
            moved[0, s, c] = step
            with torch.no_grad():
                columns.append((states_of(vectors + moved) - states_of(vectors - moved))[0] / (2 * step))
        torch.testing.assert_close(
            sizes[:, s], torch.stack(columns).square().sum(dim=(0, 2)).sqrt(), atol=1e-7, rtol=1e-5
        )


def test_what_a_causal_mask_hides_is_exactly_zero():
    model, vectors = encoder(), drawn(1, 7, 6)
    sizes = reach(lambda x: model(x, causal_mask(7)).last_hidden_state, vectors)[0]
    assert (sizes.triu(1) == 0).all() and (sizes.tril() > 0).sum() == 28
    assert (reach(lambda x: model(x).last_hidden_state, vectors) > 0).all()


def test_leaves_inputs_and_gradients_alone():
    model, vectors = encoder(), drawn(1, 3, 6).requires_grad_()
    reach(lambda x: model(x).last_hidden_state, vectors)
    plain = drawn(1, 3, 6)
    reach(lambda x: model(x).last_hidden_state, plain)
    assert not plain.requires_grad
    assert vectors.grad is None and all(weight.grad is None for weight in model.parameters())
    with torch.no_grad():
        assert (reach(lambda x: model(x).last_hidden_state, vectors) > 0).all()


def test_a_constant_is_reached_by_nothing():
    assert not reach(lambda x: torch.ones(1, 3, 4), drawn(1, 3, 2), parts=2).any()
    weights = torch.ones(1, 3, 4, requires_grad=True)
    assert not reach(lambda x: 2 * weights, drawn(1, 3, 2)).any()

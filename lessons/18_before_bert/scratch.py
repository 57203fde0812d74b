"""What notebook 18 builds by hand: reach, the two losses of a biLM, ELMo's mix, ULMFiT's rates."""

import torch

from course_utils.before import BiLM, ScalarMix, discriminative_rates, reach
from tests.scratch.registry import Scratch

NOTEBOOK = "18_before_bert"


def whole_reach(states_of, vectors):
    return reach.reach(states_of, vectors)[0]


def reach_cases(generator):
    for length, size, width in ((5, 3, 7), (1, 2, 1), (7, 1, 3)):
        mixing = torch.randn(length, length, generator=generator, dtype=torch.float64).tril()
        weights = torch.randn(size, width, generator=generator, dtype=torch.float64)

        def states_of(x, mixing=mixing, weights=weights):
            return torch.einsum("ts,bsc->btc", mixing, (x @ weights).tanh())

        yield states_of, torch.randn(1, length, size, generator=generator, dtype=torch.float64)


def two_way_losses(forward_logits, backward_logits, input_ids):
    """The package's own shifts: a BiLM whose two stacks give these scores, and whose softmax hands them on."""
    model = BiLM(forward_logits.shape[-1], 1, 1)
    del model.forwards, model.backwards, model.ends.words, model.ends.softmax
    model.ends.words = lambda ids: torch.zeros(*ids.shape, 1, dtype=forward_logits.dtype)
    model.forwards = lambda token: (forward_logits,)
    model.backwards = lambda token: (backward_logits.flip(1),)  # read from behind
    model.ends.softmax = lambda state: state
    output = model(input_ids)
    return output.forward_loss, output.backward_loss


def losses_cases(generator):
    for rows, length, vocab in ((3, 7, 11), (1, 2, 5), (5, 13, 2)):
        logits = [
            5 * torch.randn(rows, length, vocab, generator=generator, dtype=torch.float64) for _ in range(2)
        ]
        yield *logits, torch.randint(vocab, (rows, length), generator=generator)


def scalar_mix(hidden_states, w, gamma):
    mix = ScalarMix(len(hidden_states) - 1).to(w.dtype)
    weights = {"weights": w, "gamma": gamma}
    return torch.func.functional_call(mix, weights, (list(hidden_states),))


def mix_cases(generator):
    for layers, shape in ((3, (2, 5, 7)), (2, (1, 1, 1)), (5, (3, 2, 11))):
        states = torch.randn(layers, *shape, generator=generator, dtype=torch.float64)
        w = 3 * torch.randn(layers, generator=generator, dtype=torch.float64)
        yield states, w, torch.randn((), generator=generator, dtype=torch.float64)


def rates(peak, num_layers, factor):
    return discriminative_rates(peak, num_layers, factor=factor)


def rates_cases(_generator):
    yield from ((0.01, 4, 2.6), (1.0, 1, 3.0), (0.5, 7, 1.0))


ENTRIES = [
    # a size of gradients: what comes back has no gradient of its own
    Scratch(NOTEBOOK, "my_reach", f"{__name__}:whole_reach", reach_cases, gradients=False),
    Scratch(NOTEBOOK, "my_two_way_losses", f"{__name__}:two_way_losses", losses_cases),
    Scratch(NOTEBOOK, "my_scalar_mix", f"{__name__}:scalar_mix", mix_cases),
    # plain numbers
    Scratch(NOTEBOOK, "my_discriminative_rates", f"{__name__}:rates", rates_cases, gradients=False),
]

"""Words as bytes, and the filters over them: symbols by hand, a value by hand, padding, words never seen."""

import pytest
import torch

from course_utils.before import CharacterCNN, character_ids
from course_utils.before.character_cnn import BEGIN, END, PADDING, Highway
from tests.small import randomised

E, C = 5, 7
FILTERS = [(1, 3), (3, 11), (8, 2)]


def made(filters=FILTERS, **more):
    """In float64; every parameter but padding's vector is random, so that biases show, too."""
    model = randomised(CharacterCNN(E, filters, C, **more), spread=0.5, seed=3)
    with torch.no_grad():
        model.symbols.weight[PADDING] = 0.0
    return model


def test_symbols_by_hand():
    ship = [0xEB, 0xB0, 0xB0]  # 배, U+BC30
    assert character_ids("배a", max_length=9).tolist() == [BEGIN, *ship, 0x61, END, *[PADDING] * 3]
    assert character_ids(["", "배"], max_length=5).tolist() == [
        [BEGIN, END, *[PADDING] * 3],
        [BEGIN, *ship, END],
    ]
    assert (BEGIN, END, PADDING) == (258, 259, 260)  # ELMo's


@pytest.mark.parametrize(
    ("max_length", "kept"), [(3, ""), (4, ""), (5, "배"), (7, "배"), (8, "배를"), (11, "배를")]
)
def test_long_words_are_cut_at_whole_characters(max_length, kept):
    ids = character_ids("배를", max_length=max_length).tolist()
    written = kept.encode()
    assert ids == [BEGIN, *written, END] + [PADDING] * (max_length - 2 - len(written))


def test_a_vector_by_hand():
    """Symbols without a bias, one filter of two: the largest sum of neighbours, also with the padding's 0."""
    model = CharacterCNN(1, [(2, 1)], 1, num_highway=0).double()
    with torch.no_grad():
        model.symbols.weight.zero_()
        for symbol, value in ((BEGIN, 0.5), (ord("a"), -2.0), (ord("b"), 3.0), (END, 4.0)):
            model.symbols.weight[symbol] = value
        model.filters[0].weight.copy_(torch.tensor([[[10.0, 1.0]]]))
        model.filters[0].bias.fill_(0.25)
        model.projection.weight.fill_(2.0)
        model.projection.bias.fill_(-1.0)
    ids = character_ids(["ab", ""], max_length=7)[None]  # any leading axes
    # BEGIN a: 5 − 2 = 3; a b: −20 + 3 = −17; b END: 30 + 4 = 34; END and nothing: 40. With the empty word: 9; 40.
    expected = [[2 * 40.25 - 1], [2 * 40.25 - 1]]
    assert model(ids)[0].tolist() == expected
    with torch.no_grad():
        model.symbols.weight[END] = -4.0  # b END: 30 − 4 = 26; BEGIN END: 5 − 4 = 1
    assert model(ids)[0].tolist() == [[2 * 26.25 - 1], [2 * 1.25 - 1]]


def test_filters_are_those_of_a_loop():
    model = made(num_highway=2)
    words = ["배", "배를", "사과나무", ""]
    for word, vector in zip(words, model(character_ids(words, max_length=17))):
        symbols = [BEGIN, *word.encode(), END]
        rows = torch.cat([model.symbols.weight[symbols], torch.zeros(8, E, dtype=torch.float64)])
        found = []
        for part in model.filters:
            width = part.kernel_size[0]
            answers = [
                (part.weight * rows[place : place + width].T).sum((1, 2)) + part.bias
                for place in range(len(symbols))
            ]
            found.append(torch.stack(answers).amax(0).clamp(min=0))
        hidden = torch.cat(found)
        for layer in model.highway:
            gate = torch.sigmoid(layer.gate.weight @ hidden + layer.gate.bias)
            new = (layer.transform.weight @ hidden + layer.transform.bias).clamp(min=0)
            hidden = gate * new + (1 - gate) * hidden
        torch.testing.assert_close(vector, model.projection.weight @ hidden + model.projection.bias)


def test_padding_changes_nothing():
    model = made()
    words = ["배", "배를", "사과나무", ""]
    expected = model(character_ids(words, max_length=14))  # 사과나무 fills it
    for max_length in (15, 23, 50):
        torch.testing.assert_close(model(character_ids(words, max_length=max_length)), expected)
    empty = model(torch.full((1, 19), PADDING))  # means nothing, and is no NaN
    assert empty.isfinite().all()


def test_it_learns_nothing_about_padding():
    model = made()
    model(character_ids(["배", "배를", "타고"], max_length=13)).square().sum().backward()
    assert (model.symbols.weight.grad[PADDING] == 0).all()
    assert (model.symbols.weight.grad[BEGIN] != 0).all()


def test_start_values():
    one, two = (CharacterCNN(E, FILTERS, C, generator=torch.Generator().manual_seed(5)) for _ in range(2))
    for mine, other in zip(one.parameters(), two.parameters()):
        assert torch.equal(mine, other)
    assert (one.symbols.weight[PADDING] == 0).all()
    assert all((layer.gate.bias == -2).all() for layer in one.highway) and len(one.highway) == 2
    layer = Highway(3)
    torch.nn.init.constant_(layer.gate.bias, -50.0)
    given = torch.randn(2, 3)
    torch.testing.assert_close(layer(given), given)  # a closed gate hands on
    assert one.hidden_size == C


def test_parameters_are_elmos():
    """261 symbols of 16, 2,048 filters up to 7 wide, two highway layers, 512 (Peters et al. 2018, section 3.4)."""
    filters = [(1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024)]
    model = CharacterCNN(16, filters, 512)
    by_hand = 261 * 16 + sum(16 * width * number + number for width, number in filters)
    by_hand += 2 * 2 * (2048 * 2048 + 2048) + 2048 * 512 + 512
    assert sum(parameter.numel() for parameter in model.parameters()) == by_hand

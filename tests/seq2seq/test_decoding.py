"""Greedy and beam search: held against exhaustive search, and with a cache against computing everything anew."""

import itertools
import math

import pytest
import torch
from torch import nn

from course_utils.seq2seq import Transformer, beam_search, beam_steps, greedy_search
from course_utils.seq2seq.decoding import Hypothesis, penalised_score
from course_utils.seq2seq.stepping import rows_of

BOS, EOS, V = 0, 1, 3
SPECIAL = dict(bos_token_id=BOS, eos_token_id=EOS)
PENALTIES = [0.0, 0.6, 1.0, 2.0]


def chain(seed=0, states=5, vocabulary=V, spread=1.5):
    """A plain function: the next token depends on the source's first one, the last one, and how many there are."""
    generator = torch.Generator().manual_seed(seed)
    table = spread * torch.randn(states, 11, vocabulary, vocabulary, generator=generator, dtype=torch.float64)

    def model(source_ids, target_ids):
        length = torch.arange(target_ids.shape[1])
        return table[source_ids[:, :1], length, target_ids]  # (B, T_q, V)

    return model


def fixed(*rows):
    """A plain function whose next token depends on how many there are, with these probabilities."""
    table = torch.tensor(rows, dtype=torch.float64).log()

    def model(source_ids, target_ids):
        return table[torch.arange(target_ids.shape[1]).clamp(max=len(table) - 1)].expand(
            len(source_ids), -1, -1
        )

    return model


def source(*states):
    return torch.tensor(states)[:, None]


def log_probability(model, source_row, ids):
    """What the model gives these ids, read off at once by teacher forcing."""
    target = torch.tensor([[BOS, *ids[:-1]]])
    logits = model(source_row, target)[0].double().log_softmax(-1)
    return logits[torch.arange(len(ids)), torch.tensor(ids)].sum().item()


def score(log_probability, length, alpha):
    return log_probability / ((5 + length) / 6) ** alpha


def exhaustive(model, source_row, max_length, alpha):
    """Every text there is, the one with the highest score first: (ids, log-probability)."""
    texts = []
    for length in range(1, max_length + 1):
        for ids in itertools.product(range(V), repeat=length):
            if EOS not in ids[:-1] and (ids[-1] == EOS or length == max_length):
                texts.append((list(ids), log_probability(model, source_row, ids)))
    return sorted(texts, key=lambda text: -score(text[1], len(text[0]), alpha))


def beam_without_end(model, source_row, beam_size, max_length, alpha):
    """The same beam in plain Python, which never stops before max_length."""
    beam, ended = [([], 0.0)], []
    for length in range(1, max_length + 1):
        found = []
        for ids, total in beam:
            logits = model(source_row, torch.tensor([[BOS, *ids]]))[0, -1].double().log_softmax(-1).tolist()
            found += [([*ids, token], total + logits[token]) for token in range(len(logits))]
        found = sorted(found, key=lambda text: -text[1])[:beam_size]
        ended += [text for text in found if text[0][-1] == EOS or length == max_length]
        beam = [text for text in found if text[0][-1] != EOS]
    return sorted(ended, key=lambda text: -score(text[1], len(text[0]), alpha))[:beam_size]


def same(actual, expected):
    assert [ids for ids, _ in actual] == [ids for ids, _ in expected]
    assert [total for _, total in actual] == pytest.approx([total for _, total in expected], abs=1e-9)


def transformer(seed=35):
    """With random weights; of this seed, the texts of some sources end early."""
    generator = torch.Generator().manual_seed(seed)
    model = Transformer(
        23,
        13,
        hidden_size=14,
        num_heads=2,
        num_layers=2,
        intermediate_size=17,
        dropout=0.1,
        generator=generator,
    )
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    return model.double().eval()


SOURCES = torch.tensor([[5, 9, 22, 3, 7], [4, 0, 0, 0, 0], [8, 8, 2, 0, 0], [1, 2, 3, 4, 0], [17, 0, 0, 0, 0],
                        [21, 20, 19, 18, 0], [6, 6, 6, 6, 6]])  # fmt: skip


# --- greedy ---------------------------------------------------------------------------------------------------------


def test_greedy_by_hand():
    model = fixed([0.1, 0.3, 0.6], [0.5, 0.2, 0.3], [0.1, 0.8, 0.1])
    assert greedy_search(model, source(0, 1), **SPECIAL, max_length=7) == [[2, 0, 1]] * 2
    assert greedy_search(model, source(0), **SPECIAL, max_length=2) == [[2, 0]]


def test_a_model_with_a_cache_writes_what_it_writes_without():
    model = transformer()
    texts = greedy_search(model, SOURCES, **SPECIAL, max_length=11)
    lengths = {len(ids) for ids in texts}
    assert len(lengths) > 2 and 11 in lengths  # some end early, at different places
    assert greedy_search(model.forward, SOURCES, **SPECIAL, max_length=11) == texts
    for row, ids in enumerate(texts):
        alone = SOURCES[row : row + 1, : int((SOURCES[row] != 0).sum())]
        assert greedy_search(model, alone, **SPECIAL, max_length=11) == [ids]


def test_dropout_rests_while_a_module_writes_and_its_mode_is_put_back():
    model = transformer()
    expected = greedy_search(model, SOURCES, **SPECIAL, max_length=7)
    model.train()
    model.decoder.eval()
    modes = [part.training for part in model.modules()]
    assert greedy_search(model, SOURCES, **SPECIAL, max_length=7) == expected
    assert [part.training for part in model.modules()] == modes
    with pytest.raises(ValueError):
        greedy_search(model, torch.zeros(1, 1).long(), **SPECIAL, max_length=7)
    assert [part.training for part in model.modules()] == modes


# --- beam -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_length", [3, 4])
@pytest.mark.parametrize("alpha", PENALTIES)
def test_a_beam_of_all_texts_is_exhaustive_search(alpha, max_length):
    for seed in range(3):
        model, beam_size = chain(seed), V**max_length
        found = beam_search(
            model, source(0, 4), beam_size=beam_size, length_penalty=alpha, **SPECIAL, max_length=max_length
        )
        for row, texts in zip((0, 4), found, strict=True):
            same(texts, exhaustive(model, source(row), max_length, alpha))


@pytest.mark.parametrize("alpha", PENALTIES)
@pytest.mark.parametrize("beam_size", [1, 2, 3, 5])
def test_stopping_early_loses_nothing(alpha, beam_size):
    early = 0
    for seed in range(17):
        model = chain(seed, vocabulary=5)
        given = dict(beam_size=beam_size, length_penalty=alpha, **SPECIAL, max_length=7)
        found = beam_search(model, source(0, 3), **given)
        for row, texts in zip((0, 3), found, strict=True):
            same(texts, beam_without_end(model, source(row), beam_size, 7, alpha))
        early += len(list(beam_steps(model, source(0), **given))) < 7
    assert early or alpha == 2.0


@pytest.mark.parametrize("seed", range(5))
def test_a_beam_of_one_is_greedy(seed):
    model, rows = chain(seed, vocabulary=7), source(0, 1, 2, 3, 4)
    (found,) = zip(
        *beam_search(model, rows, beam_size=1, length_penalty=0.0, **SPECIAL, max_length=7), strict=True
    )
    assert [ids for ids, _ in found] == greedy_search(model, rows, **SPECIAL, max_length=7)
    model = transformer(seed=seed)
    found = beam_search(model, SOURCES, beam_size=1, length_penalty=0.0, **SPECIAL, max_length=7)
    assert [row[0][0] for row in found] == greedy_search(model, SOURCES, **SPECIAL, max_length=7)


def test_of_equal_tokens_both_take_the_first():
    model = fixed([0.2, 0.4, 0.4], [0.4, 0.2, 0.4])
    assert greedy_search(model, source(0), bos_token_id=0, eos_token_id=0, max_length=3) == [[1, 0]]
    ((text, *_),) = beam_search(
        model, source(0), beam_size=1, length_penalty=0.0, bos_token_id=0, eos_token_id=0, max_length=3
    )
    assert text[0] == [1, 0]


def test_where_greedy_loses():
    """A chain by hand: the likeliest first token leads to nothing likely."""

    def model(source_ids, target_ids):
        after = {(): [0.1, 0.0, 0.5, 0.4], (2,): [0.25, 0.25, 0.25, 0.25], (3,): [0.02, 0.94, 0.02, 0.02]}
        rows = [after.get(tuple(row[1:]), [0.0, 1.0, 0.0, 0.0]) for row in target_ids.tolist()]
        return torch.tensor(rows).log()[:, None].expand(-1, target_ids.shape[1], -1)

    given = dict(length_penalty=0.0, **SPECIAL, max_length=5)
    assert greedy_search(model, source(0), **SPECIAL, max_length=5) == [[2, 0, 1]]
    ((best, *_),) = beam_search(model, source(0), beam_size=2, **given)
    assert best[0] == [3, 1] and best[1] == pytest.approx(math.log(0.4 * 0.94))


def test_the_penalty_by_hand():
    """P = 0.5 for the end at once; 0.5 · 0.9 for one token more. (5 + 2)/6 = 7/6 turns them round from α = 0.91 on."""
    model = fixed([0.0, 0.5, 0.5], [0.0, 0.9, 0.1])
    given = dict(beam_size=2, **SPECIAL, max_length=2)
    for alpha, best in [(0.0, [1]), (0.9, [1]), (0.93, [2, 1]), (2.0, [2, 1])]:
        ((first, second),) = beam_search(model, source(0), length_penalty=alpha, **given)
        assert first[0] == best
        assert sorted([first[1], second[1]]) == pytest.approx([math.log(0.45), math.log(0.5)])
    assert penalised_score(-3.0, 7, 0.6) == pytest.approx(-3.0 / 2**0.6)
    assert penalised_score(-3.0, 1, 0.6) == -3.0


def test_an_open_one_that_could_still_win_goes_on():
    """Two have ended, and both are likelier than what is open: by its length it wins in the end all the same."""
    model = fixed([0.0, 0.5, 0.5], [0.0, 0.65, 0.35], [0.0, 0.001, 0.999])
    ((best, *_),) = beam_search(model, source(0), beam_size=2, length_penalty=1.0, **SPECIAL, max_length=11)
    assert len(best[0]) == 11 and best[1] < math.log(0.5 * 0.65)
    steps = list(beam_steps(model, source(0), beam_size=2, length_penalty=0.0, **SPECIAL, max_length=11))
    # Without a penalty 0.5 · 0.35, whatever follows, can no longer overtake 0.5 and 0.5 · 0.65.
    assert [[text.ids for text in step.ended[0]] for step in steps] == [[(1,)], [(2, 1)]]
    assert [text.ids for text in steps[-1].open[0]] == [(2, 2)]


def test_a_beam_with_a_cache_is_that_without():
    model = transformer()
    given = dict(beam_size=3, length_penalty=0.6, **SPECIAL, max_length=7)
    for cached, anew in zip(
        beam_search(model, SOURCES, **given), beam_search(model.forward, SOURCES, **given), strict=True
    ):
        same(cached, anew)
    left = [{row for row in range(7) if step.open[row]} for step in beam_steps(model, SOURCES, **given)]
    assert len(set(map(len, left))) > 2 and left[-2]  # rows are through one after the other


@pytest.mark.parametrize("alpha", PENALTIES)
def test_the_rows_of_a_batch_know_nothing_of_each_other(alpha):
    model = transformer()
    given = dict(beam_size=3, length_penalty=alpha, **SPECIAL, max_length=7)
    together = beam_search(model, SOURCES, **given)
    order = torch.tensor([6, 3, 1])
    for row, texts in zip(order.tolist(), beam_search(model, SOURCES[order], **given), strict=True):
        same(texts, together[row])
    for row in range(len(SOURCES)):
        alone = SOURCES[row : row + 1, : int((SOURCES[row] != 0).sum())]
        same(beam_search(model, alone, **given)[0], together[row])


def test_what_is_impossible_is_never_kept():
    model = fixed([0.0, 0.0, 1.0], [0.0, 1.0, 0.0])
    found = beam_search(model, source(0, 1), beam_size=7, **SPECIAL, max_length=5)
    assert found == [[([2, 1], 0.0)]] * 2


# --- the steps ------------------------------------------------------------------------------------------------------


def test_the_steps_make_a_tree():
    model, beam_size = chain(1, vocabulary=5), 3
    steps = list(
        beam_steps(model, source(0, 3), beam_size=beam_size, length_penalty=1.0, **SPECIAL, max_length=7)
    )
    for row in range(2):
        before = (Hypothesis((), 0.0, None),)
        for number, step in enumerate(steps, start=1):
            found = sorted([*step.open[row], *step.ended[row]], key=lambda text: -text.log_probability)
            assert len(found) <= beam_size
            for text in found:
                parent = before[text.parent]
                assert len(text.ids) == number and text.ids[:-1] == parent.ids
                assert text.log_probability <= parent.log_probability
                expected = log_probability(model, source((0, 3)[row]), text.ids)
                assert text.log_probability == pytest.approx(expected, abs=1e-9)
            assert all(EOS not in text.ids for text in step.open[row])
            assert list(step.open[row]) == [text for text in found if text in step.open[row]]  # best first
            before = step.open[row]
        assert steps[-1].open[row] == () or len(steps) < 7


# --- models of other kinds ------------------------------------------------------------------------------------------


class Recurrent(nn.Module):
    """A GRU whose state is a list of a tensor and a tuple, and that counts what it is asked."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.embedding, self.cell, self.out = nn.Embedding(13, 5), nn.GRUCell(5, 5), nn.Linear(5, 13)
        self.steps = 0

    def encode(self, source_ids):
        return [self.embedding(source_ids).sum(1), (source_ids, ())]

    def step(self, last_ids, state):
        self.steps += 1
        hidden = self.cell(self.embedding(last_ids), state[0])
        return 3 * self.out(hidden), [hidden, state[1]]

    def forward(self, source_ids, target_ids):
        state, logits = self.encode(source_ids), []
        for ids in target_ids.T:
            one, state = self.step(ids, state)
            logits.append(one)
        return torch.stack(logits, dim=1)


def test_a_recurrent_model_goes_on_from_its_state():
    model, given = Recurrent().double(), dict(**SPECIAL, max_length=7)
    texts = greedy_search(model, SOURCES % 13, **given)
    assert model.steps == max(map(len, texts))
    assert greedy_search(model.forward, SOURCES % 13, **given) == texts
    cached, anew = (beam_search(one, SOURCES % 13, beam_size=3, **given) for one in (model, model.forward))
    for mine, theirs in zip(cached, anew, strict=True):
        same(mine, theirs)


def test_rows_of_a_state():
    state = (
        torch.arange(3),
        [torch.arange(6).view(3, 2), ()],
        Hypothesis(torch.ones(3), torch.zeros(3, 1), ()),
    )
    chosen = rows_of(state, torch.tensor([2, 0, 2, 1]))
    assert chosen[0].tolist() == [2, 0, 2, 1] and chosen[1][0].tolist() == [[4, 5], [0, 1], [4, 5], [2, 3]]
    assert isinstance(chosen[2], Hypothesis) and chosen[2].ids.shape == (4,) and chosen[1][1] == ()


def test_nothing_asks_for_a_gradient():
    seen = []

    def model(source_ids, target_ids):
        seen.append(torch.is_grad_enabled())
        return torch.zeros(*target_ids.shape, V)

    for _ in beam_steps(model, source(0), beam_size=2, **SPECIAL, max_length=2):
        assert torch.is_grad_enabled()  # between the steps it is as the caller has it
    assert seen == [False, False]


# --- what is refused ------------------------------------------------------------------------------------------------


def searches():
    return [greedy_search, lambda *given, **more: beam_search(*given, beam_size=2, **more)]


@pytest.mark.parametrize("search", searches(), ids=["greedy", "beam"])
@pytest.mark.parametrize(
    ("logits", "message"),
    [
        ([0.0, math.nan, 0.0], "logits must be finite, .* got NaN in a row"),
        ([0.0, math.inf, 0.0], "got inf in a row"),
        ([-math.inf] * 3, "got −inf alone in a row"),
    ],
)
def test_logits_that_say_nothing_are_refused(search, logits, message):
    with pytest.raises(ValueError, match=message):
        search(lambda s, t: torch.tensor(logits).expand(*t.shape, -1), source(0), **SPECIAL, max_length=5)


@pytest.mark.parametrize("search", searches(), ids=["greedy", "beam"])
def test_ids_that_the_model_has_not_are_told(search):
    for change, message in (
        (dict(eos_token_id=13), "eos_token_id must lie in 0 … 12, the ids that the model can write, got 13"),
        (dict(bos_token_id=13), r"last_ids \(bos_token_id at first\) must lie in 0 … 12, got 13"),
    ):
        with pytest.raises(ValueError, match=message):
            search(transformer(), SOURCES, **(SPECIAL | change), max_length=5)


@pytest.mark.parametrize("penalty", [-0.1, math.nan])
def test_a_penalty_that_would_end_the_search_too_early_is_refused(penalty):
    with pytest.raises(ValueError, match="length_penalty must be at least 0, got"):
        beam_search(chain(), source(0), length_penalty=penalty, **SPECIAL, max_length=5)

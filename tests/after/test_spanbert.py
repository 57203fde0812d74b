import pytest
import torch
import torch.nn.functional as F

from course_utils.after import BoundaryObjective, SpanBertForPreTraining, corrupt_spans, mask_spans
from course_utils.after.span_masks import length_probabilities, span_lengths, tokens_of
from course_utils.config import BertConfig
from course_utils.heads import BertForMaskedLM
from tests.after.twins import SIZES, B, T, V, batch
from tests.small import randomised


def seeded(seed=3):
    return torch.Generator().manual_seed(seed)


def text(rows=97, tokens=67, *, pieces=0.5, seed=0):
    """can_choose and continues of rows [CLS] … [SEP] … [SEP] and padding behind some."""
    can_choose = torch.ones(rows, tokens, dtype=torch.bool)
    can_choose[:, 0] = can_choose[:, 31] = can_choose[:, -1] = False
    can_choose[::5, 53:] = False
    continues = torch.rand(rows, tokens, generator=seeded(seed)) < pieces
    continues &= can_choose & can_choose.roll(1, 1)
    return can_choose, continues


# --- lengths


def test_lengths_follow_the_geometric_distribution_cut_at_ten():
    shares = length_probabilities()
    by_hand = [0.2 * 0.8**n / (1 - 0.8**10) for n in range(10)]
    assert shares.tolist() == pytest.approx(by_hand, abs=1e-12)
    mean = float((shares * torch.arange(1, 11)).sum())
    assert mean == pytest.approx(1 / 0.2 - 10 * 0.8**10 / (1 - 0.8**10)) and round(mean, 2) == 3.80
    drawn = span_lengths(100_003, generator=seeded())
    counts = drawn.bincount(minlength=11)
    assert counts[0] == 0 and len(counts) == 11
    chi_squared = float(((counts[1:] - len(drawn) * shares) ** 2 / (len(drawn) * shares)).sum())
    assert chi_squared < 27.9  # nine degrees of freedom, one in a thousand
    assert abs(float(drawn.double().mean()) - 3.797) < 0.034  # 4 standard deviations
    assert torch.equal(drawn, span_lengths(100_003, generator=seeded()))


# --- which tokens


def test_fifteen_percent_of_whole_words_and_no_special_token():
    can_choose, continues = text()
    total, tokens = 0, 0
    for seed in range(13):
        chosen = mask_spans(can_choose, continues, generator=seeded(seed)).chosen
        assert not (chosen & ~can_choose).any()
        assert torch.equal(chosen[:, 1:][continues[:, 1:]], chosen[:, :-1][continues[:, 1:]])
        total, tokens = total + int(chosen.sum()), tokens + int(can_choose.sum())
    assert abs(total / tokens - 0.15) < 0.002


def test_no_row_gets_much_more_or_less_than_its_share():
    can_choose, continues = text()
    chosen = mask_spans(can_choose, continues, generator=seeded()).chosen
    off = chosen.sum(1) - 0.15 * can_choose.sum(1)
    longest = 1 + max(
        len(word) for row in continues.tolist() for word in "".join("01"[c] for c in row).split("0")
    )
    assert off.abs().max() < longest and off.abs().double().mean() < 1.5


def test_a_span_is_as_long_as_drawn_unless_cut():
    can_choose, continues = text(rows=211, pieces=0.0)  # each token a word
    spans = mask_spans(can_choose, continues, generator=seeded())
    lengths = spans.places[:, 2] - spans.places[:, 1] + 1
    assert (lengths <= spans.drawn).all()
    last = torch.cat([spans.places[1:, 0] != spans.places[:-1, 0], torch.tensor([True])])
    behind = can_choose[spans.places[:, 0], spans.places[:, 2] + 1]
    cut = (lengths < spans.drawn) & behind & ~last
    # Only a neighbour span may have cut it: one untaken word stands between both.
    for row, _, end in spans.places[cut].tolist():
        assert spans.chosen[row, end + 2]
    assert float((lengths == spans.drawn)[~last].double().mean()) > 0.8


def test_spans_are_what_is_chosen_and_never_touch():
    can_choose, continues = text()
    spans = mask_spans(can_choose, continues, generator=seeded())
    row, column, _, _ = tokens_of(spans.places)
    rebuilt = torch.zeros_like(can_choose)
    rebuilt[row, column] = True
    assert torch.equal(rebuilt, spans.chosen) and len(row) == int(spans.chosen.sum())
    for line, first, last in spans.places.tolist():
        assert not spans.chosen[line, first - 1] and not spans.chosen[line, last + 1]


def test_masks_come_from_the_generator_and_nothing_is_changed():
    can_choose, continues = text()
    kept = can_choose.clone(), continues.clone()
    one, same, other = (mask_spans(can_choose, continues, generator=seeded(s)) for s in (3, 3, 4))
    assert torch.equal(one.places, same.places) and not torch.equal(one.chosen, other.chosen)
    assert torch.equal(can_choose, kept[0]) and torch.equal(continues, kept[1])


def test_every_word_starts_a_span_equally_often():
    can_choose = torch.ones(4001, 20, dtype=torch.bool)
    can_choose[:, 0] = can_choose[:, -1] = False
    spans = mask_spans(can_choose, torch.zeros_like(can_choose), generator=seeded(), rate=0.01)
    # A rate so low that there is one a row at most.
    starts = spans.places[:, 1].bincount(minlength=20)[1:-1].double()
    # Chi squared, 17 degrees, 0.001.
    assert float(((starts - starts.mean()) ** 2 / starts.mean()).sum()) < 40.8


def test_rows_without_words():
    can_choose = torch.zeros(2, 5, dtype=torch.bool)
    spans = mask_spans(can_choose, can_choose, generator=seeded())
    assert spans.places.shape == (0, 3) and spans.drawn.shape == (0,) and not spans.chosen.any()


# --- what becomes of them


def test_one_fate_for_a_span_eighty_ten_ten():
    can_choose, continues = text(rows=997)
    spans = mask_spans(can_choose, continues, generator=seeded())
    ids = torch.randint(5, 4000, can_choose.shape, generator=seeded(1))
    kept = ids.clone()
    corrupted, labels = corrupt_spans(ids, spans, mask_id=4, first_id=5, vocab_size=4000, generator=seeded(2))
    assert torch.equal(ids, kept)
    assert torch.equal(labels, ids.masked_fill(~spans.chosen, -100))
    assert torch.equal(corrupted[~spans.chosen], ids[~spans.chosen])
    fates = {"masked": 0, "same": 0, "random": 0}
    for row, first, last in spans.places.tolist():
        new, old = corrupted[row, first : last + 1], ids[row, first : last + 1]
        assert not (new == 4).any() or (new == 4).all()
        assert new.min() >= 4
        fate = "masked" if (new == 4).all() else "same" if torch.equal(new, old) else "random"
        fates[fate] += 1
        if len(new) > 2 and fate == "random":
            assert len(set(new.tolist())) > 1 and not torch.equal(new, old)  # each its own
    total = sum(fates.values())
    deviation = (0.16 / total) ** 0.5, (0.09 / total) ** 0.5
    assert abs(fates["masked"] / total - 0.8) < 4 * deviation[0]
    assert abs(fates["random"] / total - 0.1) < 4 * deviation[1]


def test_tokens_of_by_hand():
    row, column, span, inside = tokens_of(torch.tensor([[4, 7, 9], [0, 2, 2]]))
    assert row.tolist() == [4, 4, 4, 0] and column.tolist() == [7, 8, 9, 2]
    assert span.tolist() == [0, 0, 0, 1] and inside.tolist() == [0, 1, 2, 0]


# --- the boundary objective

PLACES = torch.tensor([[0, 2, 4], [0, 9, 11], [3, 1, 1], [4, 5, 9]])
CONFIG = BertConfig(**SIZES)


def boundary():
    head = randomised(BoundaryObjective(CONFIG))
    states = torch.randn(B, T, 44, dtype=torch.float64, generator=seeded())
    return head, states, torch.randn(V, 44, dtype=torch.float64, generator=seeded(4))


def test_the_objective_sees_both_boundaries_and_the_place_only():
    head, states, embedding = boundary()
    states.requires_grad_()
    head(states, PLACES, embedding).square().sum().backward()
    seen = states.grad.abs().sum(-1) > 0  # (B, T)
    expected = torch.zeros(B, T, dtype=torch.bool)
    for row, first, last in PLACES.tolist():
        expected[row, first - 1] = expected[row, last + 1] = True
    assert torch.equal(seen, expected)
    noise = torch.randn(B, T, 44, dtype=torch.float64, generator=seeded(5)).masked_fill(
        expected[..., None], 0.0
    )
    assert torch.equal(head(states + 100 * noise, PLACES, embedding), head(states, PLACES, embedding))


def test_each_boundary_and_the_place_count():
    head, states, embedding = boundary()
    before = head(states, PLACES, embedding)
    for column in (1, 5):
        moved = states.clone()
        moved[0, column] += 1
        changed = (head(moved, PLACES, embedding) != before).any(-1)
        assert changed.tolist() == [True] * 3 + [False] * 9
    assert not torch.allclose(before[0], before[1])  # the same boundaries, another place
    swapped = states.clone()
    swapped[0, 1], swapped[0, 5] = states[0, 5], states[0, 1]
    assert not torch.allclose(head(swapped, PLACES, embedding)[:3], before[:3])


def test_the_objective_by_hand():
    head, states, embedding = boundary()
    found = head(states, PLACES, embedding)
    h = torch.cat([states[4, 4], states[4, 10], head.position.weight[2]])  # the third token of the last span
    for linear, norm in ((head.first, head.first_norm), (head.second, head.second_norm)):
        h = F.layer_norm(F.gelu(linear.weight @ h + linear.bias), (44,), norm.weight, norm.bias, 1e-3)
    torch.testing.assert_close(found[3 + 3 + 1 + 2], embedding @ h + head.bias, rtol=0, atol=1e-9)


def test_the_loss_is_the_sum_of_both():
    model = randomised(SpanBertForPreTraining(CONFIG))
    ids, mask, _ = batch()
    labels = torch.full((B, T), -100)
    row, column, _, _ = tokens_of(PLACES)
    labels[row, column] = ids[row, column]
    output = model(ids, mask, labels=labels, spans=PLACES)
    torch.testing.assert_close(output.loss, output.mlm_loss + output.boundary_loss, rtol=0, atol=0)
    by_hand = F.cross_entropy(output.boundary_logits, ids[row, column])
    torch.testing.assert_close(output.boundary_loss, by_hand, rtol=0, atol=1e-12)
    masked = BertForMaskedLM(CONFIG).double().eval()
    masked.load_state_dict(model.state_dict(), strict=False)
    torch.testing.assert_close(output.mlm_loss, masked(ids, mask, labels=labels).loss, rtol=0, atol=0)
    assert output.hidden_states[-1] is output.last_hidden_state
    alone = model(ids, mask, labels=labels)
    assert alone.boundary_loss is None and torch.equal(alone.loss, output.mlm_loss)
    assert model(ids, mask).loss is None
    output.boundary_loss.backward()
    assert model.bert.embeddings.token.weight.grad.abs().sum() > 0  # tied
    assert model.mlm.bias.grad is None


def test_no_span_gives_no_loss():
    model = randomised(SpanBertForPreTraining(CONFIG))
    output = model(batch()[0], labels=torch.full((B, T), -100), spans=PLACES[:0])
    assert output.loss == 0 and output.boundary_logits.shape == (0, V)

"""One vector a word: the loss and its gradient, what is drawn, windows, learning."""

import math

import pytest
import torch
from torch import Tensor

from course_utils.before import WordVectors, train_skip_gram, train_subword_skip_gram, word2vec
from course_utils.before.subword import ngrams
from course_utils.before.word2vec import (
    UnknownWord,
    count_words,
    keep_probability,
    negative_sampling_loss,
    noise_distribution,
    number_words,
    step,
    window_pairs,
)

# Two worlds that never meet.
SENTENCES = [["배", "항구", "바다", "선장"], ["사과", "접시", "과일", "칼"]] * 60


def drawn(seed: int = 3) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def train(sentences=SENTENCES, **changes) -> WordVectors:
    settings = dict(dimensions=7, window=3, negatives=3, epochs=5, min_count=1, generator=drawn())
    return train_skip_gram(sentences, **(settings | changes))


@pytest.fixture
def whole_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a text of eight words each is frequent: nothing is to be thinned here."""
    monkeypatch.setattr(word2vec, "keep_probability", lambda counts: torch.ones(len(counts)))


def test_loss_by_hand() -> None:
    loss = negative_sampling_loss(
        torch.tensor([[1.0, 2.0]]), torch.tensor([[0.5, 0.25]]), torch.tensor([[[0.0, -1.0], [1.0, 0.0]]])
    )
    sigmoid = lambda x: 1 / (1 + math.exp(-x))  # noqa: E731
    expected = -math.log(sigmoid(1.0)) - math.log(sigmoid(2.0)) - math.log(sigmoid(-1.0))
    assert loss.tolist() == pytest.approx([expected])


def test_a_step_goes_down_the_gradient() -> None:
    generator = drawn()
    table, contexts = (torch.randn(n, 5, generator=generator, dtype=torch.float64) for n in (12, 11))
    table[-1] = 0.0
    centres = torch.tensor([[3, 11], [3, 2], [7, 11]])  # a row twice, and an empty place
    others = torch.tensor([[1, 4, 4, 0], [2, 2, 9, 10], [5, 1, 0, 3]])
    rows, u = table.clone().requires_grad_(), contexts.clone().requires_grad_()
    loss = negative_sampling_loss(rows[centres].sum(1), u[others[:, 0]], u[others[:, 1:]]).sum()
    loss.backward()
    rows.grad[-1] = 0.0
    told = step(table, contexts, centres, others, 0.25)
    assert told == pytest.approx(loss.item())
    torch.testing.assert_close(table, rows.detach() - 0.25 * rows.grad)
    torch.testing.assert_close(contexts, u.detach() - 0.25 * u.grad)


def test_negatives_are_drawn_by_counts_to_three_quarters() -> None:
    assert noise_distribution(torch.tensor([16, 1])).tolist() == pytest.approx([8 / 9, 1 / 9])


def test_frequent_words_are_thinned() -> None:
    keep = keep_probability(torch.tensor([9000, 990, 10]), threshold=1e-2)
    assert keep.tolist() == pytest.approx([math.sqrt(0.01 / 0.9), math.sqrt(0.01 / 0.099), 1.0])


def test_windows_stay_in_their_sentence_and_within_reach() -> None:
    tokens, sentence = torch.arange(13), torch.tensor([0] * 6 + [1] * 7)
    everything: set[tuple[int, int]] = set()
    for seed in range(40):
        pairs = window_pairs(tokens, sentence, window=3, generator=drawn(seed)).tolist()
        assert len(pairs) == len(set(map(tuple, pairs)))
        for centre, neighbour in pairs:
            assert 1 <= abs(centre - neighbour) <= 3 and sentence[centre] == sentence[neighbour]
        reach = {c: max(abs(c - n) for centre, n in pairs if centre == c) for c in (2, 9)}
        for centre in reach:  # whatever is nearer than the farthest neighbour is one, on both sides
            near = {n for c, n in pairs if c == centre}
            assert {centre + d for d in range(1, reach[centre] + 1)} <= near | {6, 13}
        everything |= set(map(tuple, pairs))
    assert {n - c for c, n in everything} == {-3, -2, -1, 1, 2, 3}


def test_a_window_of_one_is_the_next_words() -> None:
    pairs = window_pairs(torch.tensor([4, 5, 6]), torch.zeros(3), window=1, generator=drawn())
    assert sorted(pairs.tolist()) == [[4, 5], [5, 4], [5, 6], [6, 5]]
    assert window_pairs(torch.tensor([4]), torch.zeros(1), window=5, generator=drawn()).shape == (0, 2)


def test_words_are_counted_and_numbered() -> None:
    sentences = [["가", "나", "가"], [], ["다", "나", "라"]]
    words, counts = count_words(sentences, min_count=1)
    assert words == ("가", "나", "다", "라") and counts.tolist() == [2, 2, 1, 1]
    tokens, sentence = number_words(sentences, ("가", "라"))
    assert tokens.tolist() == [0, 0, 1] and sentence.tolist() == [0, 0, 2]


def test_words_of_one_world_come_together(whole_text: None) -> None:
    vectors = train(epochs=20)
    assert {word for word, _ in vectors.nearest("배", number=3)} == {"항구", "바다", "선장"}
    cosine = dict(vectors.nearest("배", number=7))
    assert cosine["항구"] > 0.3 > cosine["접시"]


def test_the_generator_decides_everything() -> None:
    torch.manual_seed(1)
    first = train()
    torch.manual_seed(2)
    assert torch.equal(first.vectors, train().vectors)
    assert not torch.equal(first.vectors, train(generator=drawn(4)).vectors)


def test_the_loss_begins_at_guessing_and_falls(whole_text: None) -> None:
    told: list[tuple[int, float]] = []
    copies: list[Tensor] = []
    vectors = train(
        epochs=9,
        on_epoch=lambda epoch, loss, so_far: (told.append((epoch, loss)), copies.append(so_far.vectors)),
    )
    assert [epoch for epoch, _ in told] == list(range(1, 10))
    losses = [loss for _, loss in told]
    assert losses[0] < 4 * math.log(2) and losses[-1] < 0.9 * losses[0]
    assert torch.equal(copies[-1], vectors.vectors) and not torch.equal(copies[0], copies[-1])


def test_the_rate_falls_to_zero(monkeypatch: pytest.MonkeyPatch, whole_text: None) -> None:
    rates = []
    monkeypatch.setattr(word2vec, "step", lambda *given: rates.append(given[-1]) or 0.0)
    monkeypatch.setattr(word2vec, "BATCH", 50)
    train(epochs=4)
    assert (
        rates[0] == word2vec.RATE and rates == sorted(rates, reverse=True) and 0 < rates[-1] < 0.1 * rates[0]
    )


def test_rare_words_have_no_vector() -> None:
    vectors = train([*SENTENCES, ["뱃고동", "배"]], min_count=2)
    assert "뱃고동" not in vectors.index
    for ask in (vectors.vector, vectors.nearest):
        with pytest.raises(
            UnknownWord, match="^'뱃고동' has no vector: it is not among the 8 words learned$"
        ):
            ask("뱃고동")


def test_nearest_to_a_vector() -> None:
    vectors = WordVectors(
        ("가", "나", "다"), torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0]]), torch.tensor([3, 2, 1])
    )
    assert vectors.nearest("가") == [("나", pytest.approx(1.0)), ("다", pytest.approx(0.0))]
    assert [word for word, _ in vectors.nearest(torch.tensor([0.0, 5.0]), number=1)] == ["다"]
    assert [word for word, _ in vectors.nearest(torch.tensor([1.0, 0.1]), without=["가"])] == ["나", "다"]


def test_ngrams_have_edges() -> None:
    assert ngrams("배") == ["<배>", "<배", "배>"]
    assert ngrams("배편") == ["<배편>", "<배", "배편", "편>", "<배편", "배편>"]


def test_a_word_never_seen_is_the_sum_of_its_parts() -> None:
    settings = dict(dimensions=7, window=3, negatives=3, epochs=5, min_count=1)
    vectors = train_subword_skip_gram(SENTENCES, **settings, generator=drawn())
    torch.testing.assert_close(vectors.vector("배"), sum(vectors.grams[gram] for gram in ngrams("배")))
    torch.testing.assert_close(vectors.vector("배편"), vectors.grams["<배"])
    with pytest.raises(UnknownWord, match="none of its n-grams was seen"):
        vectors.vector("뫙")

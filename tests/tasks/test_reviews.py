"""Film reviews as a task: which rating is good, no film and no text in two parts, as many good as bad."""

from __future__ import annotations

import pytest

from course_utils.datasets.layouts import Review
from course_utils.datasets.set_aside import film_part, letters
from course_utils.tasks.data import BAD, GOOD
from experiments.task_data import reviews
from experiments.task_data.reviews import label_of, labelled_reviews

FILMS = {
    part: [str(film) for film in range(2_000) if film_part(str(film)) == part]
    for part in ("test", "validation", "train", "pretraining")
}


def made(part, number, rating, text="영화 {} 평"):
    return [
        Review(FILMS[part][count % 7], rating, text.format(f"{part} {rating} {count}"))
        for count in range(number)
    ]


def test_ratings_between_good_and_bad_have_no_label():
    assert [label_of(rating) for rating in range(1, 11)] == [*[BAD] * 4, *[None] * 4, GOOD, GOOD]


def test_every_part_is_balanced_and_of_its_own_films(monkeypatch):
    monkeypatch.setattr(reviews, "SIZES", {"test": 6, "validation": 6, "train": 20})
    given = [
        review for part in FILMS for review in (*made(part, 9, 2), *made(part, 30, 10), *made(part, 5, 6))
    ]
    found = labelled_reviews(given)
    assert {part: len(chosen) for part, chosen in found.items()} == {"test": 6, "validation": 6, "train": 18}
    source = {review.text: review for review in given}
    for part, chosen in found.items():
        assert sum(one.label for one in chosen) * 2 == len(chosen)
        for one in chosen:
            assert film_part(source[one.text].film) == part and label_of(source[one.text].rating) == one.label
    assert labelled_reviews(given[::-1]) == found  # the file's order decides nothing


def test_a_text_stands_in_one_part_and_once():
    shared = [Review(FILMS[part][0], rating, text) for part in ("train", "validation", "test")
              for rating, text in ((1, "최악의 영화!"), (10, "최고의  영화"), (10, "최고의 영화."))]  # fmt: skip
    more = [Review(FILMS["train"][1], 1, "지루한 영화"), Review(FILMS["train"][1], 10, "멋진 영화")]
    found = labelled_reviews(shared + more)
    assert [letters(one.text) for one in sorted(found["test"], key=lambda one: one.label)] == [
        "최악의영화",
        "최고의영화",
    ]
    assert found["validation"] == []
    assert sorted(one.text for one in found["train"]) == ["멋진 영화", "지루한 영화"]


@pytest.mark.parametrize("rating", [1, 10])
def test_rude_texts_are_left_out(rating):
    pair = [Review(FILMS["test"][0], 1, "나쁜 영화"), Review(FILMS["test"][0], 10, "좋은 영화")]
    rude = Review(FILMS["test"][1], rating, "존나 그런 영화")
    assert labelled_reviews([*pair, rude]) == labelled_reviews(pair)

"""Film reviews as a task: which rating is good, no film and no text in two parts, as many good as bad."""

from __future__ import annotations

from course_utils.datasets.layouts import Review
from course_utils.datasets.set_aside import film_part
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

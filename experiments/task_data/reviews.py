"""reviews.tsv: film reviews, good or bad, split by film.

Source: raw/ of e9t/nsmc (CC0), see data/README.md. Ratings 1 to 4 are bad (0), 9 and 10 good (1); what lies between is
left out, and so is what is rude. The films of each part are decided by a hash (datasets/set_aside.py): none stands in
two parts, and none of these was pre-trained on.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence

from course_utils.datasets.download import find_file
from course_utils.datasets.layouts import Review, read_reviews
from course_utils.datasets.rude import rude_stem
from course_utils.datasets.set_aside import film_part, letters
from course_utils.tasks.data import BAD, GOOD, PARTS, LabelledReview

COLUMNS = ("part", "film", "label", "text")
# A text that stands in two parts stays in the first of them.
SIZES = {"test": 2_000, "validation": 2_000, "train": 12_000}


def make() -> list[tuple[str, ...]]:
    return select(list(read_reviews(find_file("nsmc_raw.tsv.gz"))))


def select(reviews: Sequence[Review]) -> list[tuple[str, ...]]:
    """The labelled reviews of each part, each with the film of the first review that reads so."""
    films: dict[tuple, str] = {}
    for review in reviews:
        films.setdefault((film_part(review.film), label_of(review.rating), review.text), review.film)
    chosen = labelled_reviews(reviews)
    return [
        (part, films[part, one.label, one.text], str(one.label), unicodedata.normalize("NFC", one.text))
        for part in PARTS
        for one in chosen[part]
    ]


def label_of(rating: int) -> int | None:
    """BAD for 1 to 4, GOOD for 9 and 10, None between them."""
    if rating <= 4:
        return BAD
    return GOOD if rating >= 9 else None


def labelled_reviews(reviews: Iterable[Review]) -> dict[str, list[LabelledReview]]:
    """The reviews of each part, half of them good, in an order that a hash of the text decides.

    Returns:
        "test", "validation", "train" -> as many as SIZES says, or as there are, the same number of either label.
    """
    found: dict[str, list[LabelledReview]] = {part: [] for part in SIZES}
    for review in reviews:
        part, label = film_part(review.film), label_of(review.rating)
        if part in found and label is not None and not rude_stem(review.text):
            found[part].append(LabelledReview(review.text, label))
    seen: set[str] = set()
    return {part: _balanced(_new(found[part], seen), size) for part, size in SIZES.items()}


def _new(reviews: Iterable[LabelledReview], seen: set[str]) -> list[LabelledReview]:
    """Those whose letters are not among `seen`, which grows."""
    kept = []
    for review in reviews:
        key = letters(review.text)
        if key not in seen:
            seen.add(key)
            kept.append(review)
    return kept


def _balanced(reviews: Iterable[LabelledReview], size: int) -> list[LabelledReview]:
    """`size` of them at most, as many of either label, ordered by hash."""
    ordered = sorted(reviews, key=lambda review: hashlib.sha256(review.text.encode()).digest())
    groups = [[review for review in ordered if review.label == label] for label in (BAD, GOOD)]
    each = min(size // 2, *map(len, groups))
    chosen = {review for group in groups for review in group[:each]}
    return [review for review in ordered if review in chosen]

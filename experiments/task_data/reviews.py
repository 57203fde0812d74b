"""reviews.tsv: film reviews, good or bad; the selection is that of nsmc.py."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from course_utils.datasets.download import find_file
from course_utils.datasets.layouts import Review, read_reviews
from course_utils.datasets.set_aside import film_part
from course_utils.tasks.data import PARTS
from experiments.task_data.nsmc import label_of, labelled_reviews

COLUMNS = ("part", "film", "label", "text")


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

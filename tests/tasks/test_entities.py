"""Whole entities from tags: broken sequences by hand, and 500 random ones of each scheme against seqeval."""

from __future__ import annotations

import random

import pytest

from course_utils.tasks.entities import entities
from course_utils.tasks.metrics import entity_f1


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ("", []),
        ("B-PS I-PS O B-LC", [("PS", 0, 2), ("LC", 3, 4)]),
        # broken: an I that goes on with nothing begins an entity
        ("I-PS I-PS O", [("PS", 0, 2)]),
        ("B-PS O I-PS", [("PS", 0, 1), ("PS", 2, 3)]),
        ("B-PS I-LC I-LC", [("PS", 0, 1), ("LC", 1, 3)]),
        ("I-PS I-LC I-PS", [("PS", 0, 1), ("LC", 1, 2), ("PS", 2, 3)]),
        ("B-A-1 I-A-1 I-A", [("A-1", 0, 2), ("A", 2, 3)]),  # a type may hold a hyphen
    ],
)
def test_bio_by_hand(tags, found):
    assert entities(tags.split()) == found


@pytest.mark.parametrize(
    ("tags", "found"),
    [
        ("", []),
        ("S-PS O S-PS S-LC", [("PS", 0, 1), ("PS", 2, 3), ("LC", 3, 4)]),
        ("B-PS E-PS B-LC I-LC I-LC E-LC", [("PS", 0, 2), ("LC", 2, 6)]),
        # broken: what is not whole is none
        ("B-PS I-PS", []),
        ("I-PS E-PS", []),
        ("B-PS E-LC", []),
        ("B-PS S-PS E-PS", [("PS", 1, 2)]),
        ("B-PS B-PS E-PS", [("PS", 1, 3)]),
        ("S-PS I-PS E-PS", [("PS", 0, 1)]),
    ],
)
def test_bioes_by_hand(tags, found):
    assert entities(tags.split(), scheme="BIOES") == found


def random_tags(scheme: str) -> tuple[list[str], list[str]]:
    """Tags in any order, and the same with some of them changed."""
    some = ["O", *(f"{letter}-{kind}" for letter in scheme if letter != "O" for kind in ("PS", "LC"))]
    right = random.choices(some, k=random.randrange(12))
    share = random.choice([0, 0.1, 0.4])
    return [random.choice(some) if random.random() < share else tag for tag in right], right


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
def test_500_random_sequences_as_seqeval(scheme):
    from seqeval.metrics import f1_score  # with scikit-learn, longer to load than all other tests
    from seqeval.metrics.sequence_labeling import get_entities
    from seqeval.scheme import IOBES, Tokens

    mode = {"BIO": {}, "BIOES": {"mode": "strict", "scheme": IOBES}}[scheme]
    predictions, references = zip(*(random_tags(scheme) for _ in range(500)))
    for predicted, right in zip(predictions, references):
        if scheme == "BIO":
            wanted = [(kind, start, last + 1) for kind, start, last in get_entities(right)]
        else:
            wanted = [(found.tag, found.start, found.end) for found in Tokens(right, IOBES).entities]
        assert entities(right, scheme=scheme) == wanted, right
        expected = f1_score([right], [predicted], zero_division=0, **mode)
        assert entity_f1([predicted], [right], scheme=scheme) == pytest.approx(expected), (predicted, right)
    expected = f1_score(list(references), list(predictions), **mode)
    assert entity_f1(predictions, references, scheme=scheme) == pytest.approx(expected)
    assert 0.3 < expected < 0.95


def test_f1_by_hand():
    references = [["B-PS", "I-PS", "O", "B-LC"], ["O", "B-PS", "O"]]
    predictions = [["B-PS", "O", "O", "B-LC"], ["O", "B-LC", "B-PS"]]
    # 4 predicted, 3 there, one of them right: the first name lacks its end, the third has another type.
    assert entity_f1(predictions, references) == pytest.approx(2 * (1 / 4) * (1 / 3) / (1 / 4 + 1 / 3))
    assert entity_f1(references, references) == 1.0


def test_counts_are_summed_before_dividing():
    references = [["B-PS", "O"], ["B-PS", "B-LC", "B-LC"]]
    predictions = [["O", "O"], ["B-PS", "B-LC", "B-LC"]]
    assert entity_f1(predictions, references) == 2 * 3 / 7  # not (0 + 1) / 2, the mean of sentences


def test_an_entity_belongs_to_its_sentence():
    assert entity_f1([["B-PS"], ["O"]], [["O"], ["B-PS"]]) == 0.0
    assert entity_f1([["B-PS"], ["I-PS"]], [["B-PS"], ["B-PS"]]) == 1.0  # none goes on in the next sentence


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
def test_no_entity_at_all_is_0_without_a_warning(scheme, recwarn):
    for tags in ([["O", "O"]], [[]], [[], ["O"]]):
        assert entity_f1(tags, tags, scheme=scheme) == 0.0
    only = [["B-PS"]] if scheme == "BIO" else [["S-PS"]]
    assert entity_f1([["O"]], only, scheme=scheme) == entity_f1(only, [["O"]], scheme=scheme) == 0.0
    assert not recwarn.list


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: entity_f1([], []), "equally many sentences, at least 1, got 0 and 0"),
        (lambda: entity_f1([["O"]], [["O"], ["O"]]), "equally many sentences, at least 1, got 1 and 2"),
        (lambda: entity_f1([["O"], ["O"]], [["O"], ["O", "O"]]), r"predictions\[1\] must have 2 tags, got 1"),
        (lambda: entity_f1([["E-PS"]], [["O"]]), "tags must be O or one of B-…, I-… with a type .*'E-PS'"),
        (lambda: entity_f1(["B-PS"], ["B-PS"]), "got 'B'"),  # one sentence in place of several
        (lambda: entities(["B-"]), "got 'B-'"),
        (lambda: entities(["L-PS"], scheme="BIOES"), "one of B-…, I-…, E-…, S-… with a type .*'L-PS'"),
        (lambda: entities(["O"], scheme="IOB"), "scheme must be 'BIO' or 'BIOES', got 'IOB'"),
    ],
)
def test_what_does_not_fit(call, told):
    with pytest.raises(ValueError, match=told):
        call()

"""Whole entities, such as names, read from the tags of tokens; and how many of them were found.

    BIO      세/B-PS 종/I-PS 은/O 한/B-LC 양/I-LC         B begins an entity, I goes on with it, O is outside
    BIOES    세/B-PS 종/E-PS 은/O 한/B-LC 양/E-LC         E ends one of several tokens, S is one of a single token

A tagger may break the rules, and then one has to say what counts. Here BIO is read leniently and BIOES strictly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

Entity = tuple[str, int, int]  # (type, start, end): tags[start:end] is the entity
SCHEMES = ("BIO", "BIOES")


def entities(tags: Sequence[str], *, scheme: str = "BIO") -> list[Entity]:
    """The entities of one sentence.

    BIO, leniently, as CoNLL-2000's script and seqeval's default mode: an I without an entity of its type right before
    it begins one itself. BIOES, strictly, as seqeval's mode="strict" with IOBES: S alone, or B, any number of I, and E,
    all of one type; what is not whole is none.

    >>> entities(["B-PS", "I-PS", "O", "I-LC"])
    [('PS', 0, 2), ('LC', 3, 4)]

    Args:
        tags: (T,) texts: O, or a letter of the scheme, a hyphen and a type.
        scheme: "BIO" or "BIOES".

    Returns:
        (type, start, end) from left to right, end not included.

    Source: Ramshaw and Marcus 1995; Tjong Kim Sang and Buchholz 2000 (BIO); Lample et al. 2016 (BIOES).
    """
    _check_scheme(scheme)
    return _read(tags, scheme)


def entity_f1(
    predictions: Sequence[Sequence[str]], references: Sequence[Sequence[str]], *, scheme: str = "BIO"
) -> float:
    """F1 over whole entities: one is right if its type, its start and its end are.

        P = right / predicted        R = right / there        F1 = 2·P·R / (P + R) = 2·right / (predicted + there)

    Counts are summed over all sentences and types before dividing (micro average). A name found but for its last token
    is one wrong and one missing; accuracy of tags would praise it, and the many O besides.

    Args:
        predictions, references: a list of tags for each sentence, both of the same lengths; at least one sentence.
        scheme: "BIO", read as seqeval's default mode, or "BIOES", read as its strict one; see entities.

    Returns:
        0 … 1; 0 where there is no entity on either side, as seqeval has it, although nothing is wrong then.

    Source: Tjong Kim Sang and De Meulder 2003 (CoNLL-2003); Nakayama 2018 (seqeval).
    """
    _check_scheme(scheme)
    if len(predictions) != len(references) or not references:
        raise ValueError(
            f"there must be equally many sentences, at least 1, got {len(predictions)} and {len(references)}"
        )
    common = among = 0
    for number, (predicted, right) in enumerate(zip(predictions, references)):
        if len(predicted) != len(right):
            raise ValueError(f"predictions[{number}] must have {len(right)} tags, got {len(predicted)}")
        these, those = _entities(tuple(predicted), scheme), _entities(tuple(right), scheme)
        common += len(these & those)
        among += len(these) + len(those)
    return 2 * common / among if among else 0.0


def _check_scheme(scheme: str) -> None:
    if scheme not in SCHEMES:
        raise ValueError(f"scheme must be 'BIO' or 'BIOES', got {scheme!r}")


@lru_cache(maxsize=2**13)  # an interval asks for the same sentences at every draw
def _entities(tags: tuple[str, ...], scheme: str) -> frozenset[Entity]:
    return frozenset(_read(tags, scheme))


def _read(tags: Sequence[str], scheme: str) -> list[Entity]:
    marks = [_mark_and_type(tag, scheme) for tag in tags]
    return _leniently(marks) if scheme == "BIO" else _strictly(marks)


@lru_cache(maxsize=256)
def _mark_and_type(tag: str, scheme: str) -> tuple[str, str]:
    """ "B-PS" -> ("B", "PS"); "O" -> ("O", "")."""
    mark, _, kind = tag.partition("-")
    outside = tag == "O"
    if not outside and (mark == "O" or len(mark) != 1 or mark not in scheme or not kind):
        wanted = ", ".join(f"{letter}-…" for letter in scheme if letter != "O")
        raise ValueError(f"tags must be O or one of {wanted} with a type behind it, got {tag!r}")
    return mark, kind


def _leniently(marks: list[tuple[str, str]]) -> list[Entity]:
    """Every token that is not O belongs to an entity; I prolongs the one right before it, if of its type."""
    found: list[Entity] = []
    for place, (mark, kind) in enumerate(marks):
        if mark == "I" and found and (found[-1][0], found[-1][2]) == (kind, place):
            found[-1] = (kind, found[-1][1], place + 1)
        elif mark != "O":
            found.append((kind, place, place + 1))
    return found


def _strictly(marks: list[tuple[str, str]]) -> list[Entity]:
    """S, or B I … I E of one type."""
    found: list[Entity] = []
    begun: tuple[str, int] | None = None  # type and start of what waits for its E
    for place, (mark, kind) in enumerate(marks):
        if mark in ("B", "S"):
            begun = (kind, place)
        elif begun and (mark == "O" or kind != begun[0]):
            begun = None
        if begun and mark in ("E", "S"):
            found.append((*begun, place + 1))
            begun = None
    return found

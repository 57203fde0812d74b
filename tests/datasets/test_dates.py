"""Dates in two languages: each pair is read and said again by other code, over thousands of draws."""

import calendar
import re
from collections import Counter
from datetime import date, datetime, time, timedelta

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets.date_pairs import draw_pairs, past_and_to, split_of
from course_utils.datasets.dates import FIRST, LAST, Moment, english, korean

MOMENTS = st.builds(
    Moment,
    st.dates(FIRST, LAST),
    st.none() | st.times().map(lambda clock: clock.replace(second=0, microsecond=0)),
)
HALF_PAST_THREE = Moment(date(2026, 11, 22), time(15, 30))


def drawn(number: int, split: str = "train", seed: int = 7):
    return draw_pairs(number, split=split, generator=torch.Generator().manual_seed(seed))


# --- The second reader: it shares no code and no table with the grammar.

DIAL_FACE = "twelve one two three four five six seven eight nine ten eleven"
DIAL = {word: n for n, word in enumerate(DIAL_FACE.split())}
MINUTES = {"five": 5, "ten": 10, "quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
BETWEEN = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 21), "night": (21, 24)}


def read(said: str) -> tuple[date, time | None, str | None]:
    """Day, time and weekday that an English sentence says."""
    month = next(word for word in re.findall(r"[A-Z][a-z]+", said) if word in calendar.month_name)
    number = re.search(rf"(\d+)(?:st|nd|rd|th of|nd of|st of|rd of)? {month}|{month} (\d+)", said)
    year = re.search(r"\b\d{4}\b", said)[0]
    day = datetime.strptime(f"{number[1] or number[2]} {month} {year}", "%d %B %Y").date()
    weekday = next((word for word in re.findall(r"[A-Z][a-z]+", said) if word in calendar.day_name), None)
    return day, read_time(said), weekday


def read_time(said: str) -> time | None:
    if "noon" in said.split():
        return time(12)
    if "midnight" in said:
        return time(0)
    if found := re.search(r"\d+:\d+ [ap]m", said):
        return datetime.strptime(found[0], "%I:%M %p").time()
    if found := re.search(r"\d+:\d+", said):
        return datetime.strptime(found[0], "%H:%M").time()
    if found := re.search(r"\d+ [ap]m", said):
        return datetime.strptime(found[0], "%I %p").time()
    if found := re.search(r"([a-z-]+) (past|to) (\w+) (?:in the|at) (\w+)", said):
        minutes = MINUTES[found[1]] * (1 if found[2] == "past" else -1)
        return between(60 * DIAL[found[3]] + minutes, found[4])
    if found := re.search(r"(\w+) o'clock (?:in the|at) (\w+)", said):
        return between(60 * DIAL[found[1]], found[2])
    return None


def between(minutes: int, part: str) -> time:
    """Of the two times of a day that a dial shows, the one in this part of the day."""
    first, last = BETWEEN[part]
    (found,) = {m % 1440 for m in (minutes, minutes + 720) if 60 * first <= m % 1440 < 60 * last}
    return time(*divmod(found, 60))


def say(day: date, clock: time | None, weekday: str | None) -> str:
    """The Korean side, from what was read."""
    said = day.strftime("%Y년 %m월 %d일").replace(" 0", " ")
    if weekday:
        said += f" {'월화수목금토일'[list(calendar.day_name).index(weekday)]}요일"
    if clock is None:
        return said
    if (clock.hour % 12, clock.minute) == (0, 0):
        return said + (" 자정" if clock.hour == 0 else " 정오")
    half = {"AM": "오전", "PM": "오후"}[clock.strftime("%p")]
    said += f" {half} {int(clock.strftime('%I'))}시"
    return said + (f" {clock.minute}분" if clock.minute else "")


# --- The grammar


def test_by_hand() -> None:
    assert korean(HALF_PAST_THREE, weekday=True) == "2026년 11월 22일 일요일 오후 3시 30분"
    wordings = english(HALF_PAST_THREE, weekday=True)
    assert "half past three in the afternoon on Sunday the 22nd of November 2026" in wordings
    assert "at 3:30 pm on Sunday, November 22nd, 2026" in wordings
    assert "on Sunday 22 November 2026 at 15:30" in wordings
    assert len(wordings) == len(set(wordings)) == 3 * 3 * 4
    assert english(Moment(date(2000, 2, 29)), weekday=False) == [
        *("the 29th of February 2000", "29 February 2000", "February 29th, 2000", "February 29, 2000"),
        *("on the 29th of February 2000", "on 29 February 2000", "on February 29th, 2000"),
        "on February 29, 2000",
    ]


def test_ordinals() -> None:
    said = [english(Moment(date(2026, 1, day)), weekday=False)[0].split()[1] for day in range(1, 32)]
    assert " ".join(said[:4] + said[10:13]) == "1st 2nd 3rd 4th 11th 12th 13th"
    assert " ".join(said[19:24] + said[29:]) == "20th 21st 22nd 23rd 24th 30th 31st"
    assert Counter(ordinal[-2:] for ordinal in said) == {"th": 24, "st": 3, "nd": 2, "rd": 2}


@pytest.mark.parametrize(
    ("clock", "words", "said"),
    [
        ((0, 0), "midnight", "자정"),
        ((0, 30), "half past twelve in the morning", "오전 12시 30분"),
        ((0, 55), "five to one in the morning", "오전 12시 55분"),
        ((11, 45), "quarter to twelve in the morning", "오전 11시 45분"),
        ((12, 0), "noon", "정오"),
        ((12, 0), "12:00 pm", "정오"),
        ((12, 40), "twenty to one in the afternoon", "오후 12시 40분"),
        ((18, 0), "six o'clock in the evening", "오후 6시"),
        ((23, 35), "twenty-five to twelve at night", "오후 11시 35분"),
        ((9, 7), "09:07", "오전 9시 7분"),
    ],
)
def test_the_edges_of_the_clock(clock, words, said) -> None:
    moment = Moment(date(1999, 12, 31), time(*clock))
    assert f"at {words} on 31 December 1999" in english(moment, weekday=False)
    assert korean(moment, weekday=False) == f"1999년 12월 31일 {said}"


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(moment=MOMENTS, weekday=st.booleans())
def test_every_wording_says_the_same(moment, weekday) -> None:
    wordings = english(moment, weekday=weekday)
    assert len(set(wordings)) == len(wordings) >= 8
    for said in wordings:
        day, clock, name = read(said)
        assert (day, clock, bool(name)) == (moment.day, moment.time, weekday), said
        assert say(day, clock, name) == korean(moment, weekday=weekday)


def test_every_minute_of_a_day_has_one_sentence() -> None:
    moments = [Moment(date(2024, 2, 29), time(*divmod(minute, 60))) for minute in range(1440)]
    assert len({korean(moment, weekday=False) for moment in moments}) == 1440
    said = [words for moment in moments for words in english(moment, weekday=False)]
    assert len(set(said)) == len(said)  # no wording says two times


# --- Draws


def test_draws_come_from_the_generator_alone() -> None:
    assert drawn(53) == drawn(53) != drawn(53, seed=8)
    assert drawn(0) == []
    generator = torch.Generator().manual_seed(7)
    halves = [draw_pairs(number, split="train", generator=generator) for number in (20, 33)]
    assert halves[0] + halves[1] == drawn(53)


@pytest.mark.rare
def test_thousands_of_pairs_are_read_and_said_again_and_each_moment_is_of_one_split() -> None:
    sizes = {"train": 4001, "validation": 503, "test": 503}
    there = {split: drawn(number, split) for split, number in sizes.items()}
    for split, pairs in there.items():
        for pair in pairs:
            day, clock, weekday = read(pair.english)
            assert (day, clock) == (pair.moment.day, pair.moment.time), pair
            assert weekday in (None, calendar.day_name[day.weekday()]), pair
            assert say(day, clock, weekday) == pair.korean and split_of(pair.moment) == split, pair
    moments = {split: {pair.moment for pair in pairs} for split, pairs in there.items()}
    assert not moments["train"] & (moments["validation"] | moments["test"])
    assert not moments["validation"] & moments["test"]


def test_the_hash_is_the_same_everywhere() -> None:
    """Whoever changes what is hashed moves held-out pairs into training."""
    assert split_of(HALF_PAST_THREE) == "validation"
    november = [split_of(Moment(date(2026, 11, number))) for number in range(1, 25)]
    # printf '2026-11-01 None' | sha256sum: the first 16 digits, modulo 10; 0 is test, 1 validation
    remainders = [4, 9, 0, 8, 2, 7, 9, 6, 9, 3, 9, 5, 7, 4, 6, 4, 5, 7, 2, 9, 3, 6, 9, 3]
    assert november == [{0: "test", 1: "validation"}.get(number, "train") for number in remainders]
    days = [Moment(FIRST + timedelta(days=n), time(n % 24, n % 60)) for n in range(10_007)]
    counted = Counter(map(split_of, days))
    shares = [counted[name] / len(days) for name in ("train", "validation", "test")]
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.015)  # 3.7 standard deviations


def test_all_kinds_are_drawn() -> None:
    pairs = drawn(4001)
    none = sum(pair.moment.time is None for pair in pairs) / len(pairs)
    twelve = sum(pair.moment.time in (time(0), time(12)) for pair in pairs) / len(pairs)
    named = sum(pair.korean.count("요일") for pair in pairs) / len(pairs)
    assert 0.22 < none < 0.28 and 0.11 < twelve < 0.15 and 0.47 < named < 0.53
    assert {pair.moment.day.year for pair in pairs} == set(range(1950, 2050))
    assert {pair.moment.day.weekday() for pair in pairs} == set(range(7))
    for words in ("half past", "quarter to", "twenty-five to", "o'clock", "noon", "midnight", "at night"):
        assert any(words in pair.english for pair in pairs), words
    first = sum(not pair.english.startswith("on") for pair in pairs if pair.moment.time) / len(pairs)
    assert 0.45 < first < 0.55  # of all, three quarters have a time, and of these two thirds begin with it


def test_a_split_that_is_none_would_be_drawn_for_ever() -> None:
    with pytest.raises(ValueError, match="^split must be .* got 'dev'$"):
        drawn(3, "dev")


def test_past_and_to_differ_in_one_word_and_were_not_trained_on():
    pairs = past_and_to(every=3000)
    assert len(pairs) > 20
    for past, to in pairs:
        assert past.english.replace(" past ", " to ") == to.english != past.english
        assert "train" not in (split_of(past.moment), split_of(to.moment))
        assert to.english in english(to.moment, weekday=False) and past.korean == korean(
            past.moment, weekday=False
        )

"""Dates and times in English and in Korean: the grammar of the translation that is learned live.

    half past three in the afternoon on Sunday the 22nd of November 2026  ->  2026년 11월 22일 일요일 오후 3시 30분

English has many wordings, and mostly puts the time before the weekday, the weekday before the day, and the year last.
Korean has one wording, the other way round. Its rules:

- 오전 (until 11:59) or 오후, then an hour from 1 to 12, then the minutes unless there are none: 0:30 is 오전 12시 30분,
  and half an hour is 30분, never 반;
- 12:00 is 정오, and 0:00 is 자정, the midnight with which the day begins;
- the weekday, that of the calendar, stands there when English says it: nobody has to compute it.

Not here: what is drawn and what is held out (date_pairs.py), tokens and ids (date_tokens.py), times without a date.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time

FIRST, LAST = date(1950, 1, 1), date(2049, 12, 31)
MIDNIGHT, NOON = time(0), time(12)

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
KOREAN_WEEKDAYS = ("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일")
HOURS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
STEPS = {5: "five", 10: "ten", 15: "quarter", 20: "twenty", 25: "twenty-five", 30: "half"}  # past, or to
SUFFIXES = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}  # of a day; of all others "th"
PARTS = ((12, "in the morning"), (18, "in the afternoon"), (21, "in the evening"), (24, "at night"))  # until


@dataclass(frozen=True)
class Moment:
    """A day and, perhaps, a time: what a sentence says, in whatever words."""

    day: date  # from 1950-01-01 to 2049-12-31
    time: time | None = None  # hour and minute

    def __post_init__(self) -> None:
        if not FIRST <= self.day <= LAST:
            raise ValueError(f"day must be a date from {FIRST} to {LAST}, got {self.day}")
        if self.time is not None and self.time != time(self.time.hour, self.time.minute):
            raise ValueError(f"time must have an hour and a minute and no more, got {self.time}")


def korean(moment: Moment, *, weekday: bool) -> str:
    """The one way in which Korean says a moment, by the rules above.

    Args:
        moment: what to say.
        weekday: say the weekday, too.
    """
    day = moment.day
    said = [f"{day.year}년", f"{day.month}월", f"{day.day}일"]
    if weekday:
        said.append(KOREAN_WEEKDAYS[day.weekday()])
    if moment.time is not None:
        said.append(_korean_time(moment.time))
    return " ".join(said)


def english(moment: Moment, *, weekday: bool) -> list[str]:
    """All the wordings of a moment.

    Args:
        moment: what to say.
        weekday: say the weekday, too.
    """
    days = english_days(moment.day, weekday)
    times = english_times(moment.time) if moment.time is not None else [""]
    return [frame.format(day=day, time=time) for frame in frames(moment) for time in times for day in days]


def frames(moment: Moment) -> tuple[str, ...]:
    """How a time and a day are put together."""
    if moment.time is None:
        return "{day}", "on {day}"
    return "{time} on {day}", "at {time} on {day}", "on {day} at {time}"


def english_days(day: date, weekday: bool) -> list[str]:
    """The wordings of a day: "the 22nd of November 2026" and three more, each with the weekday in front or not."""
    month, ordinal = MONTHS[day.month - 1], f"{day.day}{SUFFIXES.get(day.day, 'th')}"
    name = WEEKDAYS[day.weekday()]
    before, before_month = (f"{name} ", f"{name}, ") if weekday else ("", "")
    return [
        f"{before}the {ordinal} of {month} {day.year}",
        f"{before}{day.day} {month} {day.year}",
        f"{before_month}{month} {ordinal}, {day.year}",
        f"{before_month}{month} {day.day}, {day.year}",
    ]


def english_times(clock: time) -> list[str]:
    """The wordings that a time has: "15:30", "3:30 pm", "half past three in the afternoon"; "3 pm"; "noon" …"""
    hour, minute = _on_the_dial(clock.hour), clock.minute
    half = "am" if clock.hour < 12 else "pm"
    said = [f"{clock.hour:02}:{minute:02}", f"{hour}:{minute:02} {half}"]
    if minute == 0:
        said.append(f"{hour} {half}")
    # The part of the day in which the time lies: "quarter to twelve at night" is before midnight.
    part = next(name for end, name in PARTS if clock.hour < end)
    if clock in (MIDNIGHT, NOON):
        said.append("noon" if clock == NOON else "midnight")
    elif minute == 0:
        said.append(f"{HOURS[hour - 1]} o'clock {part}")
    elif minute in STEPS:
        said.append(f"{STEPS[minute]} past {HOURS[hour - 1]} {part}")
    elif 60 - minute in STEPS:
        following = _on_the_dial(clock.hour + 1)
        said.append(f"{STEPS[60 - minute]} to {HOURS[following - 1]} {part}")
    return said


def _korean_time(clock: time) -> str:
    if clock in (MIDNIGHT, NOON):
        return "정오" if clock == NOON else "자정"
    said = f"{'오전' if clock.hour < 12 else '오후'} {_on_the_dial(clock.hour)}시"
    return f"{said} {clock.minute}분" if clock.minute else said


def _on_the_dial(hour: int) -> int:
    """0 … 24 -> 12, 1 … 11, 12, 1 … 11, 12."""
    return (hour - 1) % 12 + 1

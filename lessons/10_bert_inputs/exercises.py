"""Exercises of notebook 10: the inputs of BERT, and its size."""

from __future__ import annotations

import torch
from torch import Tensor

from course_utils.config import BertConfig
from course_utils.exercises.core import Exercise, Wrong, call, expect_tuple

Ids = list[int]


def build_pair(first: Ids, second: Ids, length: int, cls: int, sep: int, pad: int) -> tuple[Ids, Ids, Ids]:
    input_ids = [cls, *first, sep, *second, sep]
    token_type_ids = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    missing = length - len(input_ids)
    attention_mask = [1] * len(input_ids) + [0] * missing
    return input_ids + [pad] * missing, token_type_ids + [0] * missing, attention_mask


def check_build_pair(answer: object) -> None:
    _check_pair(answer, [7, 8], [9, 5, 6], 10, cls=2, sep=3, pad=0)
    _check_pair(
        answer, [7], [0, 4], 6, cls=2, sep=3, pad=1
    )  # nothing to fill up, and 0 is a token like others
    _check_pair(answer, [11, 3], [0, 12, 3], 13, cls=101, sep=102, pad=1)
    for _ in range(17):
        in_first, in_second, missing = _draw(1, 10, 3)
        cls, sep, pad = (torch.randperm(7)[:3] + 100).tolist()
        first, second = _draw(0, 100, in_first), _draw(0, 100, in_second)
        _check_pair(answer, first, second, in_first + in_second + 3 + missing - 1, cls=cls, sep=sep, pad=pad)
    _check_pair(answer, [7, 1], [1, 4], 9, cls=2, sep=3, pad=1)  # a typed [PAD] is a token like others
    _check_pair(answer, [], [30_521], 7, cls=101, sep=102, pad=0)
    # A text may hold [SEP] itself: the tokenizer keeps a typed one whole.
    _check_pair(answer, [3, 7], [9, 5], 9, cls=2, sep=3, pad=0)


def _check_pair(answer: object, first: Ids, second: Ids, length: int, **special: int) -> None:
    results = expect_tuple(call(answer, first, second, length, *special.values()), 3)
    ids, segments, mask = (_as_list(result) for result in results)
    right_ids, right_segments, right_mask = build_pair(first, second, length, **special)
    cls, sep, pad = special.values()
    used = len(first) + len(second) + 3
    facts = {"first": first, "second": second, "cls": cls, "sep": sep, "pad": pad, "length": length}
    if ids != right_ids:
        no_final = [cls, *first, sep, *second]
        likely = [
            ("no_final_sep", no_final + [pad] * (length - used + 1)),
            ("no_final_sep", no_final + [pad] * (length - used)),
            ("no_middle_sep", [cls, *first, *second, sep] + [pad] * (length - used + 1)),
            ("no_cls", [*first, sep, *second, sep] + [pad] * (length - used + 1)),
            ("pad_left", [pad] * (length - used) + right_ids[:used]),
            ("pad_is_zero", right_ids[:used] + [0] * (length - used)),
            ("not_padded", right_ids[:used]),
        ]
        reason = next((reason for reason, wrong in likely if ids == wrong), "ids")
        raise Wrong(reason, expected=right_ids, actual=ids, **facts)
    border = len(first) + 1  # the place of the first [SEP]
    if segments != right_segments:
        likely = [
            ("first_sep_in_b", [0] * border + [1] * (used - border) + [0] * (length - used)),
            ("last_sep_in_a", [0] * (border + 1) + [1] * len(second) + [0] * (length - used + 1)),
            ("segments_from_one", [segment + 1 for segment in right_segments]),
            ("padding_in_b", right_segments[:used] + [1] * (length - used)),
            ("sep_in_text", _segments_by_sep(right_ids, used, sep)),
        ]
        reason = next((reason for reason, wrong in likely if segments == wrong), "segments")
        raise Wrong(reason, expected=right_segments, actual=segments, **facts)
    if mask != right_mask:
        likely = [
            ("mask_inverted", [1 - bit for bit in right_mask]),
            ("mask_by_pad", [int(number != pad) for number in ids]),
            ("mask_from_zero", [int(number != 0) for number in ids]),
            ("mask_all_ones", [1] * length),
        ]
        reason = next((reason for reason, wrong in likely if mask == wrong), "mask")
        raise Wrong(reason, expected=right_mask, actual=mask, **facts)


def _segments_by_sep(ids: Ids, used: int, sep: int) -> Ids:
    """Segments that change at the first id that is [SEP]'s, wherever it stands."""
    border = ids.index(sep) + 1
    return [0] * border + [1] * (used - border) + [0] * (len(ids) - used)


def _draw(low: int, high: int, count: int) -> Ids:
    return torch.randint(low, high, (count,)).tolist()


def _as_list(values: object) -> Ids:
    values = values.tolist() if isinstance(values, Tensor) else values
    if not isinstance(values, list | tuple):
        raise Wrong("not_lists", actual=type(values).__name__)
    return [int(value) if value == int(value) else value for value in values]


def count_parameters(config: BertConfig, with_heads: bool) -> int:
    V, C, F = config.vocab_size, config.hidden_size, config.intermediate_size
    embeddings = (V + config.max_position_embeddings + config.type_vocab_size) * C + 2 * C
    attention = 4 * (C * C + C)
    feed_forward = (C * F + F) + (F * C + C)
    layer = attention + feed_forward + 2 * (2 * C)
    pooler = C * C + C
    heads = (C * C + C) + 2 * C + V + (2 * C + 2)
    return embeddings + config.num_hidden_layers * layer + pooler + (heads if with_heads else 0)


def check_count_parameters(answer: object) -> None:
    _check_count(answer, BertConfig.tiny(), "tiny")
    _check_count(answer, BertConfig.base(), "base")
    odd = BertConfig(
        vocab_size=101,
        hidden_size=44,
        num_hidden_layers=3,
        num_attention_heads=11,
        intermediate_size=53,
        max_position_embeddings=37,
        type_vocab_size=5,
    )
    _check_count(answer, odd, "V=101, C=44, L=3, H=11, F=53, 512 → 37, 2 → 5")
    for _ in range(11):
        V, L, H, F, P, S = (low + drawn for low, drawn in zip((101, 1, 1, 7, 3, 1), _draw(0, 97, 6)))
        sizes = dict(vocab_size=V, hidden_size=3 * H, num_hidden_layers=L, num_attention_heads=H)
        fresh = BertConfig(**sizes, intermediate_size=F, max_position_embeddings=P, type_vocab_size=S)
        _check_count(answer, fresh, f"V={V}, C={3 * H}, L={L}, H={H}, F={F}, 512 → {P}, 2 → {S}")
    large = BertConfig(
        vocab_size=119_547,
        hidden_size=1000,
        num_hidden_layers=131,
        num_attention_heads=8,
        intermediate_size=9001,
        max_position_embeddings=1031,
        type_vocab_size=211,
    )
    for with_heads in (False, True):
        expected, actual = count_parameters(large, with_heads), call(answer, large, with_heads)
        if actual != expected:
            raise Wrong("larger", expected=f"{expected:,}", actual=f"{actual:,}")


def _check_count(answer: object, config: BertConfig, name: str) -> None:
    for with_heads in (False, True):
        actual = call(answer, config, with_heads)
        if isinstance(actual, bool) or not isinstance(actual, int | float):
            raise Wrong("no_number", actual=type(actual).__name__)
        expected = count_parameters(config, with_heads)
        if actual == expected:
            continue
        gap = actual - expected
        reason = next((reason for reason, wrong in _count_gaps(config, with_heads) if gap == wrong), "count")
        words = {"expected": f"{expected:,}", "actual": f"{actual:,}", "gap": f"{abs(gap):,}", "size": name}
        raise Wrong(reason, **words)


def _count_gaps(config: BertConfig, with_heads: bool) -> list[tuple[str, int]]:
    """How far a likely fault is from the right number."""
    V, C, L, F = config.vocab_size, config.hidden_size, config.num_hidden_layers, config.intermediate_size
    in_embeddings, in_layers, in_head = 2 * C, 4 * C * L, 2 * C * with_heads
    biases = L * (4 * C + F + C) + C + with_heads * (C + V + 2)
    heads = (C * C + C) + 2 * C + V + (2 * C + 2)
    wide = 4 * C - F
    gaps = [
        ("no_pooler", -(C * C + C)),
        ("no_layer_norm", -(in_embeddings + in_layers + in_head)),
        ("no_embedding_norm", -in_embeddings),
        ("one_norm_a_layer", -2 * C * L),
        ("no_output_matrix", -L * (C * C + C)),
        ("ffn_three", -L * (2 * C * C + C)),
        ("no_bias", -biases),
        ("fixed_ffn", L * (2 * C * wide + wide)),
        ("fixed_positions", (512 - config.max_position_embeddings) * C),
        ("fixed_segments", (2 - config.type_vocab_size) * C),
        ("fixed_positions", (514 - config.max_position_embeddings - config.type_vocab_size) * C),
        (
            "fixed_all",
            (514 - config.max_position_embeddings - config.type_vocab_size) * C + L * (2 * C * wide + wide),
        ),
    ]
    if with_heads:
        gaps = [
            ("decoder_twice", V * C),
            ("no_mlm_bias", -V),
            ("no_mlm_transform", -(C * C + C + 2 * C)),
            ("heads_ignored", -heads),
            *gaps,
        ]
    else:
        gaps = [("heads_always", heads), *gaps]
    return [(reason, gap) for reason, gap in gaps if gap]


def truncate_pair(first: list, second: list, room: int) -> tuple[list, list]:
    half = room // 2
    in_first = min(len(first), max(half, room - len(second)))
    in_second = min(len(second), room - in_first)
    return first[:in_first], second[:in_second]


def check_truncate_pair(answer: object) -> None:
    long, short = [f"a{i}" for i in range(1, 9)], ["b1", "b2"]
    for first, second, room in [
        (long, short, 6),
        (short, long, 6),
        (long[:4], short, 10),
        (long, [f"b{i}" for i in range(1, 9)], 6),
        (long[:5], [f"b{i}" for i in range(1, 9)], 8),
        (long, [], 3),
        (long, short, 0),
    ]:
        _check_cut(answer, first, second, room)
    twice = ["배", "를", "배", "를", "배"]  # a token that stands there twice is cut at its last place
    if expect_tuple(call(answer, twice, short, 5), 2)[0] == ["를", "를", "배"]:
        raise Wrong("by_value", expected="배 를 배", actual="를 를 배")
    _check_cut(answer, twice, short, 5)
    for in_first in range(9):
        for in_second in range(9):
            for room in range(1, 18, 3):
                _check_cut(answer, long[:in_first], [f"b{i}" for i in range(1, in_second + 1)], room)
    for in_first, in_second, room in zip(
        _draw(1, 400, 23), _draw(1, 400, 23), _draw(1, 500, 23), strict=True
    ):
        try:
            _check_cut(answer, _draw(0, 9, in_first), _draw(0, 9, in_second), room)
        except Wrong as wrong:
            raise Wrong("longer", a=in_first, b=in_second, room=room) from wrong


def _check_cut(answer: object, first: list, second: list, room: int) -> None:
    kept = [list(part) for part in expect_tuple(call(answer, first, second, room), 2)]
    expected = [list(part) for part in truncate_pair(first, second, room)]
    facts = {"a": len(first), "b": len(second), "room": room, "expected": [len(part) for part in expected]}
    facts |= {
        "actual": [len(part) for part in kept],
        "kept_a": " ".join(map(str, kept[0])),
        "kept_b": " ".join(map(str, kept[1])),
    }
    if kept[0] != first[: len(kept[0])] or kept[1] != second[: len(kept[1])]:
        ends = kept == [part[len(part) - len(left) :] for part, left in zip((first, second), kept)]
        raise Wrong("from_front" if ends else "order", **facts)
    counts, total = facts["actual"], len(first) + len(second)
    if sum(counts) > room:
        raise Wrong("too_long", **facts)
    if sum(counts) < min(room, total):
        raise Wrong("cuts_too_much", **facts)
    # With an odd place left over, either may have it.
    fair = [facts["expected"]]
    if room % 2 and min(len(first), len(second)) > room // 2:
        fair = [[room // 2, room - room // 2], [room - room // 2, room // 2]]
    if counts in fair:
        return
    if counts == [min(len(first), room), max(0, room - len(first))]:
        raise Wrong("only_second", **facts)
    if counts == [max(0, room - len(second)), min(len(second), room)]:
        raise Wrong("only_first", **facts)
    raise Wrong("not_longest_first", **facts)


EXERCISES = [
    Exercise("10.1", level="warm-up", check=check_build_pair, solution=build_pair),
    Exercise("10.2", level="core", check=check_count_parameters, solution=count_parameters),
    Exercise("10.3", level="stretch", check=check_truncate_pair, solution=truncate_pair),
]

"""Exercises of notebook 10: the inputs of BERT, and its size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from course_utils.config import BertConfig
from course_utils.exercises.changes import changes_of
from course_utils.exercises.core import Exercise
from course_utils.exercises.values import plain

Ids = list[int]


def draw(low: int, high: int, count: int) -> Ids:
    return torch.randint(low, high, (count,)).tolist()


# ---- 10.1
def build_pair(first: Ids, second: Ids, length: int, cls: int, sep: int, pad: int) -> tuple[Ids, Ids, Ids]:
    input_ids = [cls, *first, sep, *second, sep]
    token_type_ids = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    missing = length - len(input_ids)
    attention_mask = [1] * len(input_ids) + [0] * missing
    return input_ids + [pad] * missing, token_type_ids + [0] * missing, attention_mask


IDS = "return input_ids + [pad] * missing"
SEGMENTS = "[0] * (len(first) + 2) + [1] * (len(second) + 1)"
MASK = "[1] * len(input_ids) + [0] * missing"


def without(place):
    """The ids without that of a place, filled up behind."""
    return {IDS: f"del input_ids[{place}]\n    {IDS} + [pad]"}


PAIR_MISTAKES = changes_of(
    build_pair,
    {
        "no_final_sep": without("-1"),
        "no_middle_sep": without("len(first) + 1"),
        "no_cls": without("0"),
        "pad_left": {
            IDS: "return [pad] * missing + input_ids",
            "token_type_ids + [0] * missing": "[0] * missing + token_type_ids",
            MASK: "[0] * missing + [1] * len(input_ids)",
        },
        "pad_is_zero": {"[pad]": "[0]"},
        "not_padded": {"* missing": "* 0"},
        "first_sep_in_b": {"first) + 2": "first) + 1", "second) + 1": "second) + 2"},
        "last_sep_in_a": {"(len(second) + 1)": "len(second) + [0]"},
        "segments_from_one": {
            SEGMENTS: SEGMENTS.replace("[1]", "[2]").replace("[0]", "[1]"),
            "token_type_ids + [0]": "token_type_ids + [1]",
        },
        "padding_in_b": {"token_type_ids + [0]": "token_type_ids + [1]"},
        "sep_in_text": {
            f"token_type_ids = {SEGMENTS}": "border = input_ids.index(sep) + 1\n"
            "    token_type_ids = [0] * border + [1] * (len(input_ids) - border)"
        },
        "mask_inverted": {MASK: "[0] * len(input_ids) + [1] * missing"},
        "mask_by_pad": {MASK: "[int(one != pad) for one in input_ids + [pad] * missing]"},
        "mask_from_zero": {MASK: "[int(one != 0) for one in input_ids + [pad] * missing]"},
        "mask_all_ones": {MASK: "[1] * length"},
    },
)


def does_in_this_part(wrong):
    """A sign: the part that departs is as a mistake has it, whatever the others are."""

    def sign(found):
        part = found.difference.part
        return list(found.yours[part]) == wrong(*found.given)[part]

    return sign


def drawn_pairs() -> list[tuple[Any, ...]]:
    pairs = []
    for _ in range(17):
        in_first, in_second, missing = draw(1, 10, 3)
        special = (torch.randperm(7)[:3] + 100).tolist()
        length = in_first + in_second + 3 + missing - 1
        pairs.append((draw(0, 100, in_first), draw(0, 100, in_second), length, *special))
    return [*pairs, ([], [30_521], 7, 101, 102, 0)]


BUILD_PAIR = Exercise(
    "10.1",
    level="warm-up",
    reference=build_pair,
    parts={"ids": 0, "segments": 1, "mask": 2},
    cases={
        "by_hand": lambda: ([7, 8], [9, 5, 6], 10, 2, 3, 0),
        "zero": lambda: [  # nothing to fill up, and 0 is a token like others
            ([7], [0, 4], 6, 2, 3, 1),
            ([11, 3], [0, 12, 3], 13, 101, 102, 1),
        ],
        "drawn": drawn_pairs,
        "mask_by_pad": lambda: ([7, 1], [1, 4], 9, 2, 3, 1),  # a typed [PAD] is a token like others
        "sep_in_text": lambda: ([3, 7], [9, 5], 9, 2, 3, 0),  # and so is a typed [SEP]
        "long": lambda: [
            (draw(5, 30_000, 300), draw(5, 30_000, 200), 512, 2, 3, 0),
            (draw(5, 30_000, 11), draw(5, 30_000, 300), 314, 2, 3, 1),
        ],
    },
    mistakes=PAIR_MISTAKES
    | changes_of(
        build_pair,
        {
            "ids": {IDS: "return second + first"},
            "segments": {
                "token_type_ids + [0] * missing": "[1 - one for one in token_type_ids + [0] * missing]"
            },
            "mask": {"missing, attention_mask": "missing, token_type_ids + [0] * missing"},
            "long": {"input_ids = [": "first, second = first[:9], second[:9]\n    input_ids = ["},
        },
    ),
    signs={reason: does_in_this_part(wrong) for reason, wrong in PAIR_MISTAKES.items()},
    facts={"long": lambda found: {"a": len(found.given[0]), "b": len(found.given[1])}},
    forbids=("course_utils.tokenization",),
)


# ---- 10.2
def count_parameters(config: BertConfig, with_heads: bool) -> int:
    V, C, F = config.vocab_size, config.hidden_size, config.intermediate_size
    embeddings = (V + config.max_position_embeddings + config.type_vocab_size) * C + 2 * C
    attention = 4 * (C * C + C)
    feed_forward = (C * F + F) + (F * C + C)
    layer = attention + feed_forward + 2 * (2 * C)
    pooler = C * C + C
    heads = (C * C + C) + 2 * C + V + (2 * C + 2)
    return embeddings + config.num_hidden_layers * layer + pooler + (heads if with_heads else 0)


TINY, BASE = BertConfig.tiny(), BertConfig.base()
ODD = BertConfig(
    vocab_size=101,
    hidden_size=44,
    num_hidden_layers=3,
    num_attention_heads=11,
    intermediate_size=53,
    max_position_embeddings=37,
    type_vocab_size=5,
)
LARGER = BertConfig(
    vocab_size=119_547,
    hidden_size=1000,
    num_hidden_layers=131,
    num_attention_heads=8,
    intermediate_size=9001,
    max_position_embeddings=1031,
    type_vocab_size=211,
)


def drawn_configs() -> list[BertConfig]:
    configs = []
    for _ in range(11):
        V, L, H, F, P, S = (low + drawn for low, drawn in zip((101, 1, 1, 7, 3, 1), draw(0, 97, 6)))
        sizes = dict(vocab_size=V, hidden_size=3 * H, num_hidden_layers=L, num_attention_heads=H)
        configs.append(BertConfig(**sizes, intermediate_size=F, max_position_embeddings=P, type_vocab_size=S))
    return configs


def both_ways(*configs: BertConfig) -> list[tuple[BertConfig, bool]]:
    return [(config, with_heads) for config in configs for with_heads in (False, True)]


def missing(size):
    """Counts without some parameters: size(V, C, L, F, with_heads)."""

    def wrong(config, with_heads):
        sizes = config.vocab_size, config.hidden_size, config.num_hidden_layers, config.intermediate_size
        return count_parameters(config, with_heads) - size(*sizes, with_heads)

    return wrong


def like_base(*fields):
    """Counts with these fields as in the published sizes, whatever the configuration says."""

    def wrong(config, with_heads):
        usual = dict(intermediate_size=4 * config.hidden_size, max_position_embeddings=512, type_vocab_size=2)
        return count_parameters(replace(config, **{field: usual[field] for field in fields}), with_heads)

    return wrong


def counted(found):
    config, right, yours = found.given[0], found.right, plain(found.yours)
    if not isinstance(yours, int | float):
        return {}
    V, C, L = config.vocab_size, config.hidden_size, config.num_hidden_layers
    size = f"V={V}, C={C}, L={L}, H={config.num_attention_heads}, F={config.intermediate_size}, "
    P, S = config.max_position_embeddings, config.type_vocab_size
    size += f"max_position_embeddings={P}, type_vocab_size={S}"
    size = {TINY: "tiny", BASE: "base"}.get(config, size)
    return {"expected": f"{right:,}", "actual": f"{yours:,}", "gap": f"{abs(yours - right):,}", "size": size}


COUNT_PARAMETERS = Exercise(
    "10.2",
    level="core",
    reference=count_parameters,
    cases={
        "tiny": lambda: both_ways(TINY),
        "base": lambda: both_ways(BASE),
        "odd": lambda: both_ways(ODD),
        "drawn": lambda: both_ways(*drawn_configs()),
        "larger": lambda: both_ways(LARGER),
    },
    mistakes={
        "decoder_twice": missing(lambda V, C, L, F, heads: -V * C * heads),
        "no_mlm_bias": missing(lambda V, C, L, F, heads: V * heads),
        "no_mlm_transform": missing(lambda V, C, L, F, heads: (C * C + 3 * C) * heads),
        "heads_ignored": lambda config, with_heads: count_parameters(config, False),
        "heads_always": lambda config, with_heads: count_parameters(config, True),
        "no_pooler": missing(lambda V, C, L, F, heads: C * C + C),
        "no_layer_norm": missing(lambda V, C, L, F, heads: 2 * C + 4 * C * L + 2 * C * heads),
        "no_embedding_norm": missing(lambda V, C, L, F, heads: 2 * C),
        "one_norm_a_layer": missing(lambda V, C, L, F, heads: 2 * C * L),
        "no_output_matrix": missing(lambda V, C, L, F, heads: L * (C * C + C)),
        "ffn_three": missing(lambda V, C, L, F, heads: L * (2 * C * C + C)),
        "no_bias": missing(lambda V, C, L, F, heads: L * (5 * C + F) + C + heads * (C + V + 2)),
        "fixed_ffn": like_base("intermediate_size"),
        "fixed_positions": like_base("max_position_embeddings"),
        "fixed_segments": like_base("type_vocab_size"),
        "fixed_all": like_base("intermediate_size", "max_position_embeddings", "type_vocab_size"),
        "count": lambda config, with_heads: count_parameters(config, with_heads) * config.num_attention_heads,
        "larger": lambda config, with_heads: count_parameters(
            replace(config, max_position_embeddings=min(config.max_position_embeddings, 512)), with_heads
        ),
    },
    signs={"count": lambda found: found.case != "larger" and found.kind == "value"},
    facts={"*": counted},
)


# ---- 10.3
def truncate_pair(first: list, second: list, room: int) -> tuple[list, list]:
    half = room // 2
    in_first = min(len(first), max(half, room - len(second)))
    in_second = min(len(second), room - in_first)
    return first[:in_first], second[:in_second]


def cut(answer: Any, first: list, second: list, room: int) -> Any:
    """What an answer keeps; with an odd place left over, either may have it."""
    mine, other = truncate_pair(first, second, room), truncate_pair(second, first, room)[::-1]
    kept = answer(first, second, room)
    pair = isinstance(kept, tuple | list) and len(kept) == 2
    return mine if pair and all(list(part) == fair for part, fair in zip(kept, other)) else kept


def lengths(found):
    return [len(part) for part in found.yours]


def kept_end(found):
    """The lists without their beginnings."""
    return all(list(kept) == whole[len(whole) - len(kept) :] for kept, whole in zip(found.yours, found.given))


def kept_beginning(found):
    return all(list(kept) == whole[: len(kept)] for kept, whole in zip(found.yours, found.given))


def cut_only(place):
    def sign(found):
        other, room = found.given[1 - place], found.given[2]
        left = [0, 0]
        left[1 - place] = min(len(other), room)
        left[place] = min(len(found.given[place]), max(0, room - len(other)))
        return lengths(found) == left

    return sign


SIGNS = {
    "from_front": lambda found: kept_end(found) and not kept_beginning(found),
    "order": lambda found: not kept_beginning(found),
    "too_long": lambda found: sum(lengths(found)) > found.given[2],
    "cuts_too_much": lambda found: sum(lengths(found)) < sum(map(len, found.right)),
    "only_second": cut_only(1),
    "only_first": cut_only(0),
    "not_longest_first": lambda found: True,
}


def not_among_long_ones(sign):
    return lambda found: found.case != "longer" and found.kind != "tuple" and sign(found)


def half_each(first, second, room):
    if len(first) + len(second) <= room:
        return first, second
    return first[: room // 2], second[: room // 2]


def in_proportion(first, second, room):
    if len(first) + len(second) <= room:
        return first, second
    in_first = round(room * len(first) / (len(first) + len(second)))
    return first[:in_first], second[: room - in_first]


def popped(take=list.pop, rounds=10**6):
    """One at a time off the longer list; take removes its last."""

    def wrong(first, second, room):
        first, second = list(first), list(second)
        for _ in range(rounds):
            if len(first) + len(second) <= room:
                break
            take(first if len(first) > len(second) else second)
        return first, second

    return wrong


def from_front(first, second, room):
    in_first, in_second = map(len, truncate_pair(first, second, room))
    return first[len(first) - in_first :], second[len(second) - in_second :]


def only_first(first, second, room):
    in_second = min(len(second), room)
    return first[: max(0, room - in_second)], second[:in_second]


A, B = [f"a{i}" for i in range(1, 9)], [f"b{i}" for i in range(1, 9)]

TRUNCATE_PAIR = Exercise(
    "10.3",
    level="stretch",
    reference=truncate_pair,
    run=cut,
    cases={
        "by_hand": lambda: (A, B[:2], 6),
        "other_sizes": lambda: [
            (B[:2], A, 6),
            (A[:4], B[:2], 10),
            (A, B, 6),
            (A[:5], B, 8),
            (A, [], 3),
            (A, B[:2], 0),
        ],
        # A token that stands there twice is cut at its last place.
        "by_value": lambda: (["배", "를", "배", "를", "배"], B[:2], 5),
        "grid": lambda: [
            (A[:in_first], B[:in_second], room)
            for in_first in range(9)
            for in_second in range(9)
            for room in range(1, 18, 3)
        ],
        "longer": lambda: [
            (draw(0, 9, in_first), draw(0, 9, in_second), room)
            for in_first, in_second, room in zip(draw(1, 400, 23), draw(1, 400, 23), draw(1, 500, 23))
        ],
    },
    mistakes={
        "only_second": lambda first, second, room: (first[:room], second[: max(0, room - len(first))]),
        "only_first": only_first,
        "cuts_too_much": half_each,
        "not_longest_first": in_proportion,
        "from_front": from_front,
        "order": lambda first, second, room: (sorted(first, reverse=True)[:room], second[:0]),
        "too_long": lambda first, second, room: (first[: room // 2 + 1], second[: room // 2 + 1]),
        "by_value": popped(take=lambda longer: longer.remove(longer[-1])),
        "longer": popped(rounds=20),
    },
    signs={reason: not_among_long_ones(sign) for reason, sign in SIGNS.items()},
    facts={
        "*": lambda found: (
            {
                "a": len(found.given[0]),
                "b": len(found.given[1]),
                "expected": [len(part) for part in found.right],
                "actual": lengths(found),
                "kept_a": " ".join(map(str, found.yours[0])),
                "kept_b": " ".join(map(str, found.yours[1])),
            }
            if isinstance(found.yours, tuple | list) and len(found.yours) == 2
            else {}
        )
    },
    forbids=("course_utils.tokenization",),
)

EXERCISES = [BUILD_PAIR, COUNT_PARAMETERS, TRUNCATE_PAIR]

"""Wrong answers to the exercises of notebook 10, each under the reason for which it must fail."""

from dataclasses import replace

from course_utils.support.lessons import lesson_module

CHECKS = lesson_module("10")
build_pair = CHECKS.build_pair
count_parameters = CHECKS.count_parameters


def _pair(change):
    def answer(first, second, length, cls, sep, pad):
        right = build_pair(first, second, length, cls, sep, pad)
        return change(*right, first=first, second=second, used=len(first) + len(second) + 3, sep=sep, pad=pad)

    return answer


def _no_final_sep(ids, segments, mask, *, used, pad, **_):
    return ids[: used - 1] + [pad] * (len(ids) - used + 1), segments, mask


def _no_middle_sep(ids, segments, mask, *, first, pad, **_):
    place = len(first) + 1
    return ids[:place] + ids[place + 1 :] + [pad], segments, mask


def _pad_left(ids, segments, mask, *, used, **_):
    return tuple(row[used:] + row[:used] for row in (ids, segments, mask))


def _pad_is_zero(ids, segments, mask, *, used, **_):
    return ids[:used] + [0] * (len(ids) - used), segments, mask


def _first_sep_in_b(ids, segments, mask, *, first, **_):
    place = len(first) + 1
    return ids, [*segments[:place], 1, *segments[place + 1 :]], mask


def _last_sep_in_a(ids, segments, mask, *, used, **_):
    return ids, [*segments[: used - 1], 0, *segments[used:]], mask


def _looks_for_sep(ids, segments, mask, *, used, sep, **_):
    place = ids.index(sep) + 1
    return ids, [0] * place + [1] * (used - place) + [0] * (len(ids) - used), mask


def _count(gap, *, only_heads=False):
    def answer(config, with_heads):
        count = count_parameters(config, with_heads)
        return count if only_heads and not with_heads else count + gap(config, with_heads)

    return answer


def _norms(c, heads):
    return -(2 * c.hidden_size + 4 * c.hidden_size * c.num_hidden_layers + 2 * c.hidden_size * heads)


def _biases(c, heads):
    C, F = c.hidden_size, c.intermediate_size
    return -(c.num_hidden_layers * (5 * C + F) + C + heads * (C + c.vocab_size + 2))


def _closed_form(config, with_heads):
    V, C, L = config.vocab_size, config.hidden_size, config.num_hidden_layers
    heads = C * C + 3 * C + V + 2 * C + 2
    return (V + 516) * C + L * (12 * C * C + 13 * C) + C * C + C + with_heads * heads


def _like_base(field):
    """Counts with one field set as in the published sizes, whatever the configuration says."""

    def answer(config, with_heads):
        usual = {
            "intermediate_size": 4 * config.hidden_size,
            "max_position_embeddings": 512,
            "type_vocab_size": 2,
        }
        return count_parameters(replace(config, **{field: usual[field]}), with_heads)

    return answer


def _half_each(first, second, room):
    if len(first) + len(second) <= room:
        return first, second
    return first[: room // 2], second[: room // 2]


def _in_proportion(first, second, room):
    if len(first) + len(second) <= room:
        return first, second
    in_first = round(room * len(first) / (len(first) + len(second)))
    return first[:in_first], second[: room - in_first]


def _pops_the_given(first, second, room):
    while len(first) + len(second) > room:
        (first if len(first) > len(second) else second).pop()
    return first, second


def _from_front(first, second, room):
    in_first = min(len(first), max(room // 2, room - len(second)))
    in_second = min(len(second), room - in_first)
    return first[len(first) - in_first :], second[len(second) - in_second :]


def _only_first(first, second, room):
    in_second = min(len(second), room)
    return first[: max(0, room - in_second)], second[:in_second]


def _twenty_rounds(first, second, room):
    first, second = list(first), list(second)
    for _ in range(20):
        if len(first) + len(second) > room:
            (first if len(first) > len(second) else second).pop()
    return first, second


def _removes_by_value(first, second, room):
    """list.remove takes the first that is equal, not the last."""
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second
        longer.remove(longer[-1])
    return first, second


WRONG = {
    "10.1": {
        "no_final_sep": _pair(_no_final_sep),
        "no_middle_sep": _pair(_no_middle_sep),
        "no_cls": _pair(lambda ids, segments, mask, *, pad, **_: ([*ids[1:], pad], segments, mask)),
        "ids": _pair(lambda ids, segments, mask, *, first, second, **_: (second + first, segments, mask)),
        "not_lists": _pair(lambda ids, segments, mask, **_: (ids, segments, sum(mask))),
        "pad_left": _pair(_pad_left),
        "pad_is_zero": _pair(_pad_is_zero),
        "not_padded": _pair(
            lambda ids, segments, mask, *, used, **_: (ids[:used], segments[:used], mask[:used])
        ),
        "first_sep_in_b": _pair(_first_sep_in_b),
        "last_sep_in_a": _pair(_last_sep_in_a),
        "segments_from_one": _pair(lambda ids, segments, mask, **_: (ids, [s + 1 for s in segments], mask)),
        "padding_in_b": _pair(
            lambda ids, segments, mask, *, used, **_: (ids, segments[:used] + [1] * (len(ids) - used), mask)
        ),
        "sep_in_text": _pair(_looks_for_sep),
        "segments": _pair(lambda ids, segments, mask, **_: (ids, [1 - s for s in segments], mask)),
        "mask": _pair(lambda ids, segments, mask, **_: (ids, segments, segments)),
        "mask_inverted": _pair(lambda ids, segments, mask, **_: (ids, segments, [1 - bit for bit in mask])),
        "mask_by_pad": _pair(
            lambda ids, segments, mask, *, pad, **_: (ids, segments, [int(i != pad) for i in ids])
        ),
        "mask_from_zero": _pair(lambda ids, segments, mask, **_: (ids, segments, [int(i != 0) for i in ids])),
        "mask_all_ones": _pair(lambda ids, segments, mask, **_: (ids, segments, [1] * len(ids))),
    },
    "10.2": {
        "no_pooler": _count(lambda c, heads: -(c.hidden_size**2 + c.hidden_size)),
        "no_layer_norm": _count(_norms),
        "no_embedding_norm": _count(lambda c, heads: -2 * c.hidden_size),
        "one_norm_a_layer": _count(lambda c, heads: -2 * c.hidden_size * c.num_hidden_layers),
        "no_output_matrix": _count(
            lambda c, heads: -c.num_hidden_layers * (c.hidden_size**2 + c.hidden_size)
        ),
        "ffn_three": _count(lambda c, heads: -c.num_hidden_layers * (2 * c.hidden_size**2 + c.hidden_size)),
        "no_bias": _count(_biases),
        "decoder_twice": _count(lambda c, heads: c.vocab_size * c.hidden_size, only_heads=True),
        "no_mlm_bias": _count(lambda c, heads: -c.vocab_size, only_heads=True),
        "no_mlm_transform": _count(lambda c, heads: -(c.hidden_size**2 + 3 * c.hidden_size), only_heads=True),
        "fixed_ffn": _like_base("intermediate_size"),
        "fixed_positions": _like_base("max_position_embeddings"),
        "fixed_segments": _like_base("type_vocab_size"),
        "count": lambda config, with_heads: count_parameters(config, with_heads) * config.num_attention_heads,
        "no_number": lambda config, with_heads: f"{count_parameters(config, with_heads):,}",
        "heads_ignored": lambda config, with_heads: count_parameters(config, False),
        "heads_always": lambda config, with_heads: count_parameters(config, True),
        "fixed_all": _closed_form,
        "larger": lambda config, with_heads: count_parameters(
            replace(config, max_position_embeddings=min(config.max_position_embeddings, 512)), with_heads
        ),
    },
    "10.3": {
        "only_second": lambda first, second, room: (first[:room], second[: max(0, room - len(first))]),
        "only_first": _only_first,
        "cuts_too_much": _half_each,
        "not_longest_first": _in_proportion,
        "from_front": _from_front,
        "order": lambda first, second, room: (sorted(first, reverse=True)[:room], second[:0]),
        "mutates_input": _pops_the_given,
        "by_value": _removes_by_value,
        "longer": _twenty_rounds,
        "too_long": lambda first, second, room: (first[: room // 2 + 1], second[: room // 2 + 1]),
    },
}

"""Right answers to the exercises of notebook 10, in forms that learners write."""

import torch

from course_utils.bert import BertModel
from course_utils.heads import BertForPreTraining
from tests.exercises.audit import forms


def by_appending(first, second, length, cls, sep, pad):
    ids, segments, mask = [cls], [0], [1]
    for segment, part in enumerate([first, second]):
        for number in [*part, sep]:
            ids.append(number)
            segments.append(segment)
            mask.append(1)
    while len(ids) < length:
        ids.append(pad)
        segments.append(0)
        mask.append(0)
    return ids, segments, mask


def by_tensors(first, second, length, cls, sep, pad):
    used = len(first) + len(second) + 3
    ids = torch.full((length,), pad)
    ids[:used] = torch.tensor([cls, *first, sep, *second, sep])
    place = torch.arange(length)
    segments = ((place >= len(first) + 2) & (place < used)).long()
    return ids, segments, (place < used).long()


def by_places(first, second, length, cls, sep, pad):
    ids = [cls, *first, sep]
    ids += [*second, sep]
    used, border = len(ids), len(first) + 2
    segments = [1 if border <= place < used else 0 for place in range(length)]
    return ids + [pad] * (length - used), segments, [int(place < used) for place in range(length)]


def in_two_halves(first, second, length, cls, sep, pad):
    a, b = [cls, *first, sep], [*second, sep]
    rest = length - len(a) - len(b)
    return (a + b + rest * [pad], len(a) * [0] + len(b) * [1] + rest * [0], len(a + b) * [1] + rest * [0])


def by_iterators(first, second, length, cls, sep, pad):
    rows = [(cls, 0, 1), *((t, 0, 1) for t in first), (sep, 0, 1), *((t, 1, 1) for t in second), (sep, 1, 1)]
    rows += [(pad, 0, 0)] * (length - len(rows))
    ids, segments, mask = zip(*rows)
    return list(ids), list(segments), list(mask)


def linear(a, b):
    return a * b + b


def by_parts(config, with_heads):
    V, C, L = config.vocab_size, config.hidden_size, config.num_hidden_layers
    F, P, S = config.intermediate_size, config.max_position_embeddings, config.type_vocab_size
    total = V * C + P * C + S * C + 2 * C
    for _ in range(L):
        total += 4 * linear(C, C) + 2 * C + linear(C, F) + linear(F, C) + 2 * C
    total += linear(C, C)
    if with_heads:
        total += linear(C, C) + 2 * C + V + linear(C, 2)
    return total


def by_formula(config, with_heads):
    V, C, L = config.vocab_size, config.hidden_size, config.num_hidden_layers
    F = config.intermediate_size
    rows = V + config.max_position_embeddings + config.type_vocab_size + 2
    count = rows * C + L * (4 * C**2 + 9 * C + 2 * C * F + F) + C**2 + C
    return count + with_heads * (C**2 + 5 * C + V + 2)


def by_model(config, with_heads):
    with torch.device("meta"):
        model = BertForPreTraining(config) if with_heads else BertModel(config)
    return sum(parameter.numel() for parameter in model.parameters())


def by_shapes(config, with_heads):
    C, F = config.hidden_size, config.intermediate_size
    layer = [(C, C), (C,)] * 4 + [(C,)] * 4 + [(F, C), (F,), (C, F), (C,)]
    shapes = [(config.vocab_size, C), (config.max_position_embeddings, C), (config.type_vocab_size, C)]
    shapes += [(C,), (C,), *layer * config.num_hidden_layers, (C, C), (C,)]
    if with_heads:
        shapes += [(C, C), (C,), (C,), (C,), (config.vocab_size,), (2, C), (2,)]
    return sum(torch.Size(shape).numel() for shape in shapes)


def while_longer(first, second, room):
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        (first if len(first) > len(second) else second).pop()
    return first, second


def odd_place_to_first(first, second, room):
    a, b = len(first), len(second)
    while a + b > room:
        if b >= a:
            b -= 1
        else:
            a -= 1
    return first[:a], second[:b]


def by_cases(first, second, room):
    if len(first) + len(second) <= room:
        return first, second
    half = room // 2
    if len(first) <= half:
        return first, second[: room - len(first)]
    if len(second) <= half:
        return first[: room - len(second)], second
    return first[: room - half], second[:half]


def by_best(first, second, room):
    """The split of the room whose longer part is shortest."""
    total = min(room, len(first) + len(second))
    splits = [a for a in range(len(first) + 1) if 0 <= total - a <= len(second)]
    best = min(splits, key=lambda a: max(a, total - a))
    return first[:best], second[: total - best]


def by_slices(first, second, room):
    in_second = min(len(second), max(room - room // 2, room - len(first)))
    return first[: room - in_second], second[:in_second]


def in_tuples(*given):
    return tuple(map(tuple, by_slices(*given)))


RIGHT = {
    "10.1": forms(by_appending, by_tensors, by_places, in_two_halves, by_iterators)
    | {"a list": lambda *given: list(by_places(*given))},
    "10.2": forms(by_parts, by_formula, by_model, by_shapes)
    | {
        "tensor": lambda config, with_heads: torch.tensor(by_formula(config, with_heads)),
        "float": lambda config, with_heads: float(by_parts(config, with_heads)),
    },
    "10.3": forms(while_longer, odd_place_to_first, in_tuples, by_cases, by_best, by_slices),
}

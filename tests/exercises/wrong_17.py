"""Wrong answers to the exercises of notebook 17, each under the reason for which it must fail."""

import random

import torch

from course_utils.tasks import words as task_words

# ---- 17.1


def _mean(
    inside=lambda places, last, length: (places > 0) & (places < last),
    count=lambda inside, mask: inside.sum(dim=1, keepdim=True).clamp(min=1),
):
    def mean_vector(hidden, attention_mask):
        length = hidden.shape[1]
        last = attention_mask.sum(dim=1, keepdim=True) - 1
        chosen = inside(torch.arange(length)[None], last, length).expand(len(hidden), -1).to(hidden.dtype)
        return (hidden * chosen[..., None]).sum(dim=1) / count(chosen, attention_mask)

    return mean_vector


_RIGHT_MEAN = _mean()


def _largest(hidden, attention_mask):
    last = attention_mask.sum(dim=1, keepdim=True) - 1
    places = torch.arange(hidden.shape[1])
    inside = ((places > 0) & (places < last))[..., None]
    return hidden.masked_fill(~inside, -1e9).amax(dim=1)


def _first_length(hidden, attention_mask):
    real = int(attention_mask[0].sum())
    return hidden[:, 1 : real - 1].mean(dim=1)


def _over_rows(hidden, attention_mask):
    last = attention_mask.sum(dim=1, keepdim=True) - 1
    places = torch.arange(hidden.shape[1])
    inside = ((places > 0) & (places < last)).to(hidden.dtype)
    mean = (hidden * inside[..., None]).sum(dim=(0, 1)) / inside.sum()
    return mean.expand(len(hidden), -1).clone()


def _zero_over_zero(hidden, attention_mask):
    return _mean(count=lambda inside, mask: inside.sum(dim=1, keepdim=True))(hidden, attention_mask)


def _row_by_row(hidden, attention_mask):
    """Right but for the gradient: makes new numbers."""
    return _RIGHT_MEAN(hidden, attention_mask).detach()


def _detached_specials(hidden, attention_mask):
    """The right value, and a gradient that also goes to [CLS]."""
    cls = hidden[:, 0]
    return _RIGHT_MEAN(hidden, attention_mask) + cls - cls.detach()


def _padding_taken_off(hidden, attention_mask):
    """Adds up all, and takes off what is too much; in float32 too little is left."""
    every = hidden.sum(dim=1).float()
    outside = _mean(
        inside=lambda places, last, length: (places == 0) | (places >= last),
        count=lambda inside, mask: 1.0,
    )
    count = (attention_mask.sum(dim=1, keepdim=True) - 2).clamp(min=1)
    return ((every - outside(hidden, attention_mask).float()) / count).to(hidden.dtype)


def _mask_written(hidden, attention_mask):
    last = attention_mask.sum(dim=1, keepdim=True) - 1
    attention_mask.scatter_(1, last, 0)
    attention_mask[:, 0] = 0
    inside = attention_mask[..., None].to(hidden.dtype)
    return (hidden * inside).sum(dim=1) / inside.sum(dim=1).clamp(min=1)


def _mean_of_the_package(hidden, attention_mask):
    task_words.words_of("배")
    return _RIGHT_MEAN(hidden, attention_mask)


def _first_eight(hidden, attention_mask):
    """Looks at no more than eight tokens of a sentence."""
    return _mean(inside=lambda places, last, length: (places > 0) & (places < last) & (places < 8))(
        hidden, attention_mask
    )


# ---- 17.2


def _mix(
    shares=lambda scores, gamma: scores.softmax(dim=0),
    join=lambda mixed, gamma: gamma * mixed,
    of=lambda layers: layers,
):
    def learned_mix(layers, scores, gamma):
        mixed = (shares(scores, gamma)[:, None, None] * of(layers)).sum(dim=0)
        return join(mixed, gamma)

    return learned_mix


def _by_hand(scores, gamma):
    return scores.exp() / scores.exp().sum()


def _made_anew(layers, scores, gamma):
    shares = torch.tensor(scores.tolist(), dtype=scores.dtype).softmax(dim=0)
    return gamma * (shares[:, None, None] * layers).sum(dim=0)


def _of_tokens(layers, scores, gamma):
    """Stretches the scores over the tokens, and takes the softmax of what stands last."""
    return gamma * (scores[:, None, None].softmax(dim=-1) * layers).sum(dim=0)


def _in_thirteen(layers, scores, gamma):
    """Knows models of at most seven layers of vectors."""
    return _mix()(layers[:7], scores[:7], gamma)


def _without_gradient(layers, scores, gamma):
    with torch.no_grad():
        return _mix()(layers, scores, gamma)


def _scores_written(layers, scores, gamma):
    with torch.no_grad():
        scores -= scores.max()
    return _mix()(layers, scores, gamma)


def _mix_of_the_package(layers, scores, gamma):
    task_words.words_of("배")
    return _mix()(layers, scores, gamma)


# ---- 17.3


def _of_word(number):
    """Labels from a number of the word and the seed."""
    return lambda words, num_labels, seed: [number(word, seed, num_labels) for word in words]


def _drawn(word, seed, num_labels):
    return random.Random(f"{seed} {word}").randrange(num_labels)


_RIGHT_LABELS = _of_word(_drawn)


def _by_first_sight(words, num_labels, seed):
    generator = torch.Generator().manual_seed(seed)
    known = {}
    for word in words:
        if word not in known:
            known[word] = int(torch.randint(num_labels, (), generator=generator))
    return [known[word] for word in words]


def _by_sorted_types(words, num_labels, seed):
    rng = random.Random(seed)
    known = {word: rng.randrange(num_labels) for word in sorted(set(words))}
    return [known[word] for word in words]


def _each_token(words, num_labels, seed):
    rng = random.Random(seed)
    return [rng.randrange(num_labels) for _ in words]


def _no_seed(words, num_labels, seed):
    known = {word: int(torch.randint(num_labels, ())) for word in words}
    return [known[word] for word in words]


def _seeded_globally(words, num_labels, seed):
    labels = []
    for word in words:
        random.seed(f"{seed} {word}")
        labels.append(random.randrange(num_labels))
    return labels


def _letters(word, seed, num_labels):
    return random.Random(seed * 10**6 + sum(map(ord, word))).randrange(num_labels)


def _labels_of_the_package(words, num_labels, seed):
    task_words.words_of("배")
    return _RIGHT_LABELS(words, num_labels, seed)


# ---- 17.4


def _white(
    centre=lambda vectors: vectors - vectors.mean(dim=0),
    divide=len,
    scale=lambda values: values.rsqrt(),
    there=lambda values: values > 1e-9 * values.max(),
    turn=lambda directions: directions,
    back=lambda directions: directions.T,
):
    def whiten(vectors):
        centred = centre(vectors.double())
        values, directions = torch.linalg.eigh(centred.T @ centred / divide(vectors))
        factor = torch.where(there(values), scale(values), torch.zeros_like(values))
        return ((centred @ turn(directions)) * factor @ back(directions)).to(vectors.dtype)

    return whiten


_RIGHT_WHITE = _white()


def _each_coordinate(vectors):
    return (vectors - vectors.mean(dim=0)) / vectors.std(dim=0, unbiased=False)


def _unit_length(vectors):
    return torch.nn.functional.normalize(vectors - vectors.mean(dim=0), dim=-1)


def _as_layer_norm(vectors):
    return torch.nn.functional.layer_norm(vectors, vectors.shape[-1:])


def _cholesky(vectors):
    centred = vectors.double() - vectors.double().mean(dim=0)
    lower = torch.linalg.cholesky(centred.T @ centred / len(vectors))
    return torch.linalg.solve_triangular(lower, centred.T, upper=False).T.to(vectors.dtype)


def _white_noise(vectors):
    """Something white of that shape, whatever the vectors are."""
    return _RIGHT_WHITE(torch.randn(vectors.shape, dtype=vectors.dtype))


def _in_place(vectors):
    vectors -= vectors.mean(dim=0)
    return _RIGHT_WHITE(vectors)


def _two_coordinates(vectors):
    """Whitens the first two coordinates, and leaves the others centred."""
    rest = vectors - vectors.mean(dim=0)
    return torch.cat([_RIGHT_WHITE(vectors[:, :2]), rest[:, 2:]], dim=1)


def _all_directions(vectors):
    """Takes every direction of the SVD for one that is there; those without variance may be any."""
    left, _, right = torch.linalg.svd(vectors - vectors.mean(dim=0), full_matrices=False)
    return len(vectors) ** 0.5 * left @ right


def _narrow(vectors):
    centred = vectors - vectors.mean(dim=0)
    rank = int(torch.linalg.matrix_rank(centred)) if len(vectors) > 1 else 0
    return (len(vectors) ** 0.5) * torch.linalg.svd(centred, full_matrices=False)[0][:, :rank]


def _only_one_is_white(vectors):
    return _RIGHT_WHITE(vectors) if len(vectors) > 1 else vectors.clone()


def _white_of_the_package(vectors):
    task_words.words_of("배")
    return _RIGHT_WHITE(vectors)


WRONG = {
    "17.1": {
        "padding_counted": lambda hidden, attention_mask: hidden.mean(dim=1),
        "specials_counted": _mean(inside=lambda places, last, length: places <= last),
        "cls_counted": _mean(inside=lambda places, last, length: places < last),
        "sep_counted": _mean(inside=lambda places, last, length: (places > 0) & (places <= last)),
        "last_column": _mean(
            inside=lambda places, last, length: (places > 0) & (places <= last) & (places < length - 1)
        ),
        "divided_by_length": _mean(count=lambda inside, mask: mask.shape[1]),
        "divided_by_real": _mean(count=lambda inside, mask: mask.sum(dim=1, keepdim=True)),
        "sum": _mean(count=lambda inside, mask: 1.0),
        "maximum": _largest,
        "only_cls": lambda hidden, attention_mask: hidden[:, 0],
        "first_row_decides": _first_length,
        "over_all_rows": _over_rows,
        "empty": _zero_over_zero,
        "other_rows": _first_eight,
        "padding_leaks": _padding_taken_off,
        "no_gradient": _row_by_row,
        "gradient": _detached_specials,
        "mutates_input": _mask_written,
        "shape": lambda hidden, attention_mask: _RIGHT_MEAN(hidden, attention_mask)[:, None],
        "dtype": lambda hidden, attention_mask: _RIGHT_MEAN(hidden, attention_mask).half(),
        "ready_made": _mean_of_the_package,
    },
    "17.2": {
        "no_softmax": _mix(shares=lambda scores, gamma: scores),
        "by_sum": _mix(shares=lambda scores, gamma: scores / scores.sum()),
        "sigmoid": _mix(shares=lambda scores, gamma: scores.sigmoid()),
        "only_exp": _mix(shares=lambda scores, gamma: scores.exp()),
        "over_one": _of_tokens,
        "log_softmax": _mix(shares=lambda scores, gamma: scores.log_softmax(dim=0)),
        "gamma_forgotten": _mix(join=lambda mixed, gamma: mixed),
        "gamma_added": _mix(join=lambda mixed, gamma: mixed + gamma),
        "gamma_inside": _mix(
            shares=lambda scores, gamma: (gamma * scores).softmax(dim=0), join=lambda mixed, gamma: mixed
        ),
        "gamma_squared": _mix(join=lambda mixed, gamma: gamma**2 * mixed),
        "mean": lambda layers, scores, gamma: _mix()(layers, scores, gamma) / len(layers),
        "scores_unused": lambda layers, scores, gamma: gamma * layers.mean(dim=0),
        "best_only": lambda layers, scores, gamma: gamma * layers[int(scores.argmax())],
        "turned_round": _mix(of=lambda layers: layers.flip(0)),
        "overflow": _mix(shares=_by_hand),
        "other_mixes": _in_thirteen,
        "gradient": _made_anew,
        "no_gradient": _without_gradient,
        "mutates_input": _scores_written,
        "shape": lambda layers, scores, gamma: gamma * scores.softmax(dim=0)[:, None, None] * layers,
        "type": lambda layers, scores, gamma: _mix()(layers, scores, gamma).tolist(),
        "ready_made": _mix_of_the_package,
    },
    "17.3": {
        "per_token": _each_token,
        "order": _by_first_sight,
        "other_words": _by_sorted_types,
        "hash": _of_word(lambda word, seed, size: random.Random(hash((word, seed))).randrange(size)),
        "not_repeatable": _no_seed,
        "global_random": _seeded_globally,
        "seed_unused": _of_word(lambda word, seed, size: _drawn(word, 0, size)),
        "seeds_related": _of_word(lambda word, seed, size: (_drawn(word, 0, size) + seed) % size),
        "not_uniform": _of_word(
            lambda word, seed, size: min(_drawn(word, seed, size), _drawn(word, -1 - seed, size))
        ),
        "alike": _of_word(_letters),
        "label_missing": _of_word(lambda word, seed, size: _drawn(word, seed, size) % min(size, 11)),
        "range": _of_word(lambda word, seed, size: 1 + _drawn(word, seed, size)),
        "count": lambda words, num_labels, seed: _RIGHT_LABELS(sorted(set(words)), num_labels, seed),
        "kind": lambda words, num_labels, seed: {word: _drawn(word, seed, num_labels) for word in words},
        "mutates_input": lambda words, num_labels, seed: (
            words.sort() or _RIGHT_LABELS(words, num_labels, seed)
        ),
        "ready_made": _labels_of_the_package,
    },
    "17.4": {
        "unchanged": lambda vectors: vectors.clone(),
        "only_centred": lambda vectors: vectors - vectors.mean(dim=0),
        "not_centred": _white(centre=lambda vectors: vectors),
        "correlated": _each_coordinate,
        "only_rotated": lambda vectors: (
            (vectors - vectors.mean(dim=0))
            @ torch.linalg.svd(vectors - vectors.mean(dim=0), full_matrices=False)[2].T
        ),
        "no_root": _white(scale=lambda values: 1 / values),
        "multiplied": _white(scale=lambda values: values.sqrt()),
        "unbiased": _white(divide=lambda vectors: max(len(vectors) - 1, 1)),
        "not_divided": _white(divide=lambda vectors: 1),
        "unit_length": _unit_length,
        "over_rows": _as_layer_norm,
        "covariance": _white(scale=lambda values: values.pow(-0.25)),
        "wrong_way_round": _white(turn=lambda directions: directions.T, back=lambda directions: directions),
        "unrelated": _white_noise,
        "other_vectors": _two_coordinates,
        "missing_direction": _all_directions,
        "divided_by_zero": _white(
            scale=lambda values: 1 / values.clamp(min=0).sqrt(), there=lambda v: v > -1
        ),
        "stops": _cholesky,
        "scale": _white(scale=lambda values: (values + 1e-5).rsqrt()),
        "thin_direction": _white(there=lambda values: values > 1e-4 * values.max()),
        "one_vector": _only_one_is_white,
        "not_finite": lambda vectors: _RIGHT_WHITE(vectors) / (vectors.shape[1] != 1),
        "mutates_input": _in_place,
        "shape": _narrow,
        "dtype": lambda vectors: _RIGHT_WHITE(vectors).float(),
        "ready_made": _white_of_the_package,
    },
}

"""Wrong answers to the exercises of notebook 01, each under the reason for which it must fail."""

import torch
import torch.nn.functional as F


def _nearest(scores, itself=False, kind=int):
    def nearest_row(vectors, row):
        found = scores(vectors, vectors[row])
        if not itself:
            found[row] = -torch.inf
        return kind(found.argmax())

    return nearest_row


def _cosines(vectors, vector):
    return F.normalize(vectors, dim=-1) @ F.normalize(vector, dim=-1)


def _takes_the_row_out(vectors, row):
    rest = torch.cat([vectors[:row], vectors[row + 1 :]])
    return int(_cosines(rest, vectors[row]).argmax())


def _gradient(
    slope=torch.sigmoid, minus=1.0, context_share=1.0, negative_share=1.0, minus_negative=0.0, sign=1.0
):
    def centre_gradient(centre, context, negatives):
        pull = (slope(centre @ context) - minus) * context
        push = (slope(negatives @ centre) - minus_negative) @ negatives
        return sign * (context_share * pull + negative_share * push)

    return centre_gradient


def _mean_gradient(centre, context, negatives):
    push = torch.sigmoid(negatives @ centre) @ negatives / len(negatives)
    return (torch.sigmoid(centre @ context) - 1) * context + push


def _by_autograd(centre, context, negatives):
    leaf = centre.clone().requires_grad_()
    loss = -F.logsigmoid(leaf @ context) - F.logsigmoid(-(negatives @ leaf)).sum()
    return torch.autograd.grad(loss, leaf)[0]


def _zero_for_itself(vectors, row):
    cosines = _cosines(vectors, vectors[row])
    cosines[row] = 0.0
    return int(cosines.argmax())


def _unseen(edges=True, lengths=(2, 3), whole=True, once=True, mean=False, nothing=torch.zeros):
    def unseen_vector(word, grams, dimensions):
        marked = f"<{word}>" if edges else word
        parts = [marked[start : start + n] for n in lengths for start in range(len(marked) - n + 1)]
        parts += [marked] if whole else []
        known = [grams[part] for part in (dict.fromkeys(parts) if once else parts) if part in grams]
        if not known:
            return nothing(dimensions)
        total = torch.stack(known).sum(0)
        return total / len(known) if mean else total

    return unseen_vector


def _without_cosine_one(vectors, row):
    """Leaves out what looks the same, not what has the number."""
    cosines = _cosines(vectors, vectors[row])
    return int(cosines.masked_fill(cosines > 1 - 1e-6, -1.5).argmax())


def _at_most_ten(centre, context, negatives):
    return _gradient()(centre, context, negatives[:10])


def _first_six_pieces(word, grams, dimensions):
    if len(word) <= 3:
        return _unseen()(word, grams, dimensions)
    marked = f"<{word}>"
    parts = [marked[start : start + n] for n in (2, 3) for start in range(4)]
    return sum((grams[part] for part in {*parts, marked} if part in grams), torch.zeros(dimensions))


WRONG = {
    "01.1": {
        "itself": _nearest(_cosines, itself=True),
        "dot_product": _nearest(lambda vectors, vector: vectors @ vector),
        "farthest": _nearest(lambda vectors, vector: -_cosines(vectors, vector)),
        "distance": _nearest(lambda vectors, vector: -(vectors - vector).norm(dim=-1)),
        "row": _takes_the_row_out,
        "too_large": _zero_for_itself,
        "kind": _nearest(_cosines, kind=float),
        "same_direction": _without_cosine_one,
        "lengths": _nearest(lambda vectors, vector: (vectors @ vector) / (vectors.norm(dim=-1) + 1e-3)),
    },
    "01.2": {
        "uphill": _gradient(sign=-1.0),
        "no_minus_one": _gradient(minus=0.0),
        "only_positive": _gradient(negative_share=0.0),
        "only_negatives": _gradient(context_share=0.0),
        "negatives_as_neighbours": _gradient(minus_negative=1.0),
        "mean_of_negatives": _mean_gradient,
        "no_sigmoid": _gradient(slope=lambda x: x),
        "autograd": _by_autograd,
        "other_sizes": _at_most_ten,
        "large": _gradient(slope=lambda x: x.exp() / (1 + x.exp())),
    },
    "01.3": {
        "no_edges": _unseen(edges=False),
        "single_letters": _unseen(lengths=(1, 2, 3)),
        "no_whole_word": _unseen(whole=False),
        "mean": _unseen(mean=True),
        "only_two": _unseen(lengths=(2,)),
        "four_letters": _unseen(lengths=(2, 3, 4)),
        "nothing_known": _unseen(nothing=torch.ones),
        "twice": _unseen(once=False),
        "other_words": _first_six_pieces,
    },
}

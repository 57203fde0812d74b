"""Right answers to the exercises of notebook 12, in forms that learners write."""

import torch
import torch.nn.functional as F

from tests.exercises.audit import forms


def by_where(input_ids, chosen, fate, random_ids, mask_id):
    corrupted = torch.where(chosen & (fate < 0.8), mask_id, input_ids)
    corrupted = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), random_ids, corrupted)
    return corrupted, input_ids.masked_fill(~chosen, -100)


def place_by_place(input_ids, chosen, fate, random_ids, mask_id):
    corrupted, labels = input_ids.clone(), torch.full_like(input_ids, -100)
    for row in range(len(input_ids)):
        for place in range(input_ids.shape[1]):
            if not chosen[row, place]:
                continue
            labels[row, place] = input_ids[row, place]
            if fate[row, place] < 0.8:
                corrupted[row, place] = mask_id
            elif fate[row, place] < 0.9:
                corrupted[row, place] = random_ids[row, place]
    return corrupted, labels


def by_lists(input_ids, chosen, fate, random_ids, mask_id):
    rows = zip(*(part.tolist() for part in (input_ids, chosen, fate, random_ids)))
    corrupted = [
        [(mask_id if f < 0.8 else r if f < 0.9 else i) if c else i for i, c, f, r in zip(*row)]
        for row in rows
    ]
    return torch.tensor(corrupted), torch.where(chosen, input_ids, -100)


def by_index(input_ids, chosen, fate, random_ids, mask_id):
    corrupted, labels = input_ids.clone(), input_ids.clone()
    labels[~chosen] = -100
    rows, places = chosen.nonzero(as_tuple=True)
    for row, place in zip(rows, places):
        if fate[row, place] < 0.8:
            corrupted[row, place] = mask_id
        elif fate[row, place] < 0.9:
            corrupted[row, place] = random_ids[row, place]
    return corrupted, labels


def by_numpy(input_ids, chosen, fate, random_ids, mask_id):
    corrupted = input_ids.numpy().copy()
    picked, fates = chosen.numpy(), fate.numpy()
    corrupted[picked & (fates < 0.8)] = mask_id
    middle = picked & (fates >= 0.8) & (fates < 0.9)
    corrupted[middle] = random_ids.numpy()[middle]
    return torch.from_numpy(corrupted), input_ids.masked_fill(~chosen, -100)


def by_bucket(input_ids, chosen, fate, random_ids, mask_id):
    which = torch.bucketize(fate, torch.tensor([0.8, 0.9], dtype=torch.float64), right=True)
    ways = torch.stack([torch.full_like(input_ids, mask_id), random_ids, input_ids])
    changed = ways.gather(0, which[None])[0]
    return [torch.where(chosen, changed, input_ids), torch.where(chosen, input_ids, -100)]


def cross_entropy(logits, labels):
    chosen = labels != -100
    return F.cross_entropy(logits[chosen], labels[chosen], reduction="sum") / max(1, int(chosen.sum()))


def place_after_place(logits, labels):
    total, count = logits[:0].sum(), 0
    for row, targets in zip(logits, labels):
        for scores, target in zip(row, targets):
            if target != -100:
                total = total - scores.log_softmax(dim=0)[target]
                count += 1
    return total / max(1, count)


def by_logsumexp(logits, labels):
    chosen = labels != -100
    scores, truth = logits[chosen], labels[chosen]
    losses = scores.logsumexp(dim=-1) - scores[torch.arange(len(truth)), truth]
    return losses.sum() / max(len(truth), 1)


def by_flattening(logits, labels):
    logits, labels = logits.flatten(0, 1), labels.flatten()
    kept = (labels != -100).nonzero()[:, 0]
    losses = F.nll_loss(logits[kept].log_softmax(-1), labels[kept], reduction="none")
    return losses.sum() / max(1, len(kept))


def by_one_hot(logits, labels):
    chosen = labels != -100
    truth = F.one_hot(labels[chosen], logits.shape[-1]).to(logits.dtype)
    return -(truth * logits[chosen].log_softmax(-1)).sum() / chosen.sum().clamp(min=1)


def ignoring(logits, labels):
    total = F.cross_entropy(logits.transpose(1, 2), labels, reduction="sum", ignore_index=-100)
    return total / (labels != -100).sum().clamp(min=1)


def by_numbers(documents, coins, draw):
    pairs, coin = [], iter(coins)
    for number, document in enumerate(documents):
        for place in range(len(document) - 1):
            first, following = document[place], document[place + 1]
            if next(coin):
                pairs.append((first, following, 0))
            else:
                others = [
                    s
                    for other, rest in enumerate(documents)
                    if other != number
                    for s in rest
                    if s != following
                ]
                pairs.append((first, others[draw(len(others))], 1))
    return pairs


def drawing_again(documents, coins, draw):
    pairs = []
    for number, own in enumerate(documents):
        others = [s for document in documents[:number] + documents[number + 1 :] for s in document]
        for first, following in zip(own[:-1], own[1:]):
            second = following
            while not coins[len(pairs)] and second == following:
                second = others[draw(len(others))]
            pairs.append((first, second, int(not coins[len(pairs)])))
    return pairs


def document_first(documents, coins, draw):
    """As in the paper's code: a document, then a sentence of it."""
    pairs = []
    for number, own in enumerate(documents):
        others = documents[:number] + documents[number + 1 :]
        for first, following in zip(own, own[1:]):
            if coins[len(pairs)]:
                pairs.append((first, following, 0))
                continue
            second = following
            while second == following:
                document = others[draw(len(others))]
                second = document[draw(len(document))]
            pairs.append((first, second, 1))
    return pairs


def from_behind(documents, coins, draw):
    """Pops coins from a list of its own, and takes candidates from the end."""
    left, pairs = list(coins)[::-1], []
    for own in documents:
        for first, following in zip(own, own[1:]):
            if left.pop():
                pairs.append([first, following, 0])
            else:
                others = [s for o in documents if o is not own for s in o if s != following]
                pairs.append([first, others[-1 - draw(len(others))], 1])
    return pairs


def in_two_steps(documents, coins, draw):
    neighbours = [(n, a, b) for n, own in enumerate(documents) for a, b in zip(own, own[1:])]
    result = []
    for (number, first, following), coin in zip(neighbours, coins):
        other = [s for n, own in enumerate(documents) if n != number for s in own]
        other = [s for s in other if s != following]
        result.append((first, following, 0) if coin else (first, other[draw(len(other))], 1))
    return tuple(result)


def each_sentence_once(documents, coins, draw):
    pairs = []
    for number, own in enumerate(documents):
        others = sorted({s for n, document in enumerate(documents) if n != number for s in document})
        for place, following in enumerate(own[1:]):
            wrong = [s for s in others if s != following and s != own[place]]
            coin = coins[len(pairs)]
            second = following if coin else wrong[draw(len(wrong))]
            pairs.append((own[place], second, 0 if coin else 1))
    return pairs


RIGHT = {
    "12.1": forms(by_where, place_by_place, by_lists, by_index, by_numpy, by_bucket),
    "12.2": forms(cross_entropy, place_after_place, by_logsumexp, by_flattening, by_one_hot, ignoring),
    "12.3": forms(by_numbers, drawing_again, document_first, from_behind, in_two_steps, each_sentence_once),
}

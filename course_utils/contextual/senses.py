"""Which sense a word has in a sentence: the sense whose example sentences lie nearest.

Each sentence gives one point, the vector at the word, scaled to length 1. The senses are the means of the points of
their example sentences, taken from the corpus. Distances are Mahalanobis distances: directions in which sentences of
the same sense vary a lot count less (Fisher 1936; linear discriminant analysis).

    score(sense) = softmax over senses of −½ (x − mean)ᵀ S⁻¹ (x − mean) / τ        S: covariance within the senses
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from course_utils.contextual.vectors import checked_layer, encode_words
from course_utils.contextual.words import occurrences
from course_utils.datasets.corpus import homonym, sense_documents
from course_utils.pretrained.checkpoints import sense_readout
from course_utils.support.given import real_number
from course_utils.tokenization import WordPieceTokenizer

EXAMPLES = 250  # sentences a sense, spread over its documents
SHRINKAGE = 0.3  # share of the identity (times the mean variance) in S: few examples for so many directions


@dataclass(frozen=True)
class SenseSpace:
    """The senses of a word as points of a space in which all directions count alike. F features, K senses."""

    senses: tuple[str, ...]
    centre: Tensor  # (F,)
    whiten: Tensor  # (F, F): S^(−1/2)
    means: Tensor  # (K, F), in the whitened space
    temperature: float = 1.0  # τ

    def place(self, points: Tensor) -> Tensor:
        """(N, F) -> (N, F): into the whitened space."""
        return (points - self.centre) @ self.whiten

    def scores(self, points: Tensor) -> Tensor:
        """(N, F) -> (N, K): how probable each sense is; rows sum to 1."""
        return self._closeness(points).softmax(dim=-1)

    def log_odds(self, points: Tensor) -> Tensor:
        """(N, F) -> (N, K): log(score / (1 − score)), exact even where a score rounds to 0 or 1."""
        closeness = self._closeness(points).double()
        own = torch.eye(len(self.senses), dtype=torch.bool, device=closeness.device)
        others = closeness[:, None].masked_fill(own, -torch.inf).logsumexp(dim=-1)  # (N, K, K) -> (N, K)
        return closeness - others

    def _closeness(self, points: Tensor) -> Tensor:
        """(N, F) -> (N, K): −½ squared distance / τ."""
        return -0.5 / self.temperature * (self.place(points)[:, None] - self.means).square().sum(-1)


def fit_senses(
    points: Mapping[str, Tensor], *, shrinkage: float = SHRINKAGE, temperature: float = 1.0
) -> SenseSpace:
    """The means and the within-class covariance, from points of known sense.

    Args:
        points: sense -> float (N, F), N at least 1.
        shrinkage: between 0 and 1; how much of the identity is mixed into the covariance.
        temperature: τ, above 0; larger values make the scores less confident. 1 is linear discriminant analysis.
    """
    if len(points) < 2:
        raise ValueError(f"at least two senses are needed to choose from, got {list(points)}")
    if empty := [sense for sense, group in points.items() if not len(group)]:
        raise ValueError(f"each sense needs at least one point, and {', '.join(empty)} has none")
    shrinkage = real_number("shrinkage", shrinkage, most=1.0)
    temperature = real_number("temperature", temperature, open_at=("least",))
    means = torch.stack([group.mean(0) for group in points.values()])  # (K, F)
    within = torch.cat([group - group.mean(0) for group in points.values()])  # (N, F)
    covariance = within.T @ within / len(within)  # (F, F)
    variance = covariance.diag().mean()
    covariance = (1 - shrinkage) * covariance + shrinkage * variance * torch.eye(len(covariance)).to(
        covariance
    )
    values, directions = torch.linalg.eigh(covariance)
    whiten = directions @ (values.clamp(min=1e-12) ** -0.5).diag() @ directions.T
    centre = means.mean(0)
    return SenseSpace(tuple(points), centre, whiten, (means - centre) @ whiten, temperature)


def sense_points(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    sentences: Sequence[str],
    word: str,
    *,
    layer: int | None = None,
    occurrence: int = 0,
) -> Tensor:
    """One point a sentence: the vector at the word, scaled to length 1. float (N, C)."""
    layer = sense_layer(model, layer)
    vectors = encode_words(model, tokenizer, sentences, word, layer=layer, occurrence=occurrence)
    wide = torch.promote_types(vectors.dtype, torch.float32)  # the covariance of a model in half precision
    return nn.functional.normalize(vectors.to(wide), dim=-1)


def example_sentences(word: str, sense: str, *, most: int = EXAMPLES) -> list[str]:
    """Sentences of the corpus in which a word stands exactly once, in this sense, spread evenly over the documents."""
    found = [
        sentence
        for document in sense_documents(word, sense)
        for sentence in document
        if len(occurrences(sentence, word)) == 1
    ]
    step = max(len(found) / most, 1.0)
    return [found[int(number * step)] for number in range(min(len(found), most))]


def sense_space(
    model: nn.Module, tokenizer: WordPieceTokenizer, word: str, *, layer: int | None = None
) -> SenseSpace:
    """The senses of a word as this model sees them in the corpus.

    It is kept on the model for the next call. If the model has been trained further, its space is computed again.

    Args:
        model, tokenizer, word, layer: as in nearest_sense.
    """
    _, senses = homonym(word)
    layer = sense_layer(model, layer)
    bert, key, weights = getattr(model, "bert", model), (word, layer), _state_of_weights(model)
    known = bert.__dict__.setdefault("_sense_spaces", {})
    if key not in known or known[key][0] != weights:
        points = {
            sense: sense_points(model, tokenizer, example_sentences(word, sense), word, layer=layer)
            for sense in senses
        }
        readout = sense_readout(model)
        known[key] = weights, fit_senses(points, temperature=readout.temperature if readout else 1.0)
    return known[key][1]


def nearest_sense(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    sentence: str,
    word: str,
    *,
    layer: int | None = None,
    occurrence: int = 0,
) -> list[tuple[str, float]]:
    """The senses of a word in a sentence, the most probable first.

    Args:
        model: BertModel, or a class of course_utils.heads, in eval mode.
        tokenizer: the model's.
        sentence: must hold the word by itself or with particles.
        word: one of datasets.corpus.HOMONYMS.
        layer: which layer's vectors; None means the one that checkpoints.toml names for a checkpoint of the course.
            Any other model needs it told.
        occurrence: which one, from 0, where the word stands more than once.

    Returns:
        (sense, score) for each sense; the scores sum to 1. WordNotFound as for word_vectors.
    """
    space = sense_space(model, tokenizer, word, layer=layer)
    point = sense_points(model, tokenizer, [sentence], word, layer=layer, occurrence=occurrence)
    scores = space.scores(point)[0].tolist()
    return sorted(zip(space.senses, scores), key=lambda pair: -pair[1])


def _state_of_weights(model: nn.Module) -> tuple[tuple[int, float], ...]:
    """Something that changes with the weights (after a training step, or when another checkpoint is loaded)."""
    with torch.no_grad():
        return tuple((weight._version, float(weight.sum())) for weight in model.parameters())


def sense_layer(model: nn.Module, layer: int | None = None) -> int:
    """The number of the layer whose vectors are read, checked.

    Args:
        model: as in nearest_sense.
        layer: any of its layers; None means the one of its checkpoint.
    """
    readout = sense_readout(model)
    if layer is None:
        if readout is None:
            layers = getattr(model, "bert", model).config.num_hidden_layers
            raise ValueError(
                f"this model does not say at which layer its senses are read: give layer=, from 0 to {layers} (only "
                "the course's checkpoints know theirs)"
            )
        return readout.layer
    return checked_layer(model, layer)

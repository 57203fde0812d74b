"""Slips that would give a wrong number without a word: each is told in one sentence."""

import pytest
import torch

from course_utils import before
from course_utils.before.costs import longest_chain
from course_utils.before.reach import reach
from course_utils.before.word2vec import negative_sampling_loss
from course_utils.config import BertConfig
from tests.before.every_model import MODELS, SOURCE, TARGET, made

MASK = torch.tensor([[1, 1, 1], [1, 1, 0]])
IDS = torch.tensor([[5, 3, 1], [2, 4, 0]])
STATES = torch.ones(2, 3, 4)


def gpt(kind=before.GPT):
    return kind(BertConfig(vocab_size=7, hidden_size=4, num_hidden_layers=1, num_attention_heads=1))


def attention(mask):
    return before.AdditiveAttention(4)(STATES, STATES, STATES, mask)


def words(sentences, train=before.train_skip_gram, min_count=1):
    return train(sentences, min_count=min_count, generator=torch.Generator())


SLIPS = {
    "a mask of floats": (lambda: attention(torch.ones(2, 1, 3)), "^mask must be bool"),
    "a mask of another text": (
        lambda: attention(torch.ones(2, 1, 5, dtype=torch.bool)),
        r"^mask must broadcast to \(..., T_q, T_k\)",
    ),
    "a mask of twos": (lambda: gpt()(IDS, 2 * MASK), "^attention_mask must hold only 1"),
    "a mask of another shape": (lambda: gpt()(IDS, MASK[:, :2]), "^attention_mask must have the shape of"),
    "too long a text": (lambda: gpt()(torch.ones(1, 513, dtype=torch.int64)), "^length must lie in 1 … 512"),
    "a text of padding": (
        lambda: gpt(before.GPTForClassification)(IDS, MASK * torch.tensor([[1], [0]])),
        "^each row of attention_mask must have a real token, got padding alone in row 1$",
    ),
    "nothing to pool": (lambda: before.concat_pooling(STATES, 0 * MASK), "^each row of attention_mask must"),
    "padding before a token": (lambda: before.BiLM(7, 4, 1)(IDS, MASK.flip(1)), "^padding must stand"),
    "an odd size": (lambda: before.AttentionSeq2Seq(17, 13, hidden_size=7), "^hidden_size must be even, a"),
    "halves of two and one": (lambda: before.glu(torch.ones(2, 3)), r"^x must have an even last axis, got"),
    "two texts": (lambda: reach(lambda x: x, STATES), r"\(1, T, C\), got \(2, 3, 4\)$"),
    "no gradient": (lambda: longest_chain(torch.ones(3)), "^output must be computed from parameters with"),
    "epoch 0": (lambda: before.unfrozen_layers(0, 3), "^epoch counts from 1, got 0$"),
    "no room for a word": (lambda: before.character_ids("배", max_length=2), "^max_length must be at least"),
    "sentences not cut": (
        lambda: words(["배를 탔다", "배를 먹었다"]),
        "^each sentence must be a list of texts, got",
    ),
    "sentences not cut, by parts": (
        lambda: words("배를 탔다", before.train_subword_skip_gram),
        "^each sentence must be a list of texts, got one text, '배'",
    ),
    "too few words": (lambda: words([["가", "나", "다"]], min_count=9), "^at least two words must occur 9"),
    "vectors of other words": (
        lambda: before.WordVectors(("가",), torch.zeros(2, 3), torch.ones(1)),
        r"^expected vectors \(V, C\)",
    ),
    "one centre for all": (
        lambda: negative_sampling_loss(torch.ones(1, 4), torch.ones(2, 4), torch.ones(2, 3, 4)),
        "^centres and contexts must",
    ),
    "a text, not texts": (lambda: before.learn_stems("배를 탔다"), "^sentences must .*put it in a list"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told(slip) -> None:
    call, told = SLIPS[slip]
    with pytest.raises(ValueError, match=told):
        call()


@pytest.mark.parametrize("kind", MODELS)
def test_a_source_of_padding_is_told(kind) -> None:
    with pytest.raises(ValueError, match="^each row of source_ids must have a real token, .* in row 1$"):
        made(kind)(SOURCE * torch.tensor([[1], [0], [1]]), TARGET)

"""Slips that would give a wrong number without a word: each is told in one sentence."""

import pytest
import torch

from course_utils import after
from course_utils.after.tinybert import attention_scores, hidden_loss
from course_utils.bert import BertModel
from course_utils.datasets.batching import seeded
from course_utils.heads import BertForSequenceClassification
from tests.after.models import batch, config
from tests.after.twins import SIZES

HIDDEN, IDS = torch.ones(2, 3, 4), torch.ones(2, 3, dtype=torch.long)
WORDS = torch.ones(2, 3, dtype=torch.bool)


def bert(layers):
    return BertModel(config(layers))


def in_task(name):
    encoder = bert(1)
    model = BertForSequenceClassification(encoder.config)
    return after.MultiTaskModel(encoder, {"reviews": model})(name, input_ids=batch()[0])


SLIPS = {
    "half a student": (lambda: after.layer_map(5, 12), "^student_layers must divide teacher_layers, got 5"),
    "a layer too few": (lambda: attention_scores(bert(3), [torch.ones(2, 3, 10)] * 3), "shorter"),
    "one teacher for all": (
        lambda: after.soft_target_loss(torch.zeros(2, 3), torch.zeros(1, 3)),
        "^student_logits and teacher_logits must have one shape",
    ),
    "one state for all": (lambda: after.cosine_loss(HIDDEN, HIDDEN[:1]), "^student_hidden and"),
    "a row for all": (lambda: hidden_loss(HIDDEN, HIDDEN[:1], torch.nn.Identity()), "^projected and"),
    "one head for all": (
        lambda: after.attention_score_loss(torch.ones(2, 5, 3, 3), torch.ones(2, 1, 3, 3)),
        "^student_scores and teacher_scores must have one",
    ),
    "cold": (lambda: after.soft_target_loss(HIDDEN, HIDDEN, temperature=0), "^temperature must be above 0,"),
    "padding alone": (lambda: after.cosine_loss(HIDDEN, HIDDEN, 0 * IDS), "^attention_mask must leave at"),
    "other tokens": (lambda: after.replaced(IDS, IDS[:1]), "^corrupted must have the shape of input_ids"),
    "no number": (
        lambda: after.sample_tokens(torch.full((2, 3), torch.nan), generator=seeded(0)),
        "^logits must be finite",
    ),
    "replaced twice": (
        lambda: after.ElectraDiscriminator(after.ElectraConfig(**SIZES))(IDS, labels=2 * IDS),
        r"^labels must lie in 0 … 1 or be -100 \(ignored\),",
    ),
    "fifteen, not 15 %": (
        lambda: after.mask_spans(WORDS, ~WORDS, generator=seeded(0), rate=15),
        "^rate must be above 0 and below 1, got 15$",
    ),
    "other words": (lambda: after.mask_spans(WORDS, ~WORDS[:, :2], generator=seeded(0)), "^both must have"),
    "a span without a left boundary": (
        lambda: after.BoundaryObjective(config(1))(
            torch.ones(1, 5, 10), torch.tensor([[0, 0, 2]]), torch.ones(23, 10)
        ),
        "^each span must have a token before it",
    ),
    "no such task": (lambda: in_task("titles"), "^task must be one of reviews, got 'titles'$"),
    "no embedding": (lambda: after.AlbertConfig(embedding_size=0), "^embedding_size must be a whole number"),
    "padding beyond the positions": (
        lambda: after.RobertaConfig(max_position_embeddings=47, pad_token_id=46),
        "^pad_token_id must be a whole number from 0 to 45,",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_told(slip):
    call, told = SLIPS[slip]
    with pytest.raises(ValueError, match=told):
        call()

"""The language models before BERT give a word its vectors just as a BertModel does."""

import pytest
import torch

from course_utils.before import GPT, BiLM, GPTForClassification
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.contextual import word_vectors
from tests.small import tokenizer_of

SENTENCE = "배를 타고 배를"
TOKENIZER = tokenizer_of(["배", "##를", "타", "##고"])


@pytest.mark.parametrize(
    ("make", "width"), [(BertModel, 6), (GPT, 6), (GPTForClassification, 6), (BiLM.from_config, 12)]
)
def test_a_word_is_read_from_each(make, width):
    config = BertConfig(len(TOKENIZER.vocab), hidden_size=6, num_hidden_layers=2, num_attention_heads=2)
    model = make(config, generator=torch.Generator().manual_seed(1)).eval()
    vectors = [word_vectors(model, TOKENIZER, SENTENCE, "배", occurrence=place) for place in (0, 1)]
    assert vectors[0].shape == (3, width)
    assert not torch.allclose(vectors[0][1:], vectors[1][1:])
    states = model(torch.tensor([TOKENIZER.encode(SENTENCE).input_ids])).hidden_states  # [CLS] 배 ##를 타 …
    torch.testing.assert_close(vectors[0], torch.stack(states)[:, 0, 1])


def test_a_bilm_of_a_berts_sizes_has_its_dropout():
    model = BiLM.from_config(BertConfig.tiny())
    assert model.forwards.dropout.p == model.backwards.dropout.p == 0.1
    assert len(model.forwards.layers) == 2 and model.config == BertConfig.tiny()

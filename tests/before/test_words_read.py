"""The language models before BERT give a word its vectors just as a BertModel does."""

import pytest
import torch

from course_utils.before import GPT, BiLM, GPTForClassification
from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.contextual import word_vectors
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS

SENTENCE = "배를 타고 배를"


def tokenizer() -> WordPieceTokenizer:
    pieces = [*SPECIAL_TOKENS, "배", "##를", "타", "##고"]
    return WordPieceTokenizer({piece: number for number, piece in enumerate(pieces)}, strip_accents=False)


@pytest.mark.parametrize(
    ("make", "width"), [(BertModel, 6), (GPT, 6), (GPTForClassification, 6), (BiLM.from_config, 12)]
)
def test_a_word_is_read_from_each(make, width):
    config = BertConfig(
        vocab_size=len(tokenizer().vocab), hidden_size=6, num_hidden_layers=2, num_attention_heads=2
    )
    model = make(config, generator=torch.Generator().manual_seed(1)).eval()
    vectors = [word_vectors(model, tokenizer(), SENTENCE, "배", occurrence=place) for place in (0, 1)]
    assert vectors[0].shape == (3, width)
    assert not torch.allclose(vectors[0][1:], vectors[1][1:])
    ids = torch.tensor([tokenizer().encode(SENTENCE).input_ids])
    states = model(ids).hidden_states
    where = [n for n, (begin, _) in enumerate(tokenizer().encode(SENTENCE).offsets) if begin == 0 and n][:1]
    assert torch.allclose(vectors[0], torch.stack(states)[:, 0, where].mean(1), atol=1e-6)


def test_a_bilm_of_a_berts_sizes_has_its_dropout():
    model = BiLM.from_config(BertConfig.tiny())
    assert model.forwards.dropout.p == model.backwards.dropout.p == 0.1
    assert len(model.forwards.layers) == 2 and model.config == BertConfig.tiny()

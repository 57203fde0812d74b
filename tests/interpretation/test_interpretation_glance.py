"""A sentence's whole way: the fills are those of transformers' masked language model, the layers its hidden states."""

import pytest
import torch
import transformers

from course_utils.interpretation import at_a_glance
from course_utils.pretrained import save_pretrained
from tests.interpretation.models import HARBOUR, small_model, small_tokenizer


@pytest.fixture(scope="module")
def model():
    return small_model().eval()


def test_fills_and_layers_are_those_of_transformers(model, tmp_path):
    tokenizer = small_tokenizer()
    save_pretrained(model, tokenizer, tmp_path)
    theirs = transformers.BertForMaskedLM.from_pretrained(tmp_path).eval()
    found = at_a_glance(model, tokenizer, HARBOUR, 6, best=4)
    assert (found.asked, found.tokens[6], found.ids[6]) == (6, "[MASK]", 4)
    with torch.no_grad():
        expected = theirs(torch.tensor([found.ids]), output_hidden_states=True)
    shares, pieces = expected.logits[0, 6].softmax(-1).topk(4)
    assert [tokenizer.vocab[piece] for piece, _ in found.fills] == pieces.tolist()
    assert [share for _, share in found.fills] == pytest.approx(shares.tolist(), abs=1e-5)
    first, last = expected.hidden_states[0][0], expected.hidden_states[-1][0]
    cosines = (first * last).sum(-1) / (first.norm(dim=-1) * last.norm(dim=-1))
    assert found.turned[-1] == pytest.approx(cosines.tolist(), abs=1e-5)
    assert found.turned[0] == pytest.approx([1.0] * len(found.ids)) and len(found.turned) == 4


@pytest.mark.parametrize("hide", [0, 10, 99, -1])
def test_only_a_piece_is_hidden(model, hide):
    found = at_a_glance(model, small_tokenizer(), HARBOUR, hide)
    assert (found.asked, found.fills) == (0, []) and "[MASK]" not in found.tokens and len(found.tokens) == 11


def test_a_sentence_too_long_for_the_model_is_cut(model):
    assert len(at_a_glance(model, small_tokenizer(), HARBOUR * 9).tokens) == 19


def test_a_mask_that_is_typed_is_asked_for_until_another_is_hidden(model):
    typed = "나는 [MASK] 배를 [MASK] 탔다."
    assert at_a_glance(model, small_tokenizer(), typed).asked == 2
    hidden = at_a_glance(model, small_tokenizer(), typed, 1)
    assert hidden.asked == 1 and hidden.tokens.count("[MASK]") == 3

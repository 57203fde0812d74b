"""What notebook 14 builds by hand: a word's vector, the nearest sense."""

import torch

from course_utils.bert import BertModel
from course_utils.config import BertConfig
from course_utils.contextual.senses import fit_senses
from course_utils.heads import BertForPreTraining
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from tests.scratch.registry import Scratch

NOTEBOOK = "14_contextual_embeddings"
PIECES = ["배", "##를", "##에서", "은", "##행", "##행에", "탔다", "나는", "담", "##배", "우", "##우", "."]


def word_cases(generator):
    sizes = dict(hidden_size=15, num_hidden_layers=3, num_attention_heads=5, intermediate_size=31)
    vocab = {piece: number for number, piece in enumerate([*SPECIAL_TOKENS, *PIECES])}
    torch.manual_seed(14)
    for model in (BertForPreTraining, BertModel):
        bert = model(BertConfig(vocab_size=len(vocab), max_position_embeddings=23, **sizes)).eval()
        tokenizer = WordPieceTokenizer(vocab, lowercase=False, strip_accents=False)  # else all is [UNK]
        for sentence, word in [
            ("나는 배를 탔다.", "배"),
            ("배", "배"),
            ("배우 담배 배에서 배를.", "배"),  # the first that stands by itself
            ("나는 은행에 탔다", "은행"),  # two pieces, the second wider than the word
        ]:
            yield bert, tokenizer, sentence, word


def sense_scores(points, queries, shrinkage=0.3, temperature=1.0):
    return fit_senses(points, shrinkage=shrinkage, temperature=temperature).scores(queries)


def sense_cases(generator):
    for counts, shrinkage, temperature in [
        ((7, 5, 3), 0.3, 12.0),
        ((11, 2), 0.05, 1.0),
        ((1, 1, 1), 1.0, 0.7),
    ]:
        points = {
            f"sense {index}": torch.randn(count, 5, generator=generator, dtype=torch.float64) + index
            for index, count in enumerate(counts)
        }
        if sum(counts) == len(counts):  # one example each: no spread within, and so only the identity
            points = {
                name: group.repeat(2, 1) + torch.tensor([[0.1], [-0.1]]) for name, group in points.items()
            }
        yield points, torch.randn(13, 5, generator=generator, dtype=torch.float64), shrinkage, temperature
    points = {"a": torch.randn(6, 3, generator=generator), "b": torch.randn(4, 3, generator=generator)}
    yield points, torch.randn(1, 3, generator=generator)


ENTRIES = [
    # The model is fixed and runs without gradients, as in the package.
    Scratch(NOTEBOOK, "my_word_vector", "course_utils.contextual:word_vectors", word_cases, gradients=False),
    Scratch(NOTEBOOK, "my_nearest_sense", f"{__name__}:sense_scores", sense_cases),
]

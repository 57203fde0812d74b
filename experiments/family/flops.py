"""How much is computed in an update: matrix products by formula, 2 for each multiplication with its addition.

    one block, forward, for a row of T tokens     T · (8C² + 4C·I + 4T·C)
        W^Q, W^K, W^V, W^O                        4 · 2C²
        feed-forward                              2 · 2C·I
        scores and mixed values                   2 · 2T·C
    backward                                      twice that, where all of it is learned

Not counted: what is added, normalised, looked up or drawn, and the optimiser. Padding is computed, and so it counts.
tests/house/test_family.py holds the formulas against torch.utils.flop_counter.

Letters: B rows, T tokens, C hidden size, I intermediate size, L layers, V vocabulary, M places where a token is told.
"""

from __future__ import annotations

from course_utils.after import AlbertConfig
from course_utils.config import BertConfig

LEARNED = 3  # forward once, backward twice


def blocks(config: BertConfig, rows: int, tokens: int) -> int:
    """L blocks, forward."""
    C, inner = config.hidden_size, config.intermediate_size
    per_token = 8 * C**2 + 4 * C * inner + 4 * tokens * C
    return config.num_hidden_layers * rows * tokens * per_token


def linear(vectors: int, size: int, width: int) -> int:
    """`vectors` vectors from `size` to `width` numbers, forward."""
    return 2 * vectors * size * width


def masked_head(config: BertConfig, places: int, *, size: int | None = None) -> int:
    """The head of the masked language model at M places, forward: dense, then the table of embeddings."""
    size = config.hidden_size if size is None else size  # of the embeddings
    return linear(places, config.hidden_size, size) + linear(places, size, config.vocab_size)


def pooled(config: BertConfig, rows: int, labels: int = 2) -> int:
    """The pooler and a head of K labels on it, forward."""
    return linear(rows, config.hidden_size, config.hidden_size) + linear(rows, config.hidden_size, labels)


def bert(config: BertConfig, rows: int, tokens: int, places: int, *, pairs: bool) -> int:
    """An update of BERT; without `pairs` the head for the next sentence is computed all the same, and not learned."""
    judged = (LEARNED if pairs else 1) * pooled(config, rows)
    return LEARNED * (blocks(config, rows, tokens) + masked_head(config, places)) + judged


def causal(config: BertConfig, rows: int, tokens: int) -> int:
    """An update of GPT, which tells a token everywhere: the blocks compute masked scores as well."""
    return LEARNED * (
        blocks(config, rows, tokens) + linear(rows * tokens, config.hidden_size, config.vocab_size)
    )


def lstm(size: int, hidden: int, tokens: int) -> int:
    """One LSTM, forward, for `tokens` tokens in all: four gates, each from input and state (ELMo has two of them)."""
    return linear(tokens, size + hidden, 4 * hidden)


def albert(config: AlbertConfig, rows: int, tokens: int, places: int, *, pairs: bool) -> int:
    """An update of ALBERT: sharing saves nothing; from E to C there is one product more, and the table is narrower."""
    widened = linear(rows * tokens, config.embedding_size, config.hidden_size)
    judged = pooled(config, rows)
    told = masked_head(config, places, size=config.embedding_size)
    return LEARNED * (blocks(config, rows, tokens) + widened + told) + (LEARNED if pairs else 1) * judged


def electra(config: BertConfig, small: BertConfig, rows: int, tokens: int, places: int) -> int:
    """An update of ELECTRA: the generator tells M tokens, the discriminator has two layers at every token."""
    size = config.hidden_size
    guesses = (
        linear(rows * tokens, size, small.hidden_size)
        + blocks(small, rows, tokens)
        + masked_head(small, places, size=size)
    )
    finds = blocks(config, rows, tokens) + linear(rows * tokens, size, size) + linear(rows * tokens, size, 1)
    return LEARNED * (guesses + finds)


def spanbert(config: BertConfig, rows: int, tokens: int, places: int) -> int:
    """An update of SpanBERT: each masked token is told twice, the second time from 3C numbers."""
    size = config.hidden_size
    boundary = linear(places, 3 * size, size) + masked_head(config, places)
    return LEARNED * (blocks(config, rows, tokens) + masked_head(config, places) + boundary)


def distillation(student: BertConfig, teacher: BertConfig, rows: int, tokens: int) -> int:
    """An update of DistilBERT: both tell a token at every place, the teacher forward only. Its training is not here."""
    asked = blocks(teacher, rows, tokens) + masked_head(teacher, rows * tokens) + pooled(teacher, rows)
    return LEARNED * (blocks(student, rows, tokens) + masked_head(student, rows * tokens)) + asked


def bilm(config: BertConfig, rows: int, tokens: int, told: int) -> int:
    """An update of ELMo's biLM: L LSTMs each way, and the softmax at `told` tokens, twice."""
    size = config.hidden_size
    read = config.num_hidden_layers * lstm(size, size, rows * tokens)
    return LEARNED * 2 * (read + linear(told, size, config.vocab_size))

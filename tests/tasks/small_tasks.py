"""A tiny task of each kind, whose pieces are words, and a model for it, for the tests of forms and fine-tuning."""

from __future__ import annotations

from typing import Any

from course_utils.bert import BertModel
from course_utils.datasets.batching import seeded
from course_utils.tasks.data import DIALECTS, DialectSentence, LabelledReview, Question, SentencePair
from course_utils.tasks.load import load_task
from course_utils.tasks.task import Task
from course_utils.tasks.words import TaggedSentence, bio_tags
from course_utils.tokenization import WordPieceTokenizer
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from tests.small import small_config, tokenizer_of

WORDS = ["좋다", "나쁘다", *"가나다라마바사", "부산", "##에서", "왔다", "?", "."]
VOCAB = [*SPECIAL_TOKENS, *WORDS]
CONFIG = small_config(
    len(VOCAB),
    num_hidden_layers=3,
    num_attention_heads=3,
    intermediate_size=17,
    max_position_embeddings=29,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    initializer_range=0.2,
)


def tokenizer() -> WordPieceTokenizer:
    return tokenizer_of(VOCAB)


def text(number: int) -> str:
    """좋다 stands in the odd ones, 나쁘다 in the even ones; lengths differ."""
    around = [*"가나다라마바사"][number % 7 :]
    return " ".join([*around[: 1 + number % 4], WORDS[1 - number % 2], *around[:1]])


def review(number: int) -> LabelledReview:
    return LabelledReview(text(number), number % 2)


def dialect(number: int) -> DialectSentence:
    return DialectSentence(text(number), DIALECTS[number % 6], number // 6, ())


def pair(number: int) -> SentencePair:
    return SentencePair(text(number), text(number + number % 3), 5.0 - number % 3 * 2.5)


def names(number: int) -> TaggedSentence:
    sentence = f"{text(number)} 부산에서 왔다."
    place = sentence.index("부산")
    return bio_tags(sentence, [(place, "부산", "LC")] if number % 3 else [])


def parts_of_speech(number: int) -> TaggedSentence:
    words = (*text(number).split(), "왔다")
    starts = tuple(sum(len(word) + 1 for word in words[:place]) for place in range(len(words)))
    tags = tuple("VERB" if word.endswith("다") and len(word) > 1 else "NOUN" for word in words)
    return TaggedSentence(" ".join(words), words, starts, tags)


def question(number: int) -> Question:
    passage = f"{text(number)} 부산에서 왔다."
    if number % 3 == 2:
        return Question(f"p{number}", "", passage, "왔다?", None, None)
    return Question(f"p{number}", "", passage, "왔다?", "부산", passage.index("부산"))


MAKE = {
    "reviews": review,
    "dialect": dialect,
    "pairs": pair,
    "names": names,
    "parts_of_speech": parts_of_speech,
    "questions": question,
}


def records(name: str, *sizes: int) -> dict[str, list[Any]]:
    """So many records of each part; no two parts begin with the same."""
    parts = zip(("train", "validation", "test"), sizes, (0, 1, 2))
    return {
        part: [MAKE[name](number) for number in range(first, first + size)] for part, size, first in parts
    }


def small(name: str, *sizes: int, max_length: int = 23) -> Task:
    """A task with so many records in its parts (41, 13 and 11)."""
    return load_task(name, tokenizer(), parts=records(name, *(sizes or (41, 13, 11))), max_length=max_length)


def small_bert(seed: int = 7) -> BertModel:
    return BertModel(CONFIG, generator=seeded(seed)).eval()

"""What was there before BERT: one vector a word."""

from course_utils.before.stems import cut_sentence, learn_stems, split_words
from course_utils.before.subword import SubwordVectors, train_subword_skip_gram
from course_utils.before.word2vec import UnknownWord, WordVectors, train_skip_gram

__all__ = [
    "SubwordVectors",
    "UnknownWord",
    "WordVectors",
    "cut_sentence",
    "learn_stems",
    "split_words",
    "train_skip_gram",
    "train_subword_skip_gram",
]

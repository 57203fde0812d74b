"""What was there before BERT: one vector a word; translation by GRUs, attention and convolutions; language models."""

from course_utils.before.additive_attention import AdditiveAttention
from course_utils.before.attention_seq2seq import AttentionSeq2Seq
from course_utils.before.bilm import BiLM
from course_utils.before.character_cnn import CharacterCNN, character_ids
from course_utils.before.conv_seq2seq import ConvSeq2Seq, glu
from course_utils.before.gpt import GPT, GPTForClassification
from course_utils.before.gru import GRU
from course_utils.before.gru_seq2seq import GRUSeq2Seq
from course_utils.before.lstm_lm import LSTMLanguageModel
from course_utils.before.scalar_mix import ScalarMix
from course_utils.before.stems import cut_sentence, learn_stems, split_words
from course_utils.before.subword import train_subword_skip_gram
from course_utils.before.ulmfit import concat_pooling, discriminative_rates, unfrozen_layers
from course_utils.before.word2vec import WordVectors, train_skip_gram
from course_utils.schedules import slanted_triangle  # the fourth of ULMFiT's tricks

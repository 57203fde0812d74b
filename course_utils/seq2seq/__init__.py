"""Sequence to sequence: the Transformer with its decoder, how it is trained, and how any such model writes a text."""

from course_utils.seq2seq.averaging import average_state_dicts
from course_utils.seq2seq.decoding import beam_search, beam_steps, greedy_search, penalised_score
from course_utils.seq2seq.smoothing import smoothed_cross_entropy
from course_utils.seq2seq.transformer import Transformer

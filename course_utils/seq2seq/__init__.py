"""Sequence to sequence: the Transformer with its decoder."""

from course_utils.seq2seq.transformer import Transformer

__all__ = ["Transformer"]

"""Exercises of notebook 17: BERT as features."""

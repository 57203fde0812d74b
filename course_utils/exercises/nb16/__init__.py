"""Exercises of notebook 16: fine-tuning."""

"""What notebook 20 reads the paper with: SQuAD's own normalisation."""

from __future__ import annotations

from course_utils.tasks.answers import normalize_as_squad
from tests.faults.registry import case

case(normalize_as_squad, lambda: {"text": "「세종」 대왕 the 1st, A형"})

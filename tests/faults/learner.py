"""What a learner calls to check and to be told: checks, exercises, texts, names of models."""

from __future__ import annotations

import torch

from course_utils import exercises
from course_utils.bert import Pooler
from course_utils.checks import about, check_same, check_same_module
from course_utils.course import map_of_the_course
from course_utils.datasets.corpus import read_documents, sense_documents
from course_utils.locale import text
from course_utils.pretrained import load_pretrained
from course_utils.training.log import read_log
from tests.faults.registry import case
from tests.faults.textbook import CONFIG

case(about, lambda: {"value": 0.7342, "spec": ".2f", "width": 5})
case(about, lambda: {"value": torch.randn(3)}, part="#row")
case(check_same, lambda: {"actual": torch.ones(2, 3), "expected": torch.ones(2, 3), "atol": 1e-6})
case(check_same, lambda: {"actual": [1.5, "배", True], "expected": [1.5, "배", True]}, part="#list")
case(
    check_same_module,
    lambda: {"given": torch.ones(2, 3, 6), "atol": 1e-6},
    call=lambda given, atol: check_same_module(*[Pooler(CONFIG) for _ in range(2)], given, atol=atol),
    also=(Pooler.forward,),  # what the modules raise goes through
)
case(exercises.exercise, lambda: {"exercise_id": "02.1"})
case(exercises.exercises_of, lambda: {"notebook": "02"})
case(exercises.notebooks, dict)
case(exercises.progress, lambda: {"notebook": "02"})
case(
    exercises.export_progress,
    lambda: {"name": "김"},
    call=lambda name: exercises.export_progress("/dev/null/x", name=name),
)
case(text, lambda: {"key": "checks.misuse.empty"}, call=lambda key: text(key))
case(map_of_the_course, dict)
case(read_documents, lambda: {"path": "/nowhere/배"}, part="#absent")
case(sense_documents, lambda: {"word": "배", "sense": "ship"})
case(load_pretrained, lambda: {"name": "/nowhere/배"}, part="#absent")
case(read_log, lambda: {"path": "/nowhere/log.jsonl"})

"""Widgets of the course: pictures that answer when they are touched.

Each is a small class of synced traits on top of CourseWidget; what it computes comes from callables it receives. The
names are loaded when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "ActivationExplorer": "activation_explorer",
    "AttentionExplorer": "attention_explorer",
    "BadInput": "base",
    "CourseWidget": "base",
    "ParameterMicroscope": "parameter_microscope",
    "ParityDebugger": "parity_debugger",
    "PositionalExplorer": "positional_explorer",
    "HeadGrid": "head_grid",
    "MaskPainter": "mask_painter",
    "MaskRoller": "mask_roller",
    "MergeStepper": "merge_stepper",
    "NeighbourExplorer": "neighbour_explorer",
    "ScaledAttention": "scaled_attention",
    "SenseExplorer": "sense_explorer",
    "SenseMap": "sense_map",
    "TokenInspector": "token_inspector",
    "TrainingReplay": "training_replay",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

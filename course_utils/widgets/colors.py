"""The colours of the figures for the widgets: variables for their CSS, palettes for what they paint themselves."""

from __future__ import annotations

from matplotlib.colors import Colormap

from course_utils.support.lecture import SCALE
from course_utils.viz import theme

ROLES = ("QUERY", "KEY", "VALUE", "ACCENT", "MUTED", "INK")


def stops(palette: Colormap, count: int) -> list[list[int]]:
    """The `count` evenly spaced colours that a palette was made from, as [red, green, blue] from 0 to 255."""
    return palette.resampled(count)(range(count), bytes=True)[:, :3].tolist()


WEIGHTS = stops(theme.WEIGHTS, 4)
SIGNED = stops(theme.SIGNED, 5)


def variables() -> str:
    """CSS that names the colours of the figures, and how much larger everything is in lecture mode."""
    named = {f"figure-{role.lower()}": getattr(theme, role).lower() for role in ROLES}
    named |= {
        f"figure-weights-{place}": f"rgb({' '.join(map(str, stop))})" for place, stop in enumerate(WEIGHTS)
    }
    named["lecture-scale"] = str(SCALE)
    return ":root {\n" + "".join(f"  --course-{name}: {value};\n" for name, value in named.items()) + "}"

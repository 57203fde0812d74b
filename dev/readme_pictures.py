"""Make the pictures of the README: `python dev/readme_pictures.py [file ...]`.

Opens notebooks in a real JupyterLab (the browser tests' harness), runs them, and writes the chosen parts of the page
into docs/pictures/. To choose another picture, edit PICTURES, or MOVING for those that move.
"""

from __future__ import annotations

import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tests.browser.harness import Visit, running_chromium, running_lab, visit  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
LARGEST = 300_000  # bytes of a picture
FRAME_MS = 900
SCALE = 1.5  # device pixels to a CSS pixel: sharp on a good screen, and still small


class Moving(NamedTuple):
    notebook: str
    selector: str
    file: str
    keys: tuple[tuple[str, str], ...]  # (data-testid of a control, key or Hangul to type): a frame after each
    tall: int  # CSS pixels from the top


class Picture(NamedTuple):
    notebook: str  # without .ipynb
    selector: str  # the first match is photographed
    file: str
    press: str = ""  # a button of the widget that is pressed first


PICTURES = [
    Picture("02_scaled_dot_product_attention", "[data-testid=scaled_attention]", "scaled_attention.png"),
    Picture("03_masking", ".course-widget", "mask_painter.png", press="인과"),
    Picture("09_subword_tokenization", "[data-testid=token_inspector]", "token_inspector.png"),
    Picture("14_contextual_embeddings", "[data-testid=sense_map]", "sense_map.png"),
    Picture("15_attention_heads", "[data-testid=attention_explorer]", "attention_explorer.png"),
    Picture("16_fine_tuning", "[data-testid=task_heads]", "task_heads.png"),
]
MOVING = [
    Moving(
        "00_start_here",
        "[data-testid=sense_explorer]",
        "sense_explorer.gif",
        tuple(("sentence", typed) for typed in ("Control+a", "배를", " 깎아", " 먹었다.", "End")),
        1000,
    ),
]


def main(files: list[str]) -> int:
    """Make the pictures with these file names, or all; returns the exit status."""
    if unknown := set(files) - {picture.file for picture in [*PICTURES, *MOVING]}:
        print(f"no such picture: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    chosen = [picture for picture in [*PICTURES, *MOVING] if not files or picture.file in files]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_lab(Path(folder) / "lab") as lab,
        running_chromium() as browser,
    ):
        lab.use_theme("Light")
        for notebook in dict.fromkeys(picture.notebook for picture in chosen):
            with visit(browser, lab, scale=SCALE) as guest:
                take(guest, [picture for picture in chosen if picture.notebook == notebook])
    return 0


def take(guest: Visit, pictures: list[Picture | Moving]) -> None:
    """Run one notebook and photograph the parts of it that are asked for."""
    guest.open(f"{pictures[0].notebook}.ipynb")
    guest.run_all()
    if problems := guest.failures() + guest.complaints():
        raise RuntimeError(f"{pictures[0].notebook}: {problems}")
    for picture in pictures:
        target = FOLDER / picture.file
        if isinstance(picture, Moving):
            size = film(guest, picture, target)
        else:
            photograph(guest, picture, target)
            size = shrink(target)
        print(f"docs/pictures/{picture.file}: {size // 1000} kB")


def photograph(guest: Visit, picture: Picture, target: Path) -> None:
    """Take one picture."""
    part = guest.page.locator(picture.selector).first
    part.scroll_into_view_if_needed()
    if picture.press:
        part.get_by_role("button", name=picture.press, exact=True).click()
        part.get_by_role("button", name=picture.press, pressed=True).wait_for()
    guest.photograph(target, part)


def film(guest: Visit, moving: Moving, target: Path) -> int:
    """Press the keys, take a picture after each, and store them as one GIF; returns its bytes."""
    part = guest.page.locator(moving.selector).first
    part.scroll_into_view_if_needed()
    frames = []
    with tempfile.TemporaryDirectory() as folder:
        for place, (testid, key) in enumerate(moving.keys):
            if place == 0 or testid != moving.keys[place - 1][0]:
                part.get_by_test_id(testid).focus()
            (guest.page.keyboard.press if key.isascii() else guest.page.keyboard.insert_text)(key)
            guest.page.wait_for_timeout(400)
            part.locator("[aria-busy=true]").wait_for(state="detached")
            guest.photograph(Path(folder) / "still.png", part)
            frame = Image.open(Path(folder) / "still.png").convert("RGB")
            frames.append(frame.crop((0, 0, frame.width, min(frame.height, int(moving.tall * SCALE)))))
    palette = frames[0].quantize(64)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(target, save_all=True, append_images=others, duration=FRAME_MS, loop=0, optimize=True)
    return target.stat().st_size


def shrink(path: Path) -> int:
    """Store a PNG with at most 256 colours, and smaller until it fits; returns its bytes."""
    picture = Image.open(path).convert("RGB")
    while True:
        packed = BytesIO()
        picture.quantize(256, dither=Image.Dither.NONE).save(packed, "png", optimize=True)
        if packed.tell() <= LARGEST or picture.width < 200:
            path.write_bytes(packed.getvalue())
            return packed.tell()
        picture = picture.resize((picture.width * 4 // 5, picture.height * 4 // 5), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

import io
import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import PIL.Image
import pytest
from IPython.display import Image, Markdown

from course_utils.viz import figure as figure_module
from course_utils.viz import plot_attention, show, theme, use_theme
from dev.figures import out_of_place


def drawn():
    return plot_attention([[0.1, 0.9], [0.5, 0.5]], ["나는", "배를"], ["나는", "[PAD]"])


def test_no_glyph_is_missing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn().set_title("한글 제목, 숫자 -1, [CLS] d_k·√")
        plt.gcf().savefig(io.BytesIO(), format="png")


def test_the_minus_sign_of_ticks_is_drawn():
    _, ax = plt.subplots()
    ax.plot([-3, 3], [-2, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.savefig(io.BytesIO(), format="png")
    assert any(label.get_text().startswith("-") for label in ax.get_xticklabels())


def test_a_glyph_that_is_missing_would_be_noticed():
    with mpl.rc_context({"font.family": "DejaVu Sans"}):
        drawn()
        with pytest.warns(UserWarning, match="Glyph .* missing"):
            plt.gcf().savefig(io.BytesIO(), format="png")


@pytest.fixture
def displayed(monkeypatch):
    shown = []
    monkeypatch.setattr(figure_module, "display", shown.append)
    return shown


@pytest.mark.parametrize("of", ["figure", "axes"])
def test_show_gives_a_picture_with_its_alternative_text_as_caption(displayed, of):
    ax = drawn()
    assert show(ax if of == "axes" else ax.figure, alt="배를은 먹었다를 봅니다.") is None
    picture, caption = displayed
    assert isinstance(picture, Image) and isinstance(caption, Markdown)
    data, metadata = picture._repr_mimebundle_()
    assert list(data) == ["image/png"]
    assert metadata.get("image/png", metadata)["alt"] == "배를은 먹었다를 봅니다."
    assert "배를은 먹었다를 봅니다." in caption.data
    assert not plt.get_fignums()  # closed: nothing is drawn twice, nothing piles up


def test_show_draws_finer_than_it_shows(displayed):
    show(drawn(), alt="마스크입니다.")
    picture = displayed[0]
    pixels = int.from_bytes(picture.data[16:20], "big")
    assert pixels >= 1.4 * picture.width


@pytest.mark.parametrize("wide", [7, 9, 12, 15])
def test_show_fits_a_small_laptop_with_letters_that_are_read_there(displayed, monkeypatch, wide):
    figure, _ = plt.subplots(1, 3, figsize=(wide, 4))
    drawn_at, draw = [], figure_module._drawn
    monkeypatch.setattr(figure_module, "_drawn", lambda *given: drawn_at.append(given[1]) or draw(*given))
    show(figure, alt="빈 축 셋입니다.")
    assert displayed[0].width <= 950
    # pixels of the screen, at theme's usual size
    letters = 12 / 72 * drawn_at[0] / figure_module.PIXELS_PER_DOT
    assert letters * min(1, 919 / displayed[0].width) > 12.5


def test_what_is_laid_out_keeps_its_room(displayed):
    figure, _ = plt.subplots(figsize=(14, 4))
    show(figure, alt="빈 축입니다.", laid_out=True)
    assert displayed[0].width <= 950 and tuple(figure.get_size_inches()) == (14, 4)


FACE = (255, 208, 208)


@pytest.mark.parametrize(("low", "times"), [(0.03, 1), (-0.4, 3)], ids=["on the page", "beyond it"])
def test_show_cuts_out_all_that_is_drawn_with_a_margin(displayed, monkeypatch, low, times):
    figure, ax = plt.subplots(figsize=(4, 3), layout=None, facecolor=tuple(level / 255 for level in FACE))
    ax.set(position=[0.3, 0.4, 0.3, 0.3], title="배", xlabel="자리")
    figure.text(0.5, low, "바다", color="#B91C1C")  # below: where a picture's rows and matplotlib's differ
    expected = io.BytesIO()
    figure.savefig(expected, dpi=150, bbox_inches="tight", pad_inches=0.1, facecolor="auto")
    expected = PIL.Image.open(expected).convert("RGB")
    drawings, draw = [], mpl.figure.Figure.draw
    monkeypatch.setattr(
        mpl.figure.Figure, "draw", lambda *given, **named: drawings.append(1) or draw(*given, **named)
    )
    show(figure, alt="빈 축과 글자 하나입니다.")
    assert len(drawings) == times
    picture = PIL.Image.open(io.BytesIO(displayed[0].data)).convert("RGB")
    assert all(abs(side - other) <= 1 for side, other in zip(picture.size, expected.size, strict=True))
    size = tuple(map(min, picture.size, expected.size))
    assert out_of_place(picture.crop((0, 0, *size)), expected.crop((0, 0, *size)), 2) <= 20
    assert {picture.getpixel((x, y)) for x in (0, picture.width - 1) for y in (0, picture.height - 1)} == {
        FACE
    }


def test_show_leaves_the_resolution_of_a_figure_that_pyplot_does_not_know(displayed):
    figure = mpl.figure.Figure(dpi=60)
    figure.subplots()
    show(figure, alt="빈 축입니다.")
    assert figure.dpi == 60


@pytest.mark.parametrize("low", [0.03, -0.4], ids=["on the page", "beyond it"])
def test_show_puts_what_is_transparent_on_white(displayed, low):
    figure = plt.figure(figsize=(2, 2), facecolor="none")
    figure.text(0.5, low, "바다")
    show(figure, alt="글자 하나입니다.")
    picture = PIL.Image.open(io.BytesIO(displayed[0].data)).convert("RGB")
    corners = [(0, 0), (picture.width - 1, picture.height - 1)]
    assert {picture.getpixel(corner) for corner in corners} == {(255, 255, 255)}


def test_show_keeps_every_shade_of_a_picture_with_many(displayed, monkeypatch):
    figure, ax = plt.subplots(figsize=(4, 3))
    figure.colorbar(ax.imshow(np.linspace(-1, 1, 900).reshape(30, 30), cmap=theme.SIGNED), ax=ax)
    kept, cut_out = [], figure_module._drawn
    monkeypatch.setattr(figure_module, "_drawn", lambda *given: kept.append(cut_out(*given)) or kept[0])
    show(figure, alt="부호가 있는 값들입니다.")
    picture = PIL.Image.open(io.BytesIO(displayed[0].data)).convert("RGB")
    worst = np.abs(np.asarray(picture, dtype=int) - np.asarray(kept[0], dtype=int)).max()
    assert worst <= 12  # of 255 levels; a median cut leaves colours some 50 away


@pytest.mark.parametrize("alt", ["", "   "])
def test_show_wants_an_alternative_text(displayed, alt):
    with pytest.raises(ValueError, match="alt must be a sentence"):
        show(drawn(), alt=alt)
    with pytest.raises(TypeError):
        show(drawn())
    assert displayed == []


def luminance(colour):
    channels = [
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in mpl.colors.to_rgb(colour)
    ]
    return float(np.dot([0.2126, 0.7152, 0.0722], channels))


def test_weights_get_darker_all_the_way():
    shades = [luminance(theme.WEIGHTS(x)) for x in np.linspace(0, 1, 101)]
    assert shades[0] == pytest.approx(1.0) and all(a > b for a, b in zip(shades, shades[1:], strict=False))


def test_lines_are_told_apart_by_dash_as_well_as_colour():
    cycle = list(mpl.rcParams["axes.prop_cycle"])
    assert [len({str(entry[kind]) for entry in cycle}) for kind in ("color", "linestyle")] == [7, 7]


def test_without_the_font_the_theme_says_what_to_do(monkeypatch):
    monkeypatch.setattr(theme.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match="make lab"):
        use_theme()

"""The harness must see what it is there to see."""

from pathlib import Path

import pytest

from tests.browser.conftest import pytest_collection_modifyitems
from tests.browser.harness import Lab, Visit, make_notebook


def test_errors_and_outside_requests_are_noticed(guest: Visit, lab: Lab) -> None:
    guest.open(make_notebook(lab.folder, ["1 / 0"]))
    guest.run_all()
    assert "ZeroDivisionError" in guest.failures()[0]
    guest.page.evaluate("() => fetch('http://example.org/x').catch(() => console.error('refused'))")
    guest.page.evaluate("() => { setTimeout(() => { throw new Error('thrown'); }); }")
    wanted = ("outside request: http://example.org/x", "refused", "thrown")
    for _ in range(300):
        found = "\n".join(guest.complaints())
        if all(part in found for part in wanted):
            break
        guest.page.wait_for_timeout(100)
    assert [part for part in wanted if part not in found] == []
    guest.forget()


def test_what_a_kernel_asks_of_the_network_is_noticed(guest: Visit, lab: Lab) -> None:
    ask = "from urllib.request import urlopen\ntry:\n    urlopen('http://example.org')\n"
    ask += "except OSError as refused:\n    print(refused)"
    guest.open(make_notebook(lab.folder, [ask]))
    guest.run_all()
    assert "ends at this machine: example.org" in guest.cell(0).text_content()
    assert guest.complaints() == ["outside request of a kernel: example.org"]
    guest.forget()


def test_stderr_is_noticed(guest: Visit, lab: Lab) -> None:
    guest.open(make_notebook(lab.folder, ["import warnings\nwarnings.warn('Glyph 48176 missing')"]))
    guest.run_all()
    assert "Glyph 48176 missing" in guest.failures()[0]


@pytest.mark.slow
@pytest.mark.rare
def test_run_all_waits_for_cells_that_are_not_in_the_page_yet(guest: Visit, lab: Lab) -> None:
    # As when another process takes all the time there is.
    guest.open(make_notebook(lab.folder, [""]))
    guest.page.evaluate(
        """() => {
          const idle = (window.promptly = window.requestIdleCallback.bind(window));
          window.requestIdleCallback = (call, options) => setTimeout(() => idle(call, options), 1500);
        }"""
    )
    guest.open(make_notebook(lab.folder, ["print('first')", *(["1\n" * 20] * 40), "print('last')"]))
    guest.run_all()
    # Asked once, without waiting.
    assert guest.cell(41).locator(".jp-OutputArea-output").all_text_contents() == ["last\n"]
    guest.page.evaluate("() => { window.requestIdleCallback = window.promptly; }")


@pytest.mark.rare
def test_themes_in_quick_succession_raise_no_error(guest: Visit) -> None:
    for theme in ("Dark", "Light", "Dark", "Light"):
        guest.use_theme(theme)
    guest.page.wait_for_timeout(500)
    assert guest.complaints() == []


@pytest.mark.rare
def test_after_a_change_of_theme_everything_has_its_place_again(guest: Visit, lab: Lab) -> None:
    # As on a busy machine: JupyterLab hides the page and shows it again in the next frame, which comes late.
    guest.open(make_notebook(lab.folder, ["1 + 1"]))
    guest.page.evaluate(
        """() => {
          const frame = (window.soon = window.requestAnimationFrame.bind(window));
          window.requestAnimationFrame = (call) => setTimeout(() => frame(call), 1000);
        }"""
    )
    guest.use_theme("Dark")
    assert guest.cell(0).bounding_box() is not None
    assert guest.page.locator("#jupyterlab-splash").count() == 0  # which would stand before what is looked at
    guest.page.evaluate("() => { window.requestAnimationFrame = window.soon; }")


@pytest.mark.axe
def test_barriers_are_noticed(guest: Visit, lab: Lab) -> None:
    guest.open(make_notebook(lab.folder, ["1 + 1"]))
    guest.run_all()
    assert guest.barriers(guest.cell(0).locator(".jp-OutputArea-output")) == []
    guest.page.evaluate(
        """() => document.querySelector('.jp-OutputArea-output').append(
          document.createElement('button'), Object.assign(document.createElement('p'),
            { textContent: 'pale', style: 'color: #ccc; background: #fff' }))"""
    )
    found = " ".join(guest.barriers(guest.cell(0).locator(".jp-OutputArea-output")))
    assert "button-name" in found and "color-contrast" in found
    output = guest.cell(0).locator(".jp-OutputArea-output")
    assert [barrier.split()[0] for barrier in guest.barriers(output, only=["color-contrast"])] == [
        "color-contrast"
    ]


class Collected:
    """A test as pytest_collection_modifyitems looks at it."""

    def __init__(self, file: str, name: str, *marks: str) -> None:
        self.path, self.originalname, self.marks = Path(__file__).with_name(file), name, set(marks)

    def get_closest_marker(self, name: str) -> bool:
        return name in self.marks

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks.add(mark.name)


def test_of_one_widget_the_first_test_and_those_marked_run_each_time() -> None:
    first, again = (Collected("test_widget_sieve.py", "test_by_mouse") for _ in range(2))  # two parameters
    other = Collected("test_widget_sieve.py", "test_by_keyboard")
    kept = Collected("test_widget_sieve.py", "test_two_views", "each_time")
    another = Collected("test_widget_wheel.py", "test_by_keyboard")
    common = [Collected("test_standard.py", name) for name in ("test_one", "test_two")]
    pytest_collection_modifyitems([*common, first, again, other, kept, another])
    assert other.marks == {"rare"} and kept.marks == {"each_time"}
    assert not any(test.marks for test in (*common, first, again, another))

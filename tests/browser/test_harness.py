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

"""The harness must see what it is there to see."""

from tests.browser.harness import Lab, Visit, make_notebook


def test_errors_and_outside_requests_are_noticed(guest: Visit, lab: Lab) -> None:
    guest.open(make_notebook(lab.folder, ["1 / 0"]))
    guest.run_all()
    assert "ZeroDivisionError" in guest.failures()[0]
    guest.page.evaluate("() => fetch('http://example.org/x').catch(() => console.error('refused'))")
    guest.page.evaluate("() => { setTimeout(() => { throw new Error('thrown'); }); }")
    guest.page.wait_for_timeout(300)
    found = "\n".join(guest.complaints())
    assert "outside request: http://example.org/x" in found and "refused" in found and "thrown" in found
    guest.console_errors.clear()
    guest.outside_requests.clear()


def test_stderr_is_noticed(guest: Visit, lab: Lab) -> None:
    guest.open(make_notebook(lab.folder, ["import warnings\nwarnings.warn('Glyph 48176 missing')"]))
    guest.run_all()
    assert "Glyph 48176 missing" in guest.failures()[0]

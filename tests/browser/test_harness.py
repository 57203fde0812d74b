"""The harness must see what it is there to see."""

from tests.browser.harness import Lab, Visit, make_notebook


def test_errors_and_outside_requests_are_noticed(fresh_guest: Visit, lab: Lab) -> None:
    fresh_guest.open(make_notebook(lab.folder, ["1 / 0"]))
    fresh_guest.run_all()
    assert "ZeroDivisionError" in fresh_guest.failures()[0]
    fresh_guest.page.evaluate("() => fetch('http://example.org/x').catch(() => console.error('refused'))")
    fresh_guest.page.evaluate("() => { setTimeout(() => { throw new Error('thrown'); }); }")
    fresh_guest.page.wait_for_timeout(300)
    found = "\n".join(fresh_guest.complaints())
    assert "outside request: http://example.org/x" in found and "refused" in found and "thrown" in found
    fresh_guest.forget()


def test_what_a_kernel_asks_of_the_network_is_noticed(fresh_guest: Visit, lab: Lab) -> None:
    ask = "from urllib.request import urlopen\ntry:\n    urlopen('http://example.org')\n"
    ask += "except OSError as refused:\n    print(refused)"
    fresh_guest.open(make_notebook(lab.folder, [ask]))
    fresh_guest.run_all()
    assert "ends at this machine: example.org" in fresh_guest.cell(0).text_content()
    assert fresh_guest.complaints() == ["outside request of a kernel: example.org"]
    fresh_guest.forget()


def test_stderr_is_noticed(fresh_guest: Visit, lab: Lab) -> None:
    fresh_guest.open(make_notebook(lab.folder, ["import warnings\nwarnings.warn('Glyph 48176 missing')"]))
    fresh_guest.run_all()
    assert "Glyph 48176 missing" in fresh_guest.failures()[0]

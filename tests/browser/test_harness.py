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

"""A real JupyterLab on loopback and a real Chromium in front of it, for browser tests and dev/pictures.py.

    with running_lab(folder) as lab, running_chromium() as browser, visit(browser, lab) as guest:
        guest.open("02_scaled_dot_product_attention.ipynb")
        guest.run_all()
        guest.widget("scaled_attention").screenshot(path=...)
        assert guest.complaints() == []

The repository is never written to: the server works on a copy of notebooks/ko, with Jupyter folders of its own.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, TimeoutError, expect, sync_playwright

from course_utils.support.paths import NOTEBOOKS, ROOT
from dev.browser_tools import ARGUMENTS, AXE, INSTALL, chromium
from dev.warm_kernels import warm_kernels

CLOSED = Path(__file__).parent / "closed_network"
SCREENSHOTS = Path(__file__).parent / "screenshots"
PICTURES = bool(os.environ.get("COURSE_PICTURES"))  # set by `make test-all`, or by hand
VIEWPORT = {"width": 1280, "height": 900}
START_SECONDS = 90
# The server can miss a kernel's first "idle" and keep saying "starting"; after this long the page's word decides.
SETTLE_SECONDS = 30
RUN_SECONDS = 900  # on two busy cores
DRAWN_SECONDS = 120  # after all has run
SMALL = "small.ipynb"
# A busy machine makes a page late, not wrong; unless told, Playwright expects an answer within 5 s.
expect.set_options(timeout=30_000)


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """The system's Chromium or Playwright's own, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab server."""

    url: str
    token: str
    folder: Path  # what it serves
    notes: Path  # a line for each host that the server or a kernel wanted to reach outside this machine

    def api(self, path: str, *, method: str = "GET", body: object = None) -> object:
        """Call the server's REST interface, e.g. api("api/kernels")."""
        request = urllib.request.Request(f"{self.url}/{path}", method=method)
        request.add_header("Authorization", f"token {self.token}")
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(request, data, timeout=30) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def use_theme(self, theme: str) -> None:
        """Choose JupyterLab's theme, "Light" or "Dark", for pages opened from now on."""
        settings = {"raw": json.dumps({"theme": f"JupyterLab {theme}"})}
        for attempt in range(5):
            try:
                self.api(
                    "lab/api/settings/@jupyterlab/apputils-extension:themes", method="PUT", body=settings
                )
                return
            except urllib.error.HTTPError:  # seen now and then (500) right after a page was closed
                if attempt == 4:
                    raise
                time.sleep(0.5)

    def shut_kernels_down(self, *notebooks: str) -> None:
        """End the kernels of these notebooks and their sessions; without a name, all."""
        for _ in range(START_SECONDS * 5):
            sessions = [own for own in self.api("api/sessions") if not notebooks or own["path"] in notebooks]
            if not sessions:
                return
            for session in sessions:
                # The server answers 500 while a kernel is still on its way up or down: look again a moment later.
                with suppress(urllib.error.HTTPError):
                    self.api(f"api/sessions/{session['id']}", method="DELETE")
            time.sleep(0.2)
        raise RuntimeError(f"kernels that do not end: {sessions}")


@contextmanager
def running_lab(folder: Path) -> Iterator[Lab]:
    """`jupyter lab` with the course's own settings, on a free port, serving a copy of the notebooks below `folder`."""
    served = folder / "notebooks"
    served.mkdir(parents=True)
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        copy_notebook(notebook, served / notebook.name)
    token = secrets.token_hex(16)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(CLOSED), str(ROOT), os.environ.get("PYTHONPATH")])),
        "COURSE_OUTSIDE_NOTES": str(folder / "outside.txt"),
        "COURSE_DATA_HOME": str(folder / "course_data"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
    }
    environment.pop("MPLBACKEND", None)  # notebooks choose their own
    with ExitStack() as kernels:
        if hasattr(os, "fork"):
            environment["JUPYTER_PATH"] = str(folder / "warm")
            _write_kernel(folder / "warm", kernels.enter_context(warm_kernels(environment)))
        yield from _lab(folder, environment, token)


def _write_kernel(folder: Path, command: list[str]) -> None:
    """Where Jupyter looks first: Python kernels that are started by this command."""
    kernel = {"argv": command, "display_name": "Python 3 (ipykernel)", "language": "python"}
    (folder / "kernels" / "python3").mkdir(parents=True)
    (folder / "kernels" / "python3" / "kernel.json").write_text(json.dumps(kernel), encoding="utf-8")


def _lab(folder: Path, environment: dict[str, str], token: str) -> Iterator[Lab]:
    """Start the server, give it, and end it."""
    served = folder / "notebooks"
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--config={ROOT / 'etc' / 'jupyter_lab_config.py'}",
        "--no-browser",
    ]
    command += [f"--ServerApp.root_dir={served}", "--ServerApp.port=0"]  # any that is free
    command += [f"--IdentityProvider.token={token}", "--LabApp.expose_app_in_browser=True"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    log = folder / "lab.log"
    with open(log, "wb") as sink:
        server = subprocess.Popen(command, env=environment, cwd=folder, stdout=sink, stderr=subprocess.STDOUT)
    try:
        lab = Lab(_url_of(server, folder / "runtime", log), token, served, folder / "outside.txt")
        yield lab
        lab.shut_kernels_down()
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _url_of(server: subprocess.Popen, runtime: Path, log: Path) -> str:
    """Where the server listens, which it writes down as soon as it does."""
    for _ in range(START_SECONDS * 5):
        if server.poll() is not None:
            break
        for note in runtime.glob("jpserver-*.json"):
            with suppress(ValueError):  # half written
                return f"http://127.0.0.1:{json.loads(note.read_text('utf-8'))['port']}"
        time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text('utf-8', 'replace')[-3000:]}")


def copy_notebook(source: Path, target: Path, *, cleared: Sequence[int] | None = None) -> None:
    """Copy a notebook without the outputs of the cleared cells, or of all, and with 심화 unfolded.

    A prompt with a number and an output come there from the run that is looked at.
    """
    notebook = json.loads(source.read_text("utf-8"))
    for index, cell in enumerate(notebook["cells"]):
        cell["metadata"].pop("jp-MarkdownHeadingCollapsed", None)
        if cell["cell_type"] == "code" and (cleared is None or index in cleared):
            cell["execution_count"], cell["outputs"] = None, []
    target.write_text(json.dumps(notebook, ensure_ascii=False), "utf-8")


def make_notebook(folder: Path, cells: Sequence[str]) -> str:
    """Write a small notebook with these code cells into `folder` (the lab's) and return its name, always the same.

    A page that has the name open takes the new cells from the disk (Visit.open), and its kernel stays.
    """
    code = [
        {
            "cell_type": "code",
            "id": f"cell-{i}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": cell,
        }
        for i, cell in enumerate(cells)
    ]
    # Without a kernelspec JupyterLab asks for a kernel in a dialogue that blocks the page.
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    notebook = {"cells": code, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / SMALL).write_text(json.dumps(notebook, ensure_ascii=False), "utf-8")
    return SMALL


def summary(widget: Locator) -> Locator:
    """The line of a widget that says in words what is seen."""
    return widget.get_by_test_id("summary")


@dataclass
class Visit:
    """One page in front of the lab, and a record of what it did."""

    page: Page
    lab: Lab
    console_errors: list[str] = field(default_factory=list)
    outside_requests: list[str] = field(default_factory=list)
    notebook: str = ""  # what is open

    def open(self, name: str) -> None:
        """Open a notebook of the lab's folder and wait until its kernel is ready.

        Loading JupyterLab takes longer than most tests, so its page stays: the notebook that is open already is read
        again from the disk, another takes its place. A course notebook's kernel ends then; the small one's stays.
        """
        before, self.notebook = self.notebook, name
        if name == before:
            self.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.revert()")
        elif before:
            self.page.evaluate(_OPEN_INSTEAD, name)
            if before != SMALL:
                self.lab.shut_kernels_down(before)
        else:
            self.page.goto(f"{self.lab.url}/lab/tree/{name}?reset&token={self.lab.token}")
        self.page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=START_SECONDS * 1000)
        # Both ends: the server's kernel is up and connected, and the page has heard of it.
        for _ in range(SETTLE_SECONDS * 5):
            kernels = []
            with suppress(urllib.error.HTTPError):  # 500 while a kernel is on its way up
                # This notebook's own: another page's kernel may be ready long before.
                kernels = [own["kernel"] for own in self.lab.api("api/sessions") if own["path"] == name]
            if kernels and all(k["execution_state"] == "idle" and k["connections"] for k in kernels):
                break
            self.page.wait_for_timeout(200)
        self.page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for(
            timeout=START_SECONDS * 1000
        )

    def use_theme(self, theme: str) -> None:
        """Change JupyterLab's theme, "Light" or "Dark", under the open page."""
        if not self.notebook:
            self.open(make_notebook(self.lab.folder, [""]))
        # JupyterLab covers each change with a splash for 200 ms. Another within takes it away twice: an uncaught error.
        # When a page has just been loaded, the splash is still there, too.
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")
        change = "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
        self.page.evaluate(change, f"JupyterLab {theme}")
        light = str(theme == "Light").lower()
        self.page.locator(f"body[data-jp-theme-light={light}]").wait_for(state="attached")
        # JupyterLab then hides the whole page until the next frame: nothing in it has a place or a colour meanwhile.
        self.page.locator("#main").wait_for(state="visible")
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")

    def show_files(self, shown: bool) -> None:
        """Open or put away the list of files at the left."""
        self.page.wait_for_function(_FILES_ARE, arg=shown, polling=100)

    def settle(self) -> None:
        """Return when no widget has changed its size or its parts' for a while, e.g. after the page's size did."""
        self.page.evaluate(_SETTLED)

    def forget(self) -> None:
        """Clear the record of complaints."""
        self.console_errors.clear()
        self.outside_requests.clear()
        self.lab.notes.unlink(missing_ok=True)

    def refresh(self) -> None:
        """Back to how a page begins, but for what is open: size, theme, and nothing on record."""
        self.forget()
        self.page.set_viewport_size(VIEWPORT)
        self.page.mouse.move(0, 0)
        if self.notebook and self.page.locator("body[data-jp-theme-light=false]").count():
            self.use_theme("Light")
        if self.notebook:
            self.show_files(True)

    def menu(self, menu: str, item: str) -> None:
        """Choose an item of the menu bar, as a person does."""
        self.page.locator(".lm-MenuBar-itemLabel", has_text=menu).first.click()
        self.page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()

    def run_all(self, *, by_menu: bool = False) -> None:
        """Run All Cells, on request by the menu Run; returns when every code cell has finished and all is drawn."""
        if by_menu:
            self.menu("Run", "Run All Cells")
        else:
            self.page.evaluate(_RUN_ALL)
        self._wait_until_drawn()

    def run_cells(self, indices: Sequence[int]) -> None:
        """Run these cells alone; the others must show the outputs of an earlier run. Returns as run_all does."""
        self.page.evaluate(_RUN_CELLS, list(indices))
        self._wait_until_drawn()

    def _wait_until_drawn(self) -> None:
        try:
            # Asked at every frame, as is the default, the question itself would keep the page busy.
            self.page.wait_for_function(_ALL_CELLS_RAN, timeout=RUN_SECONDS * 1000, polling=100)
        except TimeoutError as late:
            self.screenshot("timeout", always=True)
            states = [kernel["execution_state"] for kernel in self.lab.api("api/kernels")]
            found = f"kernels {states}, {self.complaints()}, {self.failures()}; see screenshots/timeout.png"
            raise AssertionError(f"not every cell ran within {RUN_SECONDS} s: {found}") from late
        # Cells and outputs are drawn, and the models of widgets arrive, a moment after the kernel has finished.
        try:
            self.page.wait_for_function(
                f"() => !({_NOT_DRAWN})().length", timeout=DRAWN_SECONDS * 1000, polling=100
            )
        except TimeoutError as late:
            self.screenshot("timeout", always=True)
            found = f"{self.page.evaluate(_NOT_DRAWN)}, {self.complaints()}; see screenshots/timeout.png"
            raise AssertionError(
                f"every cell ran, but {DRAWN_SECONDS} s later this is not drawn: {found}"
            ) from late

    def widget(self, testid: str) -> Locator:
        """The first widget with this name (CourseWidget.name)."""
        return self.page.get_by_test_id(testid).first

    def barriers(self, part: Locator, *, only: Sequence[str] = ()) -> list[str]:
        """What axe-core calls serious or critical in the elements found, a sentence each; letters only in the first.

        Args:
            part: where to look.
            only: the rules to ask; none: all.

        Raises:
            FileNotFoundError: if axe-core is not installed.
        """
        if not AXE.exists():
            raise FileNotFoundError(f"no axe-core found: {INSTALL}")
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE.read_text("utf-8"))
        with self._room_for(part.first):
            return part.evaluate_all(_FIND_BARRIERS, list(only))

    def cell(self, index: int) -> Locator:
        """The notebook's cell at this index, markdown cells counted."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def outputs(self, mime_type: str) -> Locator:
        """All outputs of this type, e.g. image/png."""
        return self.page.locator(f".jp-OutputArea-output[data-mime-type='{mime_type}']")

    def failures(self) -> list[str]:
        """The text of every error output and of everything on stderr."""
        types = [f"application/vnd.jupyter.{kind}" for kind in ("error", "stderr")]
        return [text for mime_type in types for text in self.outputs(mime_type).all_text_contents()]

    def complaints(self) -> list[str]:
        """Console errors, uncaught page errors and requests that would have left the machine, the kernels' too."""
        notes = self.lab.notes.read_text("utf-8").splitlines() if self.lab.notes.exists() else []
        return (
            [f"console: {error}" for error in self.console_errors]
            + [f"outside request: {url}" for url in self.outside_requests]
            + [f"outside request of a kernel: {host}" for host in notes]
        )

    def screenshot(self, name: str, *, of: Locator | None = None, always: bool = False) -> None:
        """Write screenshots/<name>.png of the page or of one element, for people to look at, where they ask for it."""
        if not (PICTURES or always):
            return
        SCREENSHOTS.mkdir(exist_ok=True)
        self.photograph(SCREENSHOTS / f"{name}.png", of)

    def photograph(self, path: Path, of: Locator | None = None) -> None:
        """Write a picture of the page or of one element, also of one that is taller than the page."""
        if of is None:
            self.page.screenshot(path=path, animations="disabled")
            return
        with self._room_for(of):
            of.screenshot(path=path, animations="disabled")

    @contextmanager
    def _room_for(self, part: Locator) -> Iterator[None]:
        """Make the page so tall that the whole element is in sight."""
        size = self.page.viewport_size
        part.scroll_into_view_if_needed()  # waits until it is there and keeps its place
        tall = int(part.bounding_box()["height"]) + 250  # JupyterLab's bars
        if tall > size["height"]:
            self.page.set_viewport_size({"width": size["width"], "height": tall})
        part.scroll_into_view_if_needed()
        try:
            yield
        finally:
            self.page.set_viewport_size(size)


# JupyterLab puts each cell beyond the first screen into the page when the browser says that it is idle. Beside another
# Chromium this one, though idle, says so every 3 s only, when JupyterLab's patience ends: minutes for a long notebook.
_IDLE_SOON = """
window.requestIdleCallback = (call) => setTimeout(() => call({ didTimeout: true, timeRemaining: () => 50 }), 20);
window.cancelIdleCallback = (asked) => clearTimeout(asked);
"""

_OPEN_INSTEAD = """async (name) => {
  const { commands, shell } = window.jupyterapp;
  shell.currentWidget.dispose(); // without the question whether to save
  await commands.execute('docmanager:open', { path: name });
}"""

# Is not waited for: it ends with the last cell.
_RUN_ALL = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"

_RUN_CELLS = """(indices) => {
  const { commands, shell } = window.jupyterapp;
  const { content } = shell.currentWidget;
  content.deselectAll();
  content.activeCellIndex = indices[0];
  indices.forEach((index) => content.select(content.widgets[index]));
  commands.execute('notebook:run-cell'); // is not waited for: it ends with the last cell
}"""

# Asked again until it is so: JupyterLab itself puts the list away or brings it back when the page changes its width.
_FILES_ARE = """(shown) => {
  const { shell } = window.jupyterapp;
  if (document.querySelector('#jp-left-stack').checkVisibility() === shown) return true;
  if (shown) shell.expandLeft();
  else shell.collapseLeft();
  return false;
}"""

# Frames, not seconds: on a busy machine all that a change of size sets off comes later, frame by frame.
_SETTLED = """async () => {
  const parts = '.course-widget, .course-widget svg, .course-stage *';
  const sizes = () => [...document.querySelectorAll(parts)].slice(0, 500)
    .map((node) => { const { x, width, height } = node.getBoundingClientRect(); return [x, width, height]; }).join();
  for (let before = sizes(), still = 0; still < 15;) {
    await new Promise(requestAnimationFrame);
    const now = sizes();
    still = now === before ? still + 1 : 0;
    before = now;
  }
}"""

# Of the models: a cell that is not in the page yet has one, too.
_ALL_CELLS_RAN = """() => window.jupyterapp.shell.currentWidget.content.widgets.every(({ model }) =>
  model.type !== 'code' || !model.sharedModel.getSource().trim() ||
    (model.executionCount && model.executionState === 'idle')) &&
  document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status === 'idle'"""

_NOT_DRAWN = """() => {
  const drawn = {
    'image/png': (output) => output.querySelector('img')?.naturalWidth,
    'text/markdown': (output) => output.childElementCount,
    'application/vnd.jupyter.widget-view+json': (output) =>
      output.querySelector('.jupyter-widgets, .course-widget') &&
      !/Loading widget|Error displaying widget|Error creating widget/.test(output.textContent),
  };
  return window.jupyterapp.shell.currentWidget.content.widgets.flatMap((cell, i) => {
    if (!cell.node.isConnected || cell.isPlaceholder()) return [`cell ${i}`];
    if (!cell.outputArea) return [];
    if (cell.outputArea.widgets.length < cell.outputArea.model.length) return [`an output of cell ${i}`];
    return [...cell.node.querySelectorAll('.jp-OutputArea-output')]
      .filter((output) => !(drawn[output.dataset.mimeType]?.(output) ?? true))
      .map((output) => `${output.dataset.mimeType} of cell ${i}: ${output.innerText.slice(0, 200)}`);
  });
}"""


# JupyterLab's body has no height and hides what flows over: axe takes its text for invisible, and looks at no contrast.
_FIND_BARRIERS = """async (parts, rules) => {
  document.body.style.height = '100vh';
  const only = rules.length ? { runOnly: rules } : {};
  const found = await axe.run(parts, { resultTypes: ['violations'], ...only });
  document.body.style.height = '';
  return found.violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .flatMap(({ id, help, nodes }) => nodes.map((node) =>
    `${id} (${help}): ${node.html.slice(0, 160)} ${node.any.map(({ message }) => message).join('; ')}`));
}"""


@contextmanager
def visit(browser: Browser, lab: Lab, *, scale: float = 1) -> Iterator[Visit]:
    """A fresh page; its kernels end with it. Whatever it asks of another host is refused and recorded."""
    ours = urlsplit(lab.url).netloc
    context = browser.new_context(
        viewport=VIEWPORT, device_scale_factor=scale, reduced_motion="reduce", service_workers="block"
    )
    context.add_init_script(_IDLE_SOON)
    page = context.new_page()
    guest = Visit(page, lab)

    def outside(url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme not in ("data", "blob", "about") and parts.netloc != ours

    def refuse(route) -> None:
        guest.outside_requests.append(route.request.url)
        route.abort()

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error":
            guest.console_errors.append(f"{message.text} ({message.location.get('url', '')})")

    context.route(outside, refuse)
    page.on("websocket", lambda socket: outside(socket.url) and guest.outside_requests.append(socket.url))
    page.on("console", listen)
    page.on("pageerror", lambda error: guest.console_errors.append(f"uncaught: {error.stack or error}"))
    try:
        yield guest
    finally:
        context.close()
        if guest.notebook:
            lab.shut_kernels_down(guest.notebook, SMALL)

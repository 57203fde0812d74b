"""JupyterLab's settings for the course: nothing is fetched from outside, and no prompt stands in the way.

Used by `make lab` and by the browser tests. The token, the port and the theme stay JupyterLab's own.
"""

import json
import os
import re
from pathlib import Path

c = get_config()  # noqa: F821  (given by traitlets)

# The file browser and the kernels see the checkout, wherever the server was started.
c.ServerApp.root_dir = str(Path(__file__).resolve().parent.parent)
c.ServerApp.ip = "127.0.0.1"

# In a container there is often no user but root; the server listens on loopback only and asks for its token.
c.ServerApp.allow_root = True

# No news prompt, no look for updates, no list of extensions from a package index.
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"

# A kernel computes with one core fewer than there are. A thread that waits for another one spins; where a browser or a
# call takes a core, that other one does not run. Notebook 16 on two cores, alone and beside one busy core: two threads
# 78 to 98 s and more than 430; two that sleep while they wait (OMP_WAIT_POLICY=PASSIVE) 139 and 127; one thread 127 and
# 127. torch reads this when it is imported.
cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores - 1)))

# A machine in a school has many users: what the server and the kernels say to each other is encrypted.
c.MappingKernelManager.transport_encryption = "auto"
# The question "Would you like to get notified about official Jupyter news?" is asked by the page itself, whatever
# news_url says; its default is answered in lab/overrides.json. A learner's own setting still comes first.
c.LabApp.app_settings_dir = str(Path(__file__).resolve().parent / "lab")

# How the page looks: lab/custom, and before a projector (`make lab LECTURE=1`) lab/lecture, which builds on it.
LECTURE = os.environ.get("COURSE_LECTURE") == "1"
STYLES = [str(Path(__file__).resolve().parent / "lab" / name) for name in ("lecture", "custom")]
c.LabApp.custom_css = True
c.ServerApp.tornado_settings = {"static_custom_path": STYLES if LECTURE else STYLES[1:]}

# The address that is opened, and printed for those whose browser does not open by itself: the course's first page. In
# JupyterLab's simple interface (/doc) the file list is closed.
c.LabApp.default_url = f"/{'doc' if LECTURE else 'lab'}/tree/notebooks/ko/00_start_here.ipynb"

# Notebooks are saved with their widgets (lab/overrides.json), so that these are seen before a kernel runs. JupyterLab
# saves just those that a kernel answers: reopened and saved again, a notebook would lose them. And all that it answers:
# of a cell run ten times, ten.
STATE, VIEW = (f"application/vnd.jupyter.widget-{part}+json" for part in ("state", "view"))


def keep_widgets(model, path, contents_manager, **_):
    """Save each widget that the outputs show, as it is or as it was in the file, with what it refers to; no others."""
    widgets = model["type"] == "notebook" and model["content"]["metadata"].get("widgets", {}).get(STATE)
    if not widgets:
        return
    known = {}
    try:
        saved = json.loads(Path(contents_manager._get_os_path(path)).read_text("utf-8"))
        known = saved["metadata"]["widgets"][STATE]["state"]
    except (OSError, ValueError, KeyError):
        pass  # a new file, or one without widgets
    known = known | widgets["state"]
    outputs = [output for cell in model["content"]["cells"] for output in cell.get("outputs", [])]
    shown = [output["data"][VIEW]["model_id"] for output in outputs if VIEW in output.get("data", {})]
    widgets["state"] = {}
    while shown:
        name = shown.pop()
        if name in known and name not in widgets["state"]:
            widgets["state"][name] = known[name]
            shown += re.findall(r"IPY_MODEL_(\w+)", json.dumps(known[name]))


c.ContentsManager.pre_save_hook = keep_widgets

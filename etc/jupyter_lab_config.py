"""JupyterLab's settings for the course: nothing is fetched from outside, and no prompt stands in the way.

Used by `make lab` and by the browser tests. The token, the port and the theme stay JupyterLab's own.
"""

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

# A machine in a school has many users: what the server and the kernels say to each other is encrypted.
c.MappingKernelManager.transport_encryption = "auto"
# The question "Would you like to get notified about official Jupyter news?" is asked by the page itself, whatever
# news_url says; its default is answered in lab/overrides.json. A learner's own setting still comes first.
c.LabApp.app_settings_dir = str(Path(__file__).resolve().parent / "lab")

# The address that is opened, and printed for those whose browser does not open by itself: the course's first page.
c.LabApp.default_url = "/lab/tree/notebooks/ko/00_start_here.ipynb"

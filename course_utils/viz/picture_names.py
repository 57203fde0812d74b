"""Alternative texts for the pictures in JupyterLab, which drops those of image outputs (seen in 4.6).

The caption that show() prints below a picture says the same; a screen reader that lands on the picture must hear it.
"""

from __future__ import annotations

from IPython import get_ipython
from IPython.display import publish_display_data

NAME_PICTURES = """(() => {
  if (window.coursePictures) return;
  const name = () => document.querySelectorAll(".jp-RenderedImage img:not([alt])").forEach((picture) => {
    const caption = picture.closest(".jp-OutputArea-child")?.nextElementSibling?.querySelector("em");
    if (caption) picture.alt = caption.textContent;
  });
  window.coursePictures = new MutationObserver(name);
  window.coursePictures.observe(document.body, { childList: true, subtree: true });
  name();
})();"""


def name_pictures() -> None:
    """From here on every picture of the page that has a caption carries it as its alternative text.

    Outside a notebook nothing happens.
    """
    if get_ipython() is not None:
        publish_display_data({"application/javascript": NAME_PICTURES})

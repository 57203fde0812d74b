// Shows a widget on a page of its own (standalone.py). In place of the kernel's model stands the widget's state, kept
// here.
export function showAlone(widget) {
  const state = JSON.parse(document.getElementById("state").textContent);
  for (const [name, value] of Object.entries(state)) {
    if (typeof value?.base64 !== "string") continue;
    state[name] = new DataView(Uint8Array.from(atob(value.base64), (letter) => letter.charCodeAt(0)).buffer);
  }
  const listeners = [];
  const model = {
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      for (const [event, listener] of [...listeners]) {
        if (event === "change" || event === `change:${name}`) listener();
      }
    },
    on: (event, listener) => listeners.push([event, listener]),
    off(event, listener) {
      const place = listeners.findIndex(([name, own]) => name === event && own === listener);
      if (place >= 0) listeners.splice(place, 1);
    },
    save_changes() {},
    send() {},
  };
  // The colours of the widgets follow JupyterLab's mark of its theme; here it follows the reader's choice.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const mark = () => (document.body.dataset.jpThemeLight = String(!dark.matches));
  dark.addEventListener("change", mark);
  mark();
  widget.render({ model, el: document.getElementById("widget") });
}

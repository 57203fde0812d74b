// What the widgets of the course share. A widget's view.js imports from here and ends in
// `export default courseWidget(build)`. Text reaches the page as text nodes only, never as markup.

const SVG = "http://www.w3.org/2000/svg";

// make("p", {class: "note"}, "text", node) and svg("circle", {r: 3}): new elements; a string becomes a text node.
export const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, ...children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, ...children);

export function fill(node, attributes = {}, ...children) {
  for (const [name, value] of Object.entries(attributes)) {
    const written = value === true ? "" : String(value);
    if (value === false || value === undefined) node.removeAttribute(name);
    else if (node.getAttribute(name) !== written) node.setAttribute(name, written);
  }
  if (children.length) node.replaceChildren(...children);
  return node;
}

// Write only what is new: the browser lays out again whatever is written.
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// As many children as there are items: those that are there are kept and updated, others made first.
export function each(parent, items, build, update) {
  items.forEach((item, place) => {
    if (!parent.children[place]) parent.append(build(place));
    update(parent.children[place], item, place);
  });
  while (parent.childElementCount > items.length) parent.lastElementChild.remove();
}

// Listens until the widget is gone.
export function on({ signal }, node, event, listener) {
  node.addEventListener(event, listener, { signal });
}

// A template with these facts in it.
export const filled = (template, facts) => template.replace(/\{(\w+)\}/g, (_, name) => facts[name]);

export const number = (value, digits = 2) =>
  value
    .toFixed(digits)
    .replace(/^-(?=[0.]*$)/, "")
    .replace("-", "−");
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// A widget from build(view) -> draw(picture), or -> {draw, follow}: follow(picture) is called when an input has changed
// and its picture has not come yet, and moves what must not wait for Python. The view: {model, words, constants, controls,
// stage, signal, send, onChange}; a build that sets view.tells writes the summary itself.
export function courseWidget(build) {
  return {
    render({ model, el }) {
      const stop = new AbortController();
      const words = model.get("labels");
      const controls = make("div", { class: "course-controls" });
      const stage = make("div", { class: "course-stage" });
      const summary = make("p", { class: "course-summary", role: "status", "aria-live": "polite" });
      fill(summary, { "data-testid": "summary" });
      const error = make("p", { class: "course-error", role: "alert", "data-testid": "error" });
      const root = make("section", {
        class: "course-widget",
        role: "group",
        "aria-label": words.title,
        "data-testid": model.get("_course_name"),
        "data-lm-suppress-shortcuts": "true", // JupyterLab's single-letter shortcuts
      });
      // A notebook in command mode takes plain keys such as the arrows for itself; here they belong to the controls.
      on(stop, root, "keydown", (event) => {
        const plain = !(event.ctrlKey || event.metaKey || event.altKey) && !["Escape", "Enter"].includes(event.key);
        if (plain) event.stopPropagation();
      });
      const note = words.note ? [make("p", { class: "course-note" }, words.note)] : [];
      const head = make("div", { class: "course-head" }, make("p", { class: "course-title" }, words.title));
      const stopped = make("p", { class: "course-stopped", role: "status", "data-testid": "stopped" });
      root.append(head, stopped, controls, ...note, stage, error, summary);
      el.replaceChildren(root);

      const listeners = [];
      const onChange = (listener) => listeners.push(listener);
      const constants = model.get("_constants");
      const send = sender(model, stop.signal);
      const view = { model, words, constants, controls, stage, signal: stop.signal, onChange, send };
      lectureSwitch(view, root, head);
      const built = build(view);
      const { draw, follow } = built instanceof Function ? { draw: built } : built;
      let drawn = null;
      const refresh = () => {
        for (const listener of listeners) listener();
        for (const [line, name] of [...(view.tells ? [] : [[summary, "summary"]]), [error, "error"]]) {
          write(line, model.get(name));
        }
        const picture = model.get("picture");
        if (!Object.keys(picture).length) return;
        if (picture === drawn) follow?.(picture);
        else {
          drawn = picture;
          draw(picture);
        }
      };
      // After what is under way: Python hears of an input before it is followed here, and many changes are drawn once.
      let asked = false;
      const soon = () => {
        if (!asked)
          queueMicrotask(() => {
            asked = false;
            if (!stop.signal.aborted) refresh();
          });
        asked = true;
      };
      model.on("change", soon);
      refresh();
      const leave = whileAlive(model, (alive) => {
        for (const part of [controls, stage]) fill(part, { inert: !alive });
        write(stopped, alive ? "" : words.stopped);
      });
      return () => {
        stop.abort();
        model.off("change", soon);
        leave();
      };
    },
  };
}

// Says whether a kernel answers this widget, now and when that ends: the kernel was started anew, or shut down, or the
// widget comes from the saved notebook. The model hides it; its layout, made and left with it, does not. What stops it
// is given back.
function whileAlive(model, say) {
  const layout = model.get("layout");
  const kernel = model.widget_manager?.context?.sessionContext?.kernelChanged; // JupyterLab's
  let left = false;
  const look = () => say(!left && layout?.comm_live !== false);
  const leave = () => {
    left = true;
    look();
  };
  layout?.on?.("comm_live_update", look);
  kernel?.connect(leave);
  look();
  return () => {
    layout?.off?.("comm_live_update", look);
    kernel?.disconnect(leave);
  };
}

// The button that shows all widgets of the page in large; what Python says (lecture.py) holds until it is pressed.
function lectureSwitch(view, root, head) {
  const { model, words } = view;
  const page = document.documentElement;
  const look = { type: "button", class: "course-lecture-switch", "data-testid": "lecture" };
  const node = make("button", look, words.lecture);
  const show = () => {
    const on = page.dataset.courseLecture ? page.dataset.courseLecture === "on" : model.get("_lecture");
    root.classList.toggle("course-lecture", on);
    fill(node, { "aria-pressed": String(on) });
  };
  on(view, node, "click", () => {
    page.dataset.courseLecture = root.classList.contains("course-lecture") ? "off" : "on";
    document.dispatchEvent(new Event("course-lecture"));
  });
  on(view, document, "course-lecture", show);
  head.append(node);
  show();
}

// send({trait: value, …}): Python hears of it at once, and then once a frame; right after that the picture follows here.
function sender(model, signal) {
  let frame = 0;
  let waiting = false;
  signal.addEventListener("abort", () => cancelAnimationFrame(frame));
  const save = () => {
    waiting = false;
    model.save_changes();
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (waiting) save();
    });
  };
  return (values) => {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    if (frame) waiting = true;
    else save();
  };
}

// Title, controls and the switch of lecture mode share a line where there is room: for a widget that needs the height.
export function compact({ controls, stage }) {
  const root = stage.parentElement;
  root.classList.add("course-compact");
  root.querySelector(".course-head").append(controls);
}

// Less air and smaller letters in lecture mode: for a widget that has much to show; with `low` also lower controls.
export function dense({ stage }, { low = false } = {}) {
  stage.parentElement.classList.add("course-dense", ...(low ? ["course-low"] : []));
}

// A table with a row of heads and a body.
export function table(attributes, heads, body = make("tbody")) {
  const cells = heads.map((head) => (head instanceof Node ? head : make("th", { scope: "col" }, head)));
  return make("table", attributes, make("thead", {}, make("tr", {}, ...cells)), body);
}

// A row of it: its head and so many cells.
export function row(cells, attributes = {}) {
  return make("tr", attributes, make("th", { scope: "row" }), ...Array.from({ length: cells }, () => make("td")));
}

// What is a stop for the Tab key, because it can be scrolled.
export function scrolled(look, label, ...children) {
  return make("div", { class: look, tabindex: 0, role: "region", "aria-label": label }, ...children);
}

// A link to another notebook of the same folder: JupyterLab opens it in a tab beside, as links in its text; any other page
// follows it.
export function door({ model }, file, words) {
  const node = make("a", { class: "course-door", href: `${file}.ipynb` }, words);
  const { context, rendermime } = model.widget_manager ?? {}; // JupyterLab's: of the notebook that shows this widget
  if (context?.path) rendermime?.linkHandler?.handleLink(node, context.path.replace(/[^/]*$/, `${file}.ipynb`));
  return node;
}

// Calls when one of the nodes changes its size.
export function watch({ signal }, call, ...nodes) {
  const observer = new ResizeObserver(call);
  for (const node of nodes) observer.observe(node);
  signal.addEventListener("abort", () => observer.disconnect());
}

// Scrolls a box, and nothing around it, so far that a part of it is in sight.
export function reveal(box, { offsetTop, offsetHeight }) {
  box.scrollTop = clamp(box.scrollTop, offsetTop + offsetHeight - box.clientHeight, offsetTop);
}

// A titled panel of the stage.
export function panel(view, title, ...children) {
  const node = make("figure", { class: "course-panel" }, make("figcaption", {}, title), ...children);
  view.stage.append(node);
  return node;
}

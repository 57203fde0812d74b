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
      const summary = make("p", {
        class: "course-summary",
        role: "status",
        "aria-live": "polite",
        "data-testid": "summary",
      });
      const error = make("p", { class: "course-error", role: "alert", "data-testid": "error" });
      const root = make("section", {
        class: "course-widget",
        role: "group",
        "aria-label": words.title,
        "data-testid": model.get("_course_name"),
        "data-lm-suppress-shortcuts": "true", // JupyterLab's single-letter shortcuts
      });
      // A notebook in command mode takes plain keys such as the arrows for itself; here they belong to the controls.
      root.addEventListener(
        "keydown",
        (event) => {
          const plain = !(event.ctrlKey || event.metaKey || event.altKey) && !["Escape", "Enter"].includes(event.key);
          if (plain) event.stopPropagation();
        },
        { signal: stop.signal },
      );
      const note = words.note ? [make("p", { class: "course-note" }, words.note)] : [];
      const head = make("div", { class: "course-head" }, make("p", { class: "course-title" }, words.title));
      root.append(head, controls, ...note, stage, error, summary);
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
      return () => {
        stop.abort();
        model.off("change", soon);
      };
    },
  };
}

// The button that shows all widgets of the page in large; what Python says (lecture.py) holds until it is pressed.
function lectureSwitch({ model, words, signal }, root, head) {
  const page = document.documentElement;
  const node = make(
    "button",
    { type: "button", class: "course-lecture-switch", "data-testid": "lecture" },
    words.lecture,
  );
  const show = () => {
    const on = page.dataset.courseLecture ? page.dataset.courseLecture === "on" : model.get("_lecture");
    root.classList.toggle("course-lecture", on);
    fill(node, { "aria-pressed": String(on) });
  };
  node.addEventListener(
    "click",
    () => {
      page.dataset.courseLecture = root.classList.contains("course-lecture") ? "off" : "on";
      document.dispatchEvent(new Event("course-lecture"));
    },
    { signal },
  );
  document.addEventListener("course-lecture", show, { signal });
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

// Controls: each shows one trait, sends it, and adds itself to the row of controls (or to `into`).

// A slider; toPosition and toValue turn the trait into the slider's own scale and back, say puts it into words.
export function slider(
  view,
  trait,
  { label, min, max, step, toPosition = Number, toValue = Number, say = String, into },
) {
  const input = make("input", { type: "range", min, max, step, "data-testid": trait });
  const shown = make("output", { "aria-hidden": "true" });
  input.addEventListener("input", () => view.send({ [trait]: toValue(Number(input.value)) }), { signal: view.signal });
  view.onChange(() => {
    const value = view.model.get(trait);
    input.value = toPosition(value);
    write(shown, say(value));
    fill(input, { "aria-valuetext": say(value) });
  });
  return add(view, into, make("label", { class: "course-control" }, make("span", {}, label), input, shown));
}

export function checkbox(view, trait, { label, into }) {
  const input = make("input", { type: "checkbox", "data-testid": trait });
  input.addEventListener("change", () => view.send({ [trait]: input.checked }), { signal: view.signal });
  view.onChange(() => (input.checked = view.model.get(trait)));
  return add(view, into, make("label", { class: "course-control" }, input, make("span", {}, label)));
}

export function textBox(view, trait, { label, into }) {
  const input = make("input", { type: "text", spellcheck: "false", autocomplete: "off", "data-testid": trait });
  input.addEventListener("input", () => view.send({ [trait]: input.value }), { signal: view.signal });
  view.onChange(() => {
    // What is being typed stays, also while it is refused.
    if (document.activeElement !== input) input.value = view.model.get(trait);
  });
  return add(view, into, make("label", { class: "course-control course-wide" }, make("span", {}, label), input));
}

// One of several; options: [[value, words], …].
export function choice(view, trait, { label, options, into }) {
  const input = make(
    "select",
    { "data-testid": trait },
    ...options.map(([, words], index) => make("option", { value: index }, words)),
  );
  input.addEventListener("change", () => view.send({ [trait]: options[input.value][0] }), { signal: view.signal });
  view.onChange(() => (input.value = options.findIndex(([value]) => value === view.model.get(trait))));
  return add(view, into, make("label", { class: "course-control" }, make("span", {}, label), input));
}

export function button(view, { label, testid, press, into }) {
  const node = make("button", { type: "button", "data-testid": testid }, label);
  node.addEventListener("click", press, { signal: view.signal });
  return add(view, into, node);
}

export function add(view, into, node) {
  (into ?? view.controls).append(node);
  return node;
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

// A titled panel of the stage.
export function panel(view, title, ...children) {
  const node = make("figure", { class: "course-panel" }, make("figcaption", {}, title), ...children);
  view.stage.append(node);
  return node;
}

// A drawing area with data coordinates: {root, x, y, drawing, data}. A panel is at least as wide as a plane has units, less 5 %:
// text of 15 units so stays above 14 px.
export function plane({ width = 256, height = 256, margin = 30, label } = {}) {
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: label ? "img" : false, "aria-label": label });
  let [left, right, low, high] = [0, 1, 0, 1];
  return {
    root,
    range(...limits) {
      [left, right, low, high] = limits;
    },
    width,
    height,
    x: (value) => margin + ((value - left) / (right - left)) * (width - 2 * margin),
    y: (value) => height - margin - ((value - low) / (high - low)) * (height - 2 * margin),
    // Where a pointer is, in drawing units. By shares of the box: getScreenCTM() does not know CSS zoom (lecture mode).
    drawing(event) {
      const box = root.getBoundingClientRect();
      return [((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height];
    },
    data(event) {
      const [x, y] = this.drawing(event);
      return [
        left + ((x - margin) / (width - 2 * margin)) * (right - left),
        low + ((height - margin - y) / (height - 2 * margin)) * (high - low),
      ];
    },
  };
}

// A name just beyond (x, y), seen from (x0, y0): `gap` units of air, and wholly inside the plane.
export function nameBeyond(area, name, x, y, x0, y0, gap = 8) {
  const length = Math.hypot(x - x0, y - y0) || 1;
  const half = [...name].reduce((sum, letter) => sum + (letter > "\u1000" ? 7.5 : 4.5), 0); // Hangul is wider than Latin
  const [ux, uy] = [(x - x0) / length, (y - y0) / length];
  return svg(
    "text",
    {
      class: "course-name",
      "text-anchor": "middle",
      "dominant-baseline": "central",
      x: clamp(x + ux * (gap + half), half + 3, area.width - half - 3),
      y: clamp(y + uy * (gap + 9), 11, area.height - 11),
    },
    name,
  );
}

// The colour [red, green, blue] at `share`, 0 … 1, of a palette of evenly spaced ones.
export function blend(palette, share) {
  const at = clamp(share, 0, 1) * (palette.length - 1);
  const low = Math.min(Math.floor(at), palette.length - 2);
  return palette[low].map((part, i) => Math.round(part + (palette[low + 1][i] - part) * (at - low)));
}

export const SENSE_SHAPES = ["circle", "square", "triangle", "diamond"];

// The mark of a sense at (x, y): told apart by shape as well as by colour.
export function senseMark(kind, x, y, size) {
  const place = kind % SENSE_SHAPES.length;
  const look = { class: `course-mark sense-${place}` };
  if (place === 0) return svg("circle", { ...look, cx: x, cy: y, r: size });
  const corners = [
    [],
    [
      [-0.9, -0.9],
      [0.9, -0.9],
      [0.9, 0.9],
      [-0.9, 0.9],
    ],
    [
      [0, -1.2],
      [1.1, 0.8],
      [-1.1, 0.8],
    ],
    [
      [0, -1.3],
      [1.3, 0],
      [0, 1.3],
      [-1.3, 0],
    ],
  ][place];
  return svg("polygon", { ...look, points: corners.map(([dx, dy]) => `${x + dx * size},${y + dy * size}`).join(" ") });
}

// An arrow between two points, in drawing units.
export function arrow(x1, y1, x2, y2, attributes = {}) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 1) return svg("g", attributes);
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(11, length);
  const [bx, by] = [x2 - ux * head, y2 - uy * head];
  const points = [
    [x2, y2],
    [bx - uy * head * 0.45, by + ux * head * 0.45],
    [bx + uy * head * 0.45, by - ux * head * 0.45],
  ];
  return svg(
    "g",
    attributes,
    svg("line", { x1, y1, x2: bx, y2: by, "stroke-width": 2.6, stroke: "currentColor", "stroke-linecap": "round" }),
    svg("polygon", { points: points.join(" "), fill: "currentColor" }),
  );
}

// Makes `handle` movable: by pointer anywhere on `surface` (a plane), by the arrow keys when it has the focus
// (Shift: five times as far). at() -> [x, y] is where it is, move([x, y]) takes it elsewhere, say() puts it into words.
export function movable(view, handle, { surface, at, move, say, label, step = 0.1 }) {
  const options = { signal: view.signal };
  const towards = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  let dragged = null;
  fill(handle, { role: "slider", tabindex: 0, "aria-label": label, class: "course-handle" });
  surface.root.classList.add("course-surface");
  surface.root.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      dragged = event.pointerId;
      surface.root.setPointerCapture(dragged);
      handle.focus({ preventScroll: true });
      move(surface.data(event));
    },
    options,
  );
  surface.root.addEventListener(
    "pointermove",
    (event) => {
      if (event.pointerId === dragged) move(surface.data(event));
    },
    options,
  );
  for (const end of ["pointerup", "pointercancel"]) {
    surface.root.addEventListener(end, () => (dragged = null), options);
  }
  handle.addEventListener(
    "keydown",
    (event) => {
      const direction = towards[event.key];
      if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const far = step * (event.shiftKey ? 5 : 1);
      move(at().map((value, axis) => value + direction[axis] * far));
    },
    options,
  );
  view.onChange(() => fill(handle, { "aria-valuetext": say(), "aria-valuenow": at()[0] }));
}

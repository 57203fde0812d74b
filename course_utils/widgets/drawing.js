// What is drawn: planes with data coordinates, names, marks, arrows, colours, and handles to move.

import { clamp, fill, on, svg } from "./common.js";

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

// A name that stays readable on lines and areas.
export function label(x, y, text, anchor = "middle", look = {}) {
  return svg("text", { class: "course-name", "text-anchor": anchor, x, y, ...look }, text);
}

// A name just beyond (x, y), seen from (x0, y0): `gap` units of air, and wholly inside the plane.
export function nameBeyond(area, name, x, y, x0, y0, gap = 8) {
  const length = Math.hypot(x - x0, y - y0) || 1;
  const half = [...name].reduce((sum, letter) => sum + (letter > "\u1000" ? 7.5 : 4.5), 0); // Hangul is wider than Latin
  const [ux, uy] = [(x - x0) / length, (y - y0) / length];
  const [nameX, nameY] = [clamp(x + ux * (gap + half), half + 3, area.width - half - 3), y + uy * (gap + 9)];
  return label(nameX, clamp(nameY, 11, area.height - 11), name, "middle", { "dominant-baseline": "central" });
}

// The colour [red, green, blue] at `share`, 0 … 1, of a palette of evenly spaced ones.
export function blend(palette, share) {
  const at = clamp(share, 0, 1) * (palette.length - 1);
  const low = Math.min(Math.floor(at), palette.length - 2);
  return palette[low].map((part, i) => Math.round(part + (palette[low + 1][i] - part) * (at - low)));
}

export const SENSE_SHAPES = ["circle", "square", "triangle", "diamond"];
const CORNERS = [
  "",
  "-0.9 -0.9, 0.9 -0.9, 0.9 0.9, -0.9 0.9",
  "0 -1.2, 1.1 0.8, -1.1 0.8",
  "0 -1.3, 1.3 0, 0 1.3, -1.3 0",
].map((corners) => corners.split(", ").map((corner) => corner.split(" ").map(Number)));

// The mark of a sense at (x, y): told apart by shape as well as by colour.
export function senseMark(kind, x, y, size) {
  const place = kind % SENSE_SHAPES.length;
  const look = { class: `course-mark sense-${place}` };
  if (place === 0) return svg("circle", { ...look, cx: x, cy: y, r: size });
  const corners = CORNERS[place].map(([dx, dy]) => `${x + dx * size},${y + dy * size}`);
  return svg("polygon", { ...look, points: corners.join(" ") });
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
  const towards = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  let dragged = null;
  fill(handle, { role: "slider", tabindex: 0, "aria-label": label, class: "course-handle" });
  surface.root.classList.add("course-surface");
  on(view, surface.root, "pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    dragged = event.pointerId;
    surface.root.setPointerCapture(dragged);
    handle.focus({ preventScroll: true });
    move(surface.data(event));
  });
  on(view, surface.root, "pointermove", (event) => {
    if (event.pointerId === dragged) move(surface.data(event));
  });
  for (const end of ["pointerup", "pointercancel"]) {
    on(view, surface.root, end, () => (dragged = null));
  }
  on(view, handle, "keydown", (event) => {
    const direction = towards[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const far = step * (event.shiftKey ? 5 : 1);
    move(at().map((value, axis) => value + direction[axis] * far));
  });
  view.onChange(() => fill(handle, { "aria-valuetext": say(), "aria-valuenow": at()[0] }));
}

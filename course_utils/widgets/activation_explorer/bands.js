// Strips of a drawing, above each other, each with its own vertical scale, frame, ticks and title.

import { svg } from "../common.js";
import { label } from "../drawing.js";

// surface: the plane whose x axis they share; from, to: its ends; look: top, bottom, [low, high], title, and how ticks
// are written. Returns the strip's group and its scale.
export function band(surface, [from, to], { top, bottom, span: [low, high], title, say = tick, across = tick }) {
  const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
  const root = svg("g", { class: "ae-band" });
  const [floor, ceiling] = [surface.x(from), surface.x(to)];
  root.append(svg("rect", { x: floor, y: top, width: ceiling - floor, height: bottom - top, class: "course-plot" }));
  for (const value of ticks(from, to, 8)) {
    const x = surface.x(value);
    root.append(
      svg("line", { x1: x, x2: x, y1: top, y2: bottom, class: value === 0 ? "course-grid ae-zero" : "course-grid" }),
      svg("text", { x, y: bottom + 17, "text-anchor": "middle" }, across(value)),
    );
  }
  for (const value of say ? ticks(low, high, 4) : []) {
    root.append(
      svg("line", {
        x1: floor,
        x2: ceiling,
        y1: y(value),
        y2: y(value),
        class: value === 0 ? "course-grid ae-zero" : "course-grid",
      }),
      svg("text", { x: floor - 8, y: y(value) + 5, "text-anchor": "end" }, say(value)),
    );
  }
  root.append(label(floor, top - 8, title, "start"));
  return { root, y, top, bottom };
}

// The ends of an axis that shows all values and 0, with a little room.
export function spanOf(values) {
  const [low, high] = [Math.min(...values, 0), Math.max(...values, 0)];
  const room = 0.08 * (high - low || 1);
  return [low - room, high + room];
}

export function pointsOf(x, y, places, values) {
  return values.map((value, j) => `${x(places[j]).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
}

export function tick(value) {
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

// Round numbers between low and high, at most about `count` of them.
function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((times) => times * power >= rough * 0.999) ?? 10);
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(6)));
}

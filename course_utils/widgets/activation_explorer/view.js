// Left one drawing with bands above each other (functions, derivatives, magnified difference) that share the x axis
// and its movable point; right a table: each row is a curve's switch, its line, its value and slope at x.

import {
  checkbox,
  clamp,
  courseWidget,
  each,
  fill,
  make,
  movable,
  number,
  panel,
  plane,
  svg,
  write,
} from "../common.js";

export default courseWidget((view) => {
  const { model, words } = view;
  const { reach, x: grid, lines, gap, gap_of: gapOf } = model.get("curves");
  const dashes = ["none", "12 7", "2 6", "14 5 3 5", "7 4", "20 6"];
  const WIDTH = 600;
  const MARGIN = 46;

  // What was typed and is no number goes to Python to be refused; until it comes back, the last number counts.
  let lastNumber = 0;
  const xNow = () => {
    const x = model.get("x");
    if (Number.isFinite(x)) lastNumber = x;
    return lastNumber;
  };

  const box = make("input", {
    type: "text",
    inputmode: "decimal",
    spellcheck: "false",
    autocomplete: "off",
    class: "ae-box",
    "data-testid": "x",
  });
  const sendBox = () => {
    const typed = box.value.trim().replace("−", "-");
    const value = typed === "" ? NaN : Number(typed);
    if (value === model.get("x"))
      view.send({ error: "" }); // nothing new: what was refused before is forgotten
    else view.send({ x: Number.isFinite(value) ? value : box.value });
  };
  box.addEventListener("change", sendBox, { signal: view.signal });
  box.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Enter") sendBox(); // JupyterLab takes Enter's own effect, a change event, away
    },
    { signal: view.signal },
  );
  view.onChange(() => {
    if (document.activeElement !== box) box.value = String(Number(xNow().toFixed(4)));
  });
  view.controls.append(make("label", { class: "course-control" }, make("span", {}, words.box), box));
  if (gap)
    checkbox(view, "difference", {
      label: words.difference.replace("{first}", gapOf[0]).replace("{second}", gapOf[1]),
    });

  const surface = plane({ width: WIDTH, height: 520, margin: MARGIN });
  surface.range(-reach, reach, 0, 1);
  const bands = [
    band(56, 246, spanOf(lines.flatMap((line) => line.values)), words.values),
    band(302, 448, spanOf(lines.flatMap((line) => line.slopes)), words.slopes),
  ];
  const curves = lines.map((line, i) => [curve(bands[0], line.values, i), curve(bands[1], line.slopes, i)]);
  const magnified =
    gap && band(504, 610, spanOf(gap), words.gap.replace("{first}", gapOf[0]).replace("{second}", gapOf[1]), 1e4);
  if (magnified) magnified.root.append(svg("polyline", { class: "ae-gap", points: pointsOf(magnified, gap) }));

  const guide = svg("line", { class: "ae-guide" });
  const dots = svg("g");
  const knob = [
    ["ae-halo", 15],
    ["ae-knob", 8],
  ].map(([look, r]) => svg("circle", { cy: 17, r, class: look }));
  const xName = svg("text", { y: 22, class: "ae-x" });
  const handle = svg("g", { "data-testid": "handle", "aria-valuemin": -reach, "aria-valuemax": reach }, ...knob, xName);
  surface.root.append(...bands.map(({ root }) => root), ...(magnified ? [magnified.root] : []), guide, dots, handle);
  panel(view, words.picture, surface.root, make("p", { class: "course-note" }, words.hint)).classList.add("ae-panel");
  movable(view, handle, {
    surface,
    label: words.point,
    at: () => [xNow(), 0],
    say: () => `x = ${number(xNow())}`,
    move: ([x]) => view.send({ x: Number(clamp(x, -reach, reach).toFixed(2)) }),
  });

  const cells = lines.map((line, i) => {
    const input = make("input", {
      type: "checkbox",
      "data-testid": `show-${i}`,
      "aria-label": words.show.replace("{name}", line.name),
    });
    input.addEventListener(
      "change",
      () => {
        const others = model.get("shown").filter((name) => name !== line.name);
        view.send({ shown: input.checked ? [...others, line.name] : others });
      },
      { signal: view.signal },
    );
    const sample = svg(
      "svg",
      { viewBox: "0 0 28 12", class: "ae-sample", "aria-hidden": "true" },
      svg("line", { x1: 2, x2: 27, y1: 6, y2: 6, class: `ae-curve ae-${i}`, "stroke-dasharray": dashes[i] }),
    );
    const [value, slope] = [make("td"), make("td")];
    const row = make(
      "tr",
      { "data-testid": `row-${i}` },
      make("th", { scope: "row" }, make("label", {}, input, sample, make("span", { title: line.name }, line.name))),
      value,
      slope,
    );
    return { input, value, slope, row };
  });
  const gapCell = make("td", { colspan: 2 });
  const gapRow = make("tr", { "data-testid": "gap" }, make("th", { scope: "row" }, words.gap_row), gapCell);
  const heads = [words.name, words.value, words.slope].map((head) => make("th", { scope: "col" }, head));
  panel(
    view,
    words.table,
    make(
      "table",
      { class: "ae-table" },
      make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, ...cells.map(({ row }) => row), ...(gap ? [gapRow] : [])),
    ),
  );

  return { draw, follow: draw };

  function draw({ rows, gap: here }) {
    const difference = Boolean(magnified) && model.get("difference");
    const bottom = difference ? 610 : 448;
    const x = xNow();
    const at = surface.x(clamp(x, -reach, reach));
    fill(surface.root, { viewBox: `0 0 ${WIDTH} ${bottom + 36}` });
    if (magnified) fill(magnified.root, { display: !difference && "none" });
    fill(guide, { x1: at, x2: at, y1: 22, y2: bottom });
    for (const node of knob) fill(node, { cx: at });
    const beyond = at > WIDTH / 2; // the name of the place stands on the side with more room
    fill(xName, { x: clamp(at, 60, WIDTH - 60) + (beyond ? -20 : 20), "text-anchor": beyond ? "end" : "start" });
    write(xName, `x = ${number(x)}`);
    const shown = lines.map(({ name }) => model.get("shown").includes(name)); // at once, before Python has answered
    rows.forEach(({ value, slope }, i) => {
      for (const node of curves[i]) fill(node, { display: !shown[i] && "none" });
      const { input, row, ...cell } = cells[i];
      input.checked = shown[i];
      row.classList.toggle("ae-off", !shown[i]);
      write(cell.value, number(value, 4));
      write(cell.slope, number(slope, 4));
    });
    if (gap) {
      gapRow.hidden = !difference;
      write(gapCell, `${number(1e4 * here)} × 0.0001`);
    }
    const marks = rows.flatMap(({ value, slope }, i) =>
      shown[i]
        ? [
            [bands[0], value],
            [bands[1], slope],
          ].map(([{ y }, height]) => ({ class: `ae-dot ae-${i}`, cy: y(height) }))
        : [],
    );
    if (difference) marks.push({ class: "ae-dot ae-gap-dot", cy: magnified.y(here) });
    each(
      dots,
      marks,
      () => svg("circle", { r: 6 }),
      (node, mark) => fill(node, { ...mark, cx: at }),
    );
  }

  // A strip of the drawing with its own vertical scale, frame, ticks and title; `times` multiplies what is written at ticks.
  function band(top, bottom, [low, high], title, times = 1) {
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
    const root = svg("g", { class: "ae-band" });
    const floor = surface.x(-reach);
    const ceiling = surface.x(reach);
    root.append(svg("rect", { x: floor, y: top, width: ceiling - floor, height: bottom - top, class: "ae-frame" }));
    for (const value of ticks(-reach, reach, 8)) {
      root.append(
        svg("line", {
          x1: surface.x(value),
          x2: surface.x(value),
          y1: top,
          y2: bottom,
          class: value === 0 ? "ae-zero" : "ae-grid",
        }),
      );
      root.append(svg("text", { x: surface.x(value), y: bottom + 19, "text-anchor": "middle" }, tick(value)));
    }
    for (const value of ticks(low, high, 4)) {
      root.append(
        svg("line", { x1: floor, x2: ceiling, y1: y(value), y2: y(value), class: value === 0 ? "ae-zero" : "ae-grid" }),
      );
      root.append(svg("text", { x: floor - 8, y: y(value) + 5, "text-anchor": "end" }, tick(value * times)));
    }
    root.append(svg("text", { x: floor, y: top - 9, class: "ae-title" }, title));
    return { root, y };
  }

  function curve({ root, y }, values, i) {
    const node = svg("polyline", {
      class: `ae-curve ae-${i}`,
      "stroke-dasharray": dashes[i],
      points: pointsOf({ y }, values),
    });
    root.append(node);
    return node;
  }

  function pointsOf({ y }, values) {
    return values.map((value, j) => `${surface.x(grid[j]).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  }

  function spanOf(values) {
    const [low, high] = [Math.min(...values, 0), Math.max(...values, 0)];
    const room = 0.08 * (high - low || 1);
    return [low - room, high + room];
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

  function tick(value) {
    return String(Number(value.toPrecision(4))).replace("-", "−");
  }
});

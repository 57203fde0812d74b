// Left one drawing of two bands that share the x axis and its movable handle, for each of four views; right a table.
// curves: functions, derivatives or the magnified difference · gate: coins, Φ · inputs: derivatives, density ·
// run: dead units, loss.

import { clamp, courseWidget, dense, each, fill, make, number, on, panel, svg, write } from "../common.js";
import { button, checkbox, choice, slider } from "../controls.js";
import { label, movable, plane } from "../drawing.js";
import { band, pointsOf, spanOf } from "./bands.js";

const TINTS = [0, 1, 6, 2, 3, 4]; // sense-0 …: the colours of the functions
const DASHES = ["none", "12 7", "2 6", "14 5 3 5", "7 4", "20 6"];
const [WIDTH, HEIGHT, MARGIN] = [600, 334, 46];
const UPPER = { top: 52, bottom: 174 };
const LOWER = { top: 222, bottom: 308 };
const STEPS_A_UNIT = 10; // on the axis of a run: an arrow key, 0.1 of a unit, is one step

export default courseWidget((view) => {
  const { model, words, constants } = view;
  dense(view, { low: true });
  const { reach, x: grid, lines, gap, gap_of: gapOf, gate, runs, units } = model.get("curves");
  const last = runs.length ? runs[0].dead.length - 1 : 0;
  const viewNow = () => model.get("view");
  const named = (text) => text.replace("{first}", gapOf[0]).replace("{second}", gapOf[1]);

  // What was typed and is no number goes to Python to be refused; until it comes back, the last number counts.
  let lastNumber = 0;
  const xNow = () => {
    const x = model.get("x");
    if (Number.isFinite(x)) lastNumber = x;
    return lastNumber;
  };

  const options = [
    ["curves", words.view_curves],
    ["gate", words.view_gate],
    ["inputs", words.view_inputs],
    ...(runs.length ? [["run", words.view_run]] : []),
  ];
  choice(view, "view", { label: words.view, options });
  const titles = {
    curves: [words.picture, words.table],
    gate: [words.picture_gate, words.gate_table],
    inputs: [words.picture_inputs, words.inputs_table],
    run: [words.picture_run, words.run_table],
  };
  const box = numberBox();
  const controls = {
    curves: [box, ...(gap ? [checkbox(view, "difference", { label: named(words.difference) })] : [])],
    gate: [
      box,
      slider(view, "flips", {
        range: [0, constants.throws.length - 1],
        toPosition: (flips) => constants.throws.findIndex((most) => flips <= most),
        toValue: (place) => constants.throws[place],
      }),
      button(view, { label: words.roll, testid: "roll", press: () => view.send({ roll: model.get("roll") + 1 }) }),
    ],
    inputs: [
      slider(view, "mean", { range: [-reach, reach, 0.1], say: (mean) => number(mean, 1) }),
      slider(view, "spread", {
        range: [constants.spreads[0], constants.spreads[1], 0.1],
        say: (spread) => number(spread, 1),
      }),
    ],
    run: [slider(view, "step", { range: [0, last] })],
  };

  const surface = plane({ width: WIDTH, height: HEIGHT, margin: MARGIN });
  const scenes = buildScenes();
  const guide = svg("line", { class: "ae-guide", y1: 22, y2: LOWER.bottom });
  const dots = svg("g");
  const knob = [
    ["course-halo sense-5", 15],
    ["ae-knob", 8],
  ].map(([look, r]) => svg("circle", { cy: 17, r, class: look }));
  const place = label(0, 22, "");
  const handle = svg("g", { "data-testid": "handle" }, ...knob, place);
  surface.root.append(...Object.values(scenes).map(({ root }) => root), guide, dots, handle);
  const picture = panel(view, words.picture, surface.root);
  picture.classList.add("ae-panel");
  // On each view the handle moves what its axis shows: x, the mean of the inputs, or the step.
  const held = {
    inputs: () => [model.get("mean"), words.mean, number(model.get("mean"))],
    run: () => [model.get("step") / STEPS_A_UNIT, words.step, String(model.get("step"))],
  };
  const heldNow = () => held[viewNow()]?.() ?? [xNow(), words.point, number(xNow())];
  movable(view, handle, {
    surface,
    label: words.point,
    at: () => [heldNow()[0], 0],
    say: () => (viewNow() in held ? heldNow()[2] : `x = ${heldNow()[2]}`),
    move: ([at]) => {
      if (viewNow() === "run") view.send({ step: Math.round(clamp(at * STEPS_A_UNIT, 0, last)) });
      else view.send({ [viewNow() === "inputs" ? "mean" : "x"]: Number(clamp(at, -reach, reach).toFixed(2)) });
    },
  });

  const right = panel(view, words.table);
  const functions = functionTable();
  const gateTable = plainTable([words.gate_probability, words.gate_opened, words.gate_average, words.gate_expected]);
  const runTable = namedTable([words.run_name, words.dead_head, words.loss_head], runs);
  right.append(functions.root, gateTable.root, runTable.root, make("p", { class: "course-note" }, words.hint));

  return { draw, follow: draw };

  function draw(drawn) {
    const now = viewNow();
    const { rows, gap: here } = drawn;
    const difference = now === "curves" && Boolean(gap) && model.get("difference");
    for (const part of Object.values(controls).flat()) part.hidden = !controls[now].includes(part);
    surface.range(...axisOf(now), 0, 1);
    for (const [name, { root }] of Object.entries(scenes)) {
      const seen = name === now || (name === "gap" && difference);
      fill(root, { display: !seen && "none" });
    }
    fill(scenes.curves.lower, { display: difference && "none" });
    for (const [i, part] of [picture, right].entries()) write(part.querySelector("figcaption"), titles[now][i]);
    functions.root.hidden = !["curves", "inputs"].includes(now);
    gateTable.root.hidden = now !== "gate";
    runTable.root.hidden = now !== "run";

    const [low, high] = axisOf(now);
    const [value, name, said] = heldNow();
    const at = surface.x(clamp(value, low, high));
    fill(handle, { "aria-label": name, "aria-valuemin": low, "aria-valuemax": high });
    fill(guide, { x1: at, x2: at });
    for (const node of knob) fill(node, { cx: at });
    const beyond = at > WIDTH / 2; // the name of the place stands on the side with more room
    fill(place, { x: clamp(at, 60, WIDTH - 60) + (beyond ? -20 : 20), "text-anchor": beyond ? "end" : "start" });
    write(place, now in held ? `${name} ${said}` : `x = ${said}`);

    const shown = lines.map(({ name }) => model.get("shown").includes(name)); // at once, before Python has answered
    for (const { curves } of [scenes.curves, scenes.inputs]) {
      curves.forEach((nodes, i) => {
        for (const node of nodes) fill(node, { display: !shown[i] && "none" });
      });
    }
    functions.update(rows, shown, now);
    if (gap) {
      functions.gapRow.hidden = !difference;
      write(functions.gapCell, `${number(1e4 * here)} × 0.0001`);
    }
    const marks = {
      curves: () => [
        ...rows.flatMap(({ value }, i) => (shown[i] ? [mark(scenes.curves.upper, value, i)] : [])),
        ...(difference
          ? [{ class: "ae-dot sense-3", cy: scenes.gap.scale.y(here) }]
          : rows.flatMap(({ slope }, i) => (shown[i] ? [mark(scenes.curves.scale, slope, i)] : []))),
      ],
      gate: () => drawGate(drawn.gate),
      inputs: () => drawInputs(rows, shown),
      run: () => drawRun(drawn.run),
    }[now]();
    each(
      dots,
      marks,
      () => svg("circle", { r: 6 }),
      (node, look) => fill(node, { ...look, cx: at }),
    );
  }

  function mark({ y }, value, i) {
    return { class: `ae-dot sense-${TINTS[i]}`, cy: y(value) };
  }

  function drawGate(thrown) {
    if (!thrown) return []; // the picture of this view has not come yet
    const { probability, opened, flips, average, expected } = thrown;
    each(
      scenes.gate.coins,
      thrown.dots,
      () => svg("circle", { r: 3.5, class: "ae-coin" }),
      (node, [x, y]) => fill(node, { cx: surface.x(x), cy: scenes.gate.upper.y(y) }),
    );
    gateTable.update([number(probability, 4), `${opened} / ${flips}`, number(average, 4), number(expected, 4)]);
    return [mark(scenes.gate.upper, average, 1), mark(scenes.gate.scale, probability, 0)];
  }

  function drawInputs(rows, shown) {
    const [mean, spread] = [model.get("mean"), model.get("spread")];
    const { y } = scenes.inputs.scale;
    const heights = grid.map((x) => Math.exp(-(((x - mean) / spread) ** 2) / 2));
    const ends = `${surface.x(reach)},${y(0)} ${surface.x(-reach)},${y(0)}`;
    fill(scenes.inputs.density, { points: `${pointsOf(surface.x, y, grid, heights)} ${ends}` });
    return rows.flatMap(({ name }, i) => (shown[i] ? [mark(scenes.inputs.upper, slopeAt(name, mean), i)] : []));
  }

  function slopeAt(name, x) {
    const { slopes } = lines.find((line) => line.name === name);
    return slopes[Math.round(((x + reach) / (2 * reach)) * (grid.length - 1))];
  }

  function drawRun(measured) {
    if (!measured) return [];
    const step = model.get("step"); // at once, from what is here already
    runTable.update(runs.map(({ dead, loss }) => [number(dead[step], 0), (10 ** loss[step]).toPrecision(2)]));
    return runs.flatMap(({ dead, loss }, i) => [
      mark(scenes.run.upper, dead[step], i),
      mark(scenes.run.scale, loss[step], i),
    ]);
  }

  function axisOf(name) {
    return name === "run" ? [0, last / STEPS_A_UNIT] : [-reach, reach];
  }

  function buildScenes() {
    surface.range(-reach, reach, 0, 1);
    const xs = [-reach, reach];
    const valueSpan = spanOf(lines.flatMap((line) => line.values));
    const values = band(surface, xs, { ...UPPER, span: valueSpan, title: words.values });
    const slopeSpan = spanOf(lines.flatMap((line) => line.slopes));
    const slopes = band(surface, xs, { ...LOWER, span: slopeSpan, title: words.slopes });
    const above = band(surface, xs, { ...UPPER, span: slopeSpan, title: words.slopes });
    const density = band(surface, xs, { ...LOWER, span: [0, 1.12], title: words.density, say: null });
    const through = band(surface, xs, { ...UPPER, span: [-reach, reach], title: words.gate_values });
    const opening = band(surface, xs, { ...LOWER, span: [0, 1.05], title: words.gate_opening });

    const curves = lines.map((line, i) => [curve(values, grid, line.values, i), curve(slopes, grid, line.slopes, i)]);
    const area = svg("polygon", { class: "ae-density" });
    density.root.append(area);
    const inputs = lines.map((line, i) => [curve(above, grid, line.slopes, i), strip(density, line.slopes, i)]);
    const coins = svg("g");
    curve(through, grid, gate.expected, 0);
    through.root.append(coins);
    curve(opening, grid, gate.opening, 0);
    const both = (upper, scale) => ({ root: svg("g", {}, upper.root, scale.root), upper, scale });
    const found = {
      curves: { ...both(values, slopes), lower: slopes.root, curves },
      gate: { ...both(through, opening), coins },
      inputs: { ...both(above, density), density: area, curves: inputs },
    };
    if (gap) {
      const look = { ...LOWER, span: spanOf(gap), title: named(words.gap), say: (value) => number(1e4 * value, 0) };
      const scale = band(surface, xs, look);
      scale.root.append(
        svg("polyline", { class: "course-curve ae-curve sense-3", points: pointsOf(surface.x, scale.y, grid, gap) }),
      );
      found.gap = { root: scale.root, scale };
    }
    if (runs.length) {
      const steps = axisOf("run");
      surface.range(...steps, 0, 1);
      const across = (value) => String(Math.round(value * STEPS_A_UNIT));
      const most = Math.max(...runs.flatMap((run) => run.dead), 1);
      const title = `${words.run_dead} / ${units}`;
      const dead = band(surface, steps, { ...UPPER, span: [0, 1.12 * most], title, across });
      const losses = runs.flatMap((run) => run.loss);
      const span = [Math.min(...losses) - 0.3, Math.max(...losses) + 0.3];
      // From 0.001 on there is no room for all the zeros: 1e-4.
      const power = (value) => (value < -2 ? `1e${value}` : String(Number((10 ** value).toPrecision(1))));
      const say = (value) => (Number.isInteger(value) ? power(value) : "");
      const loss = band(surface, steps, { ...LOWER, span, title: words.run_loss, say, across });
      const places = runs[0].dead.map((_, step) => step / STEPS_A_UNIT);
      for (const [i, run] of runs.entries()) {
        curve(dead, places, run.dead, i);
        curve(loss, places, run.loss, i);
      }
      found.run = both(dead, loss);
    }
    return found;
  }

  function curve({ root, y }, places, values, i) {
    const node = svg("polyline", {
      class: `course-curve ae-curve sense-${TINTS[i]}`,
      "stroke-dasharray": DASHES[i],
      points: pointsOf(surface.x, y, places, values),
    });
    root.append(node);
    return node;
  }

  // Where the slope is nearly 0: a bar at the foot of the band, one row for each function.
  function strip({ root, bottom }, slopes, i) {
    const node = svg("g", { class: `sense-${TINTS[i]}` });
    const width = (surface.x(reach) - surface.x(-reach)) / (grid.length - 1);
    for (let from = 0; from < grid.length; from++) {
      if (Math.abs(slopes[from]) >= constants.tiny) continue;
      let to = from;
      while (to + 1 < grid.length && Math.abs(slopes[to + 1]) < constants.tiny) to++;
      const look = { x: surface.x(grid[from]), y: bottom - 8 - 8 * i, height: 6, class: "ae-strip" };
      node.append(svg("rect", { ...look, width: Math.max((to - from) * width, 1.5) }));
      from = to;
    }
    root.append(node);
    return node;
  }

  function numberBox() {
    const look = { type: "text", inputmode: "decimal", spellcheck: "false", autocomplete: "off", class: "ae-box" };
    const input = make("input", { ...look, "data-testid": "x" });
    const sendBox = () => {
      const typed = input.value.trim().replace("−", "-");
      const value = typed === "" ? NaN : Number(typed);
      if (value === model.get("x"))
        view.send({ error: "" }); // nothing new: what was refused before is forgotten
      else view.send({ x: Number.isFinite(value) ? value : input.value });
    };
    on(view, input, "change", sendBox);
    on(view, input, "keydown", (event) => {
      if (event.key === "Enter") sendBox(); // JupyterLab takes Enter's own effect, a change event, away
    });
    view.onChange(() => {
      if (document.activeElement !== input) input.value = String(Number(xNow().toFixed(4)));
    });
    const label = make("label", { class: "course-control" }, make("span", {}, words.box), input);
    view.controls.append(label);
    return label;
  }

  function sample(i) {
    return svg(
      "svg",
      { viewBox: "0 0 28 12", "aria-hidden": "true" },
      svg("line", {
        x1: 2,
        x2: 27,
        y1: 6,
        y2: 6,
        class: `course-curve ae-curve sense-${TINTS[i]}`,
        "stroke-dasharray": DASHES[i],
      }),
    );
  }

  function table(heads, rows) {
    const names = heads.map((head) => make("th", { scope: "col" }, head));
    const head = heads.length ? [make("thead", {}, make("tr", {}, ...names))] : [];
    return { names, root: make("table", { class: "course-series ae-table" }, ...head, make("tbody", {}, ...rows)) };
  }

  function functionTable() {
    const cells = lines.map((line, i) => {
      const input = make("input", {
        type: "checkbox",
        "data-testid": `show-${i}`,
        "aria-label": words.show.replace("{name}", line.name),
      });
      on(view, input, "change", () => {
        const others = model.get("shown").filter((name) => name !== line.name);
        view.send({ shown: input.checked ? [...others, line.name] : others });
      });
      const [first, second] = [make("td"), make("td")];
      const name = make(
        "label",
        {},
        input,
        sample(i),
        make("span", { class: "course-cut", title: line.name }, line.name),
      );
      const row = make("tr", { "data-testid": `row-${i}` }, make("th", { scope: "row" }, name), first, second);
      return { input, first, second, row };
    });
    const gapCell = make("td", { colspan: 2 });
    const gapRow = make("tr", { "data-testid": "gap" }, make("th", { scope: "row" }, words.gap_row), gapCell);
    const { root, names } = table(
      [words.name, words.value, words.slope],
      [...cells.map(({ row }) => row), ...(gap ? [gapRow] : [])],
    );
    const update = (rows, shown, now) => {
      write(names[1], now === "inputs" ? words.zero : words.value);
      write(names[2], now === "inputs" ? words.tiny : words.slope);
      rows.forEach(({ value, slope, zero, tiny }, i) => {
        const { input, row, first, second } = cells[i];
        input.checked = shown[i];
        row.classList.toggle("course-off", !shown[i]);
        if (now === "inputs" && zero === undefined) return; // not yet answered
        write(first, now === "inputs" ? `${number(100 * zero, 1)} %` : number(value, 4));
        write(second, now === "inputs" ? `${number(100 * tiny, 1)} %` : number(slope, 4));
      });
    };
    return { root, update, gapRow, gapCell };
  }

  function plainTable(names) {
    const cells = names.map(() => make("td"));
    const rows = names.map((name, i) => make("tr", {}, make("th", { scope: "row" }, name), cells[i]));
    const { root } = table([], rows);
    fill(root, { "data-testid": "gate" });
    const update = (values) => {
      for (const [i, value] of values.entries()) write(cells[i], value);
    };
    return { root, update };
  }

  function namedTable(heads, named) {
    const cells = named.map(() => [make("td"), make("td")]);
    const rows = named.map(({ name }, i) => {
      const label = make("label", {}, sample(i), make("span", { class: "course-cut", title: name }, name));
      return make("tr", { "data-testid": `run-${i}` }, make("th", { scope: "row" }, label), ...cells[i]);
    });
    const { root } = table(heads, rows);
    const update = (values) => {
      for (const [i, row] of values.entries()) for (const [j, value] of row.entries()) write(cells[i][j], value);
    };
    return { root, update };
  }
});

// Two views of one widget. Reach: a table, vector by input, of whose rows one is chosen, and beside it that row for each
// half of the vector. Rates: a curve for each layer over the updates, with an upright line at the one that is looked at,
// and beside it what each layer does then.

import {
  compact,
  courseWidget,
  each,
  fill,
  filled,
  make,
  number,
  on,
  panel,
  scrolled,
  svg,
  table,
  write,
} from "../common.js";
import { checkbox, choice, choose, slider, textBox, walk } from "../controls.js";
import { blend } from "../drawing.js";

const DASHES = ["none", "9 5", "11 4 2 4", "3 4", "14 4", "2 5", "7 3 2 3 2 3"];
const [WIDTH, HEIGHT] = [520, 262]; // of the chart
const [LEFT, RIGHT, TOP, FOOT] = [44, WIDTH - 12, 14, HEIGHT - 34];

export default courseWidget((view) => {
  const { model, words, constants } = view;
  const { kinds, layers, names } = model.get("setup");
  compact(view);
  view.controls.classList.add("course-lines");
  choice(view, "view", {
    label: words.view,
    options: [
      ["reach", words.view_reach],
      ["rates", words.view_rates],
    ],
  });
  const of = { reach: [], rates: [] }; // what belongs to each view
  of.reach.push(
    choice(view, "kind", { label: words.kind, options: kinds }),
    slider(view, "layers", { range: [1, layers] }),
    textBox(view, "sentence", { label: words.sentence }),
  );
  const limits = {
    updates: constants.updates,
    cut: constants.cut,
    ratio: constants.ratio,
    epochs: constants.epochs,
  };
  for (const [name, [min, max]] of Object.entries(limits)) {
    of.rates.push(slider(view, name, { range: [min, max], label: words[name] }));
  }
  for (const name of ["gradual", "layered"]) of.rates.push(checkbox(view, name, { label: words[name] }));

  const drawReach = buildReach();
  const drawRates = buildRates();
  view.onChange(() => {
    for (const [name, nodes] of Object.entries(of)) {
      for (const node of nodes) node.hidden = name !== model.get("view");
    }
  });
  return (picture) => {
    drawReach(picture);
    drawRates(picture);
  };

  // --- Reach

  function buildReach() {
    const left = square(words.whole, "whole");
    const right = square(words.parts, "parts");
    of.reach.push(
      panel(
        view,
        words.whole,
        scrolled("rx-frame", words.whole, left),
        make("p", { class: "course-note" }, words.whole_hint),
      ),
      panel(view, words.parts, scrolled("rx-frame", words.parts, right)),
    );
    let count = 0;
    return ({ words: names, word, whole, parts }) => {
      count = names.length;
      heads(left, names);
      heads(right, names);
      each(left.tBodies[0], whole, chosen, (line, cells, row) => {
        fill(line, { class: row === word ? "rx-here" : "" });
        const [head] = line.firstChild.children;
        write(head, names[row]);
        fill(head, { title: names[row] });
        drawCells(line, cells, names, names[row]);
      });
      choose(
        [...left.tBodies[0].rows].map((line) => line.firstChild.firstChild),
        word,
      );
      const halves = parts.length === 2 ? [words.part_first, words.part_second] : [];
      const rows = [{ name: words.part, cells: whole[word] }, ...halves.map((name, i) => ({ name, cells: parts[i] }))];
      each(right.tBodies[0], rows, plain, (line, { name, cells }) => {
        write(line.firstChild, name);
        drawCells(line, cells, names, name);
      });
    };

    function chosen(row) {
      const head = make("button", { type: "button", class: "course-cut course-plain", "data-testid": `word-${row}` });
      const go = (to) => {
        view.send({ word: to });
        left.tBodies[0].children[to].firstChild.firstChild.focus({ preventScroll: true });
      };
      on(view, head, "click", () => go(row));
      walk(view, head, row, { last: () => count - 1, go, arrows: "Up Down" });
      return make("tr", {}, make("th", { scope: "row" }, head));
    }

    function plain() {
      return make("tr", {}, make("th", { scope: "row" }));
    }
  }

  function square(label, testid) {
    const corner = make("th", { class: "rx-corner" }, `${words.outputs} ${words.inputs}`);
    const look = "course-cells course-upright rx-table";
    return table({ class: look, "aria-label": label, "data-testid": testid }, [corner]);
  }

  // Beside the head of a row, or the corner, as many cells as there are words.
  function cellsOf(line, items, build, update) {
    const [, ...cells] = line.children;
    items.forEach((item, place) => {
      const cell = cells[place] ?? line.appendChild(build());
      update(cell, item, place);
    });
    for (const cell of cells.slice(items.length)) cell.remove();
  }

  function heads(node, names) {
    node.style.setProperty("--count", names.length);
    cellsOf(
      node.tHead.firstChild,
      names,
      () => make("th", { scope: "col" }, make("span")),
      (head, name) => {
        write(head.firstChild, name);
        fill(head, { title: name });
      },
    );
  }

  function drawCells(line, cells, names, output) {
    cellsOf(
      line,
      cells,
      () => make("td"),
      (cell, { share, shown }, place) => {
        const none = shown === "0";
        const facts = { output, input: names[place], size: shown };
        fill(cell, {
          class: `rx-cell${none ? " rx-none" : share > 0.67 ? " rx-dark" : ""}`,
          style: none ? "" : `background-color: rgb(${blend(constants.palette, share).join(" ")})`,
          title: filled(words.cell, facts),
        });
        write(cell, shown);
      },
    );
  }

  // --- Rates

  function buildRates() {
    const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words.chart });
    fill(chart, { "data-testid": "chart" });
    const axes = svg("g");
    const now = svg("line", { class: "rx-now", y1: TOP, y2: FOOT });
    const curves = names.map((_, i) =>
      svg("path", { class: `course-curve rx-curve sense-${i}`, "stroke-dasharray": DASHES[i] }),
    );
    chart.append(axes, now, ...curves);
    const time = make("div", { class: "rx-time" });
    const at = slider(view, "update", { range: [1, constants.updates[1]], into: time });
    const list = make("ol", { class: "rx-layers", role: "list", reversed: true, "data-testid": "now" });
    of.rates.push(panel(view, words.chart, chart, time), panel(view, words.now, list));
    return ({ rates, update, now: layers }) => {
      const count = rates[0].length;
      const x = (step) => LEFT + (count > 1 ? (step - 1) / (count - 1) : 0) * (RIGHT - LEFT);
      const y = (share) => FOOT - share * (FOOT - TOP);
      fill(at.querySelector("input"), { max: count });
      rates.forEach((row, i) => {
        fill(curves[i], { d: path(row, x, y) });
      });
      fill(now, { x1: x(update), x2: x(update) });
      drawAxes(axes, count, x, y);
      each(list, layers.toReversed(), layer, (node, { name, share, shown, frozen }, place) => {
        const [line, label, track, value] = node.children;
        const number = layers.length - 1 - place;
        fill(line.firstChild, { class: `course-curve rx-curve sense-${number}`, "stroke-dasharray": DASHES[number] });
        node.classList.toggle("rx-frozen", frozen);
        write(label, name);
        track.firstChild.style.setProperty("--share", share);
        write(value, frozen ? words.frozen : shown);
      });
    };
  }

  function layer() {
    const line = svg("svg", { viewBox: "0 0 40 10", class: "rx-line", "aria-hidden": "true" });
    line.append(svg("path", { d: "M1 5H39" }));
    return make(
      "li",
      {},
      line,
      make("span"),
      make("div", { class: "course-track", "aria-hidden": "true" }, make("i")),
      make("b"),
    );
  }

  function drawAxes(axes, count, x, y) {
    const marks = [0, 0.5, 1].map((share) => [
      svg("line", { class: "course-grid", x1: LEFT, x2: RIGHT, y1: y(share), y2: y(share) }),
      svg("text", { "text-anchor": "end", x: LEFT - 6, y: y(share) + 5 }, number(share, 1)),
    ]);
    const steps = [1, Math.round((count + 1) / 2), count].map((step) =>
      svg(
        "text",
        { "text-anchor": step === 1 ? "start" : step === count ? "end" : "middle", x: x(step), y: FOOT + 24 },
        String(step),
      ),
    );
    axes.replaceChildren(...marks.flat(), ...steps);
  }

  // A line where the rate is above 0, and none where the layer is frozen.
  function path(row, x, y) {
    let [drawn, pen] = ["", false];
    row.forEach((share, i) => {
      if (share > 0) drawn += `${pen ? "L" : "M"}${x(i + 1).toFixed(1)} ${y(share).toFixed(1)}`;
      pen = share > 0;
    });
    return drawn;
  }
});

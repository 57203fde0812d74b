// Left the mask, a grid of cells to paint; right the attention weights of the same queries and keys.

import { clamp, compact, courseWidget, fill, filled, make, number, on, panel } from "../common.js";
import { button, slider, textBox } from "../controls.js";
import { blend } from "../drawing.js";

export default courseWidget((view) => {
  const { model, words, constants } = view;
  const afresh = { painted: [] }; // a rule that is switched wipes what was painted over it
  compact(view);
  view.controls.classList.add("course-lines");
  textBox(view, "sentence", { label: words.sentence });
  const causal = button(view, {
    label: words.causal,
    testid: "causal",
    press: () => view.send({ causal: !model.get("causal"), ...afresh }),
  });
  const padding = slider(view, "padding", { range: [0, constants.most_tokens] }).querySelector("input");
  on(view, padding, "input", () => view.send(afresh));
  button(view, {
    label: words.open,
    testid: "open",
    press: () => view.send({ causal: false, padding: 0, ...afresh }),
  });
  view.onChange(() => fill(causal, { "aria-pressed": String(model.get("causal")) }));

  const left = table({ role: "grid", "aria-multiselectable": "true", "aria-label": words.mask, "data-testid": "mask" });
  const right = table({ "aria-label": words.weights, "data-testid": "weights" });
  panel(
    view,
    words.mask,
    make("div", { class: "mp-frame" }, left),
    make("p", { class: "course-note" }, words.mask_hint),
  );
  panel(
    view,
    words.weights,
    make("div", { class: "mp-frame" }, right),
    make("p", { class: "course-note" }, words.weights_hint),
  );

  let cells = []; // [query][key] -> td of the mask
  let shown = []; // [query][key] -> td of the weights
  let cursor = [0, 0]; // the one cell of the grid that Tab reaches
  let stroke = null; // {pointer, allowed, at}: the cell last painted while the pointer is down
  listenToGrid();

  const draw = ({ tokens, mask, weights, row }) => {
    const count = tokens.length;
    if (count !== cells.length) {
      cells = lay(left, count, { role: "gridcell", tabindex: -1 });
      shown = lay(right, count, {});
      cursor = cursor.map((place) => Math.min(place, count - 1));
      padding.max = count;
      padding.value = model.get("padding");
    }
    const longest = Math.max(...tokens.map((token) => token.length));
    for (const grid of [left, right]) {
      grid.classList.toggle("course-upright", count * longest > 19); // names that do not fit side by side
      grid.querySelectorAll("thead th.mp-key").forEach((head, key) => {
        name(head, tokens[key]);
      });
      grid.querySelectorAll("tbody tr").forEach((line, query) => {
        name(line.firstChild, tokens[query]);
        line.classList.toggle("mp-here", query === row);
      });
    }
    for (const [query, line] of mask.entries()) {
      line.forEach((allowed, key) => {
        weigh(constants.palette, shown[query][key], weights[query][key], allowed, count > 8);
      });
    }
    showMask({ tokens, mask });
    place(...cursor);
  };
  return { draw, follow: showMask };

  // What is painted is ahead of the picture, which the kernel sends a moment later.
  function showMask({ tokens, mask }) {
    const painted = new Map(model.get("painted").map(([query, key, allowed]) => [`${query},${key}`, Boolean(allowed)]));
    for (const [query, line] of mask.entries()) {
      line.forEach((allowed, key) => {
        show(query, key, painted.get(`${query},${key}`) ?? allowed, tokens);
      });
    }
  }

  function show(query, key, allowed, tokens) {
    const facts = { query: tokens[query], key: tokens[key], state: allowed ? words.allowed : words.blocked };
    fill(cells[query][key], {
      class: allowed ? "mp-cell mp-allowed" : "mp-cell mp-blocked",
      "aria-selected": String(allowed),
      "aria-label": filled(words.cell, facts),
    });
  }

  // Only one cell can be reached by Tab; the arrow keys move on from it.
  function place(query, key) {
    const [oldQuery, oldKey] = cursor;
    cells[oldQuery]?.[oldKey]?.setAttribute("tabindex", -1);
    cursor = [query, key];
    cells[query][key].setAttribute("tabindex", 0);
  }

  function visit(query, key, { preventScroll } = {}) {
    place(query, key);
    cells[query][key].focus({ preventScroll });
    if (model.get("row") !== query) view.send({ row: query });
  }

  function paint(places, allowed) {
    const taken = new Set(places.map(String));
    const others = model.get("painted").filter(([query, key]) => !taken.has(String([query, key])));
    view.send({ painted: [...others, ...places.map(([query, key]) => [query, key, Number(allowed)])] });
  }

  function isAllowed([query, key]) {
    return cells[query][key].getAttribute("aria-selected") === "true";
  }

  function listenToGrid() {
    on(view, left, "pointerdown", (event) => {
      const at = placeOf(event.target);
      if (!at || event.button !== 0) return;
      event.preventDefault();
      visit(...at, { preventScroll: true });
      stroke = { pointer: event.pointerId, allowed: !isAllowed(at), at };
      left.setPointerCapture(event.pointerId);
      paint([at], stroke.allowed);
    });
    on(view, left, "pointermove", (event) => {
      if (event.pointerId !== stroke?.pointer) return;
      const at = placeOf(left.getRootNode().elementFromPoint(event.clientX, event.clientY));
      if (!at || String(at) === String(stroke.at)) return;
      paint(between(stroke.at, at), stroke.allowed);
      stroke.at = at;
      visit(...at, { preventScroll: true });
    });
    for (const end of ["pointerup", "pointercancel"]) on(view, left, end, () => (stroke = null));
    on(view, left, "focusin", (event) => {
      const at = placeOf(event.target);
      if (at && model.get("row") !== at[0]) view.send({ row: at[0] });
    });
    on(view, left, "keydown", (event) => {
      const at = placeOf(event.target);
      if (!at || event.altKey || event.metaKey) return;
      const to = target(event, at, cells.length - 1);
      const toggles = [" ", "Enter"].includes(event.key) && !event.ctrlKey;
      if (!to && !toggles) return;
      event.preventDefault();
      if (to) visit(...to);
      else paint([at], !isAllowed(at));
    });
  }

  function placeOf(node) {
    const cell = node?.closest?.("td");
    const query = cells.findIndex((line) => line.includes(cell));
    return query < 0 ? null : [query, cells[query].indexOf(cell)];
  }

  function table(attributes) {
    return make("table", { class: "course-cells mp-table", ...attributes }, make("thead"), make("tbody"));
  }

  function lay(grid, count, attributes) {
    const corner = make(
      "th",
      { class: "mp-corner" },
      make("span", { class: "mp-query" }, words.queries),
      " ",
      make("span", { class: "mp-key" }, words.keys),
    );
    const heads = Array.from({ length: count }, () => make("th", { scope: "col", class: "mp-key" }, make("span")));
    const rows = Array.from({ length: count }, () => Array.from({ length: count }, () => make("td", attributes)));
    grid.tHead.replaceChildren(make("tr", {}, corner, ...heads));
    grid.tBodies[0].replaceChildren(
      ...rows.map((line) => make("tr", {}, make("th", { scope: "row", class: "mp-query" }, make("span")), ...line)),
    );
    grid.classList.toggle("mp-many", count > 8);
    grid.style.setProperty("--count", count);
    return rows;
  }

  function name(head, token) {
    if (head.title === token) return;
    head.firstChild.textContent = token;
    head.title = token;
  }
});

// Where a key leads in a grid, as the ARIA pattern has it; null for other keys.
function target({ key, ctrlKey }, [row, column], last) {
  const far = { Home: [ctrlKey ? 0 : row, 0], End: [ctrlKey ? last : row, last] };
  const near = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  if (far[key]) return far[key];
  if (!near[key] || ctrlKey) return null;
  return [clamp(row + near[key][0], 0, last), clamp(column + near[key][1], 0, last)];
}

// All cells on the way from one to another, without the first: a quick pointer skips some.
function between([row, column], [toRow, toColumn]) {
  const steps = Math.max(Math.abs(toRow - row), Math.abs(toColumn - column));
  return Array.from({ length: steps }, (_, index) => {
    const share = (index + 1) / steps;
    return [Math.round(row + (toRow - row) * share), Math.round(column + (toColumn - column) * share)];
  });
}

// A weight in a cell of the table, coloured on the fixed scale 0 … 1.
function weigh(palette, cell, weight, allowed, narrow) {
  const broken = weight === null;
  const written = broken ? "NaN" : weight === 0 ? "0" : number(weight);
  const look = `mp-weight${broken ? " mp-broken" : weight > 0.5 ? " mp-dark" : ""}${allowed ? "" : " mp-hidden"}`;
  fill(cell, { class: look, style: broken ? "" : `background-color: rgb(${blend(palette, weight).join(" ")})` });
  const shown = narrow ? written.replace(/^0(?=\.)|\.00$/, "") : written;
  if (cell.textContent !== shown) cell.textContent = shown;
}

// All heads as small maps, and beside them the chosen one: as lines, as a matrix, as ranked lists or as a table. Two
// sentences lie side by side.
// The weights are here, 16 bits each (side.py), so everything but another sentence is drawn without the kernel.

import { clamp, compact, courseWidget, fill, filled, make, on, svg, write } from "../common.js";
import { choice, led, slider, tabs, textBox, walk } from "../controls.js";
import { asNumber, asSteps, asWeight, ONE, ranked, ranking, say } from "./numbers.js";
import { drawLines, LEVELS, levelOf, paintMap, paintMaps, pixelsOf, putMaps, thickness } from "./pixels.js";

const LISTED = 5; // tokens in a ranked list
const MOST_COLUMNS = 9000; // of pixels between the tokens, times tokens: with many, a blurred haze is as good
const MANY = 8; // heads; with more their names are numbers
const LONG = 20; // tokens; the lines of more are scrolled in a box of their own
const FINEST = 40; // pixels of a small map
const SIDES = ["first", "second"];
const VIEWS = ["lines", "matrix", "lists", "table"];

export default courseWidget((view) => {
  const { model, words, constants, signal, stage } = view;
  const colors = pixelsOf(constants.palette);
  const told = stage.parentElement.querySelector("[data-testid=summary]");
  compact(view);
  addControls();

  const grid = make("div", { class: "ax-grid", role: "group", "aria-label": words.overview });
  const overviewCaption = make("figcaption");
  const maps = make("canvas", { "aria-hidden": "true" }); // of all heads: a canvas for each is slow to put on the screen
  const overview = make(
    "figure",
    { class: "course-panel ax-overview" },
    overviewCaption,
    make("div", { class: "ax-all" }, grid, maps),
    scale(),
  );
  const chosenHead = make("p", { class: "ax-chosen", "aria-hidden": "true" });
  const facts = make("div", { class: "ax-facts" });
  const large = make("div", { class: "ax-large" });
  const tables = make("div", {
    class: "course-frame ax-tables",
    role: "region",
    tabindex: 0,
    "aria-label": words.view_names.table,
  });
  const detail = make("div", { class: "ax-head" });
  const views = tabs(view, words.views, VIEWS, words.view_names, show);
  detail.append(make("div", { class: "course-apart ax-bar-of-views" }, chosenHead, views.root), large, facts, tables);
  stage.classList.add("ax-stage", "course-unbounded");
  stage.append(overview, detail);

  let picture = {};
  let weights = []; // of each sentence: the trait as it came, and its numbers
  let tiles = []; // of layer · heads + head
  let small = null; // a canvas that nobody sees: the maps of all heads, a pixel for each weight
  let sides = [];
  let painted = {}; // the state that is on the screen
  let frame = 0;
  const watch = new ResizeObserver(drawMaps);
  watch.observe(grid);
  show(VIEWS[0]);
  signal.addEventListener("abort", () => {
    cancelAnimationFrame(frame);
    watch.disconnect();
    for (const side of sides) side.watch.disconnect();
  });

  view.tells = true;
  return { draw, follow: draw };

  function draw(next) {
    if (!takeIn(next)) return;
    const now = state();
    const sentence = say(words, picture, weights, now);
    write(told, sentence);
    markTile(now); // at once: the next Tab may come before the next frame
    for (const side of sides) side.settle(now);
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      paint(state());
    });
  }

  // A new picture or new weights: whatever depends on the sentences is built again.
  function takeIn(next) {
    const bytes = next.sides.map((_, index) => model.get(`${SIDES[index]}_weights`));
    if (next === picture && bytes.every((own, index) => own === weights[index].bytes)) return true;
    const size = (side) => 2 * next.layers * next.heads * side.tokens.length ** 2;
    if (next.sides.some((side, index) => bytes[index].byteLength !== size(side))) return false;
    const before = weights[0]?.bytes;
    picture = next;
    weights = bytes.map((own) => ({
      bytes: own,
      steps: new Uint16Array(own.buffer.slice(own.byteOffset, own.byteOffset + own.byteLength)),
    }));
    if (before !== bytes[0] || tiles.length !== next.layers * next.heads) buildOverview();
    buildSides();
    painted = {};
    return true;
  }

  // Everything that is chosen. places: the chosen token in each sentence, −1 where it does not stand.
  function state() {
    const here = picture.sides.length > 1 ? Math.max(0, SIDES.indexOf(model.get("side"))) : 0;
    const token = Math.min(model.get("token"), picture.sides[here].tokens.length - 1);
    const places = picture.sides.map((_, index) => (index === here ? token : picture.sides[here].partners[token]));
    const [layer, head] = [model.get("layer"), model.get("head")];
    const threshold = model.get("threshold");
    const chosen = { layer, head, here, token, places, threshold, sort: model.get("sort"), told: constants.told };
    return { ...chosen, tile: layer * picture.heads + head, least: asSteps(threshold) };
  }

  function paint(now) {
    const differs = (...names) => names.some((name) => String(now[name]) !== String(painted[name]));
    if (differs("sort")) orderTiles(now);
    if (differs("tile")) chosenHead.textContent = filled(words.chosen, now);
    if (differs("tile", "least")) for (const side of sides) side.drawAll(now);
    if (differs("tile", "least", "places", "here")) {
      for (const side of sides) side.drawChosen(now);
      drawTables(now);
    }
    painted = now;
  }

  function addControls() {
    const alone = model.get("_alone") === true; // a saved page has no kernel to ask for another sentence
    const into = make("div", { class: "course-controls ax-sentences" });
    stage.parentElement.querySelector(".course-head").after(into);
    for (const name of SIDES) {
      if (!alone) textBox(view, name, { label: words[name], into });
      else if (model.get(name).trim()) {
        const said = model.get("picture").sides[SIDES.indexOf(name)].sentence;
        const text = make("strong", { "data-testid": name, dir: "auto" }, said);
        into.append(make("p", { class: "ax-fixed" }, make("span", {}, words[name]), text));
      }
    }
    slider(view, "threshold", { range: [0, 1, 0.01], say: (value) => asNumber(Math.floor(100 * value + 0.5)) });
    const measures = model.get("picture").measures ?? [];
    if (!measures.length) return;
    choice(view, "sort", {
      label: words.sort,
      options: [["", words.sort_none], ...measures.map(({ name, shown }) => [name, shown])],
    });
  }

  function scale() {
    const bar = make("span", { class: "course-palette", "aria-hidden": "true" });
    const [zero, one, name] = ["0", "1", words.scale].map((text) => make("span", {}, text));
    return make("p", { class: "course-small ax-scale" }, zero, bar, one, name);
  }

  // --- All heads

  function buildOverview() {
    const { layers, heads } = picture;
    const count = picture.sides[0].tokens.length;
    small = paintMaps(weights[0].steps, layers, heads, count, { colors, pool: Math.ceil(count / FINEST) });
    tiles = Array.from({ length: layers * heads }, (_, index) => {
      const [layer, head] = [Math.floor(index / heads), index % heads];
      const tag = make("span", { class: "ax-tag", "aria-hidden": "true" });
      const meter = make("span", { class: "course-bar ax-meter", "aria-hidden": "true" });
      const button = make(
        "button",
        { type: "button", class: "ax-tile", "data-testid": `tile-${layer}-${head}` },
        make("span", { class: "ax-map", "aria-hidden": "true" }),
        tag,
        meter,
      );
      on(view, button, "click", () => view.send({ layer, head }));
      on(view, button, "keydown", (event) => walkTiles(event, index));
      return button;
    });
    grid.style.setProperty("--heads", heads);
    grid.style.setProperty("--layers", layers);
    grid.classList.toggle("ax-many", heads > MANY);
  }

  function orderTiles(now) {
    const { layers, heads } = picture;
    const measure = ranking(picture, now.sort);
    const order = measure?.order ?? tiles.map((_, index) => index);
    const focused = tiles.find((tile) => tile === document.activeElement);
    const most = measure ? Math.max(1, ...measure.values.map(Math.abs)) : 1;
    const one = picture.sides.length === 1;
    overviewCaption.textContent = measure
      ? filled(words.ranked, { measure: measure.shown })
      : one
        ? words.overview
        : words.overview_first;
    tiles.forEach((tile, index) => {
      const named = { layer: Math.floor(index / heads), head: index % heads, measure: measure?.shown };
      if (measure) Object.assign(named, { value: asNumber(measure.values[index]), rank: order.indexOf(index) + 1 });
      const [, tag, meter] = tile.children;
      const value = measure && heads <= MANY ? [make("span", {}, named.value)] : [];
      tag.replaceChildren(`${named.layer}·${named.head} `, ...value);
      meter.style.setProperty("--share", measure ? Math.abs(measure.values[index]) / most : 0);
      const label = filled(measure ? words.tile_ranked : words.tile, named);
      fill(tile, { "aria-label": label, title: label });
    });
    const top = (_, head) => rim("ax-top", filled(words.head, { head }), head);
    const tops = measure ? [] : Array.from({ length: heads }, top);
    const rows = Array.from({ length: layers }, (_, layer) => [
      measure
        ? rim("ax-rank", filled(words.ranks, { from: layer * heads + 1 }))
        : rim("ax-left", filled(words.layer, { layer }), layer),
      ...order.slice(layer * heads, (layer + 1) * heads).map((index) => tiles[index]),
    ]);
    grid.classList.toggle("ax-ranked", Boolean(measure));
    grid.replaceChildren(...(measure ? [] : [make("span", { "aria-hidden": "true" })]), ...tops, ...rows.flat());
    focused?.focus();
    drawMaps();
  }

  // Each map over the place that its tile keeps free for it.
  function drawMaps() {
    const box = maps.getBoundingClientRect(); // on the screen, CSS zoom included
    if (!small || !box.width) return;
    const { layers, heads } = picture;
    const sharp = Math.min(2, window.devicePixelRatio || 1);
    const places = tiles.map((tile) => {
      const { left, top, right, bottom } = tile.firstChild.getBoundingClientRect();
      return [left - box.left, top - box.top, right - box.left, bottom - box.top].map((x) => Math.round(x * sharp));
    });
    putMaps(
      maps,
      small,
      [box.width, box.height].map((x) => Math.round(x * sharp)),
      layers,
      heads,
      places,
      2 * sharp,
    );
  }

  // A name on the rim of the grid; where there are many, its number is enough.
  function rim(kind, name, short) {
    const shown = picture.heads > MANY && short !== undefined ? String(short) : name;
    return make("span", { class: `course-small ${kind}`, "aria-hidden": "true" }, shown);
  }

  function markTile(now) {
    tiles.forEach((tile, index) => {
      const chosen = index === now.tile;
      if (tile.getAttribute("aria-pressed") !== String(chosen)) {
        fill(tile, { "aria-pressed": String(chosen), tabindex: chosen ? 0 : -1 });
      }
    });
  }

  function walkTiles(event, index) {
    const order = ranking(picture, state().sort)?.order ?? tiles.map((_, place) => place);
    const at = order.indexOf(index);
    const { heads } = picture;
    const end = tiles.length - 1 - at;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -heads, ArrowDown: heads, Home: -at, End: end };
    const to = order[at + led(event, steps)];
    if (to === undefined) return;
    view.send({ layer: Math.floor(to / heads), head: to % heads });
    tiles[to].focus();
  }

  // --- The chosen head, in one of four ways, once for each sentence

  function show(name) {
    detail.dataset.view = name;
    views.show(name);
    if (sides.length) drawTables(state());
  }

  // "문장 1", where there are two, and what its picture shows.
  function caption(index, text) {
    const number = make("span", { class: "ax-number" }, words[SIDES[index]]);
    return make("figcaption", {}, ...(picture.sides.length > 1 ? [number, " "] : []), text);
  }

  function buildSides() {
    const held = sides.findIndex((side) => side.root.contains(document.activeElement));
    for (const side of sides) side.watch.disconnect();
    sides = picture.sides.map((_, index) => buildSide(index));
    large.replaceChildren(...sides.map(({ root }) => root));
    facts.replaceChildren(...sides.map(({ lists }) => lists));
    tables.replaceChildren(...sides.map(({ table }) => table));
    for (const node of [large, facts]) node.classList.toggle("ax-two", sides.length > 1);
    if (held >= 0) sides[Math.min(held, sides.length - 1)].focus();
  }

  function buildSide(index) {
    const count = picture.sides[index].tokens.length;
    const strands = buildStrands(index);
    const matrix = buildMatrix(index);
    const lists = buildLists(index);
    const table = buildTable(index);
    const root = make("section", { class: "ax-side", "data-testid": `side-${index}` }, strands.root, matrix.root);
    // The weights of the chosen head: row(i)[j] is how much i looks at j.
    const head = (now) => weights[index].steps.subarray(now.tile * count * count, (now.tile + 1) * count * count);
    return {
      root,
      lists: lists.root,
      table: table.root,
      watch: strands.watch,
      focus: strands.focus,
      drawAll(now) {
        strands.drawAll(head(now), now);
        matrix.drawAll(now);
      },
      settle: (now) => strands.settle(now.places[index]),
      drawChosen(now) {
        const place = now.places[index];
        const map = head(now);
        const looks = place < 0 ? [] : map.subarray(place * count, (place + 1) * count);
        const lookedAt = place < 0 ? [] : Uint16Array.from({ length: count }, (_, i) => map[i * count + place]);
        strands.drawChosen(place, looks, lookedAt, Math.max(now.least, 1));
        matrix.drawChosen(place);
        lists.draw(place, looks, lookedAt, picture.sides[now.here].names[now.token]);
      },
      drawTable: (now) => table.draw(now, head(now)),
    };
  }

  // Tokens twice, and between them a line for each weight: all of them faint on a canvas, the chosen token's on top.
  function buildStrands(index) {
    const { tokens } = picture.sides[index];
    const count = tokens.length;
    const label = picture.sides.length > 1 ? filled(words.query_of, { number: index + 1 }) : words.queries;
    const choose = (token) => view.send({ token, side: SIDES[index] });
    const queries = tokens.map((token, place) => {
      const button = make("button", { type: "button", title: token, "data-testid": `token-${index}-${place}` }, token);
      for (const kind of ["focus", "click", "pointerenter"]) on(view, button, kind, () => choose(place));
      walk(view, button, place, { last: () => count - 1, go: (to) => queries[to].focus(), arrows: "Up Down" });
      return button;
    });
    const keys = tokens.map((token, place) => {
      const node = make("span", { title: token, "data-testid": `key-${index}-${place}` }, token);
      on(view, node, "pointerenter", () => choose(place));
      return node;
    });
    const canvas = make("canvas", { "aria-hidden": "true" });
    const paths = ["ax-in", "ax-out"].map((kind) =>
      Array.from({ length: LEVELS }, (_, level) =>
        svg("path", {
          class: kind,
          "stroke-width": thickness((level + 0.5) / LEVELS) + 1,
          "stroke-opacity": 0.2 + (0.8 * level) / LEVELS,
        }),
      ),
    );
    const top = svg(
      "svg",
      {
        viewBox: `0 0 100 ${count}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
        "data-testid": `lines-${index}`,
      },
      ...paths.flat(),
    );
    const area = make("div", { class: "ax-between" }, canvas, top);
    const root = make(
      "figure",
      { class: "course-panel ax-lines" },
      caption(index, words.strands),
      make(
        "div",
        { class: count > LONG ? "course-frame ax-window" : "" },
        make(
          "div",
          { class: `ax-strands ${count > 12 ? "ax-close" : ""}` },
          make("div", { class: "ax-tokens ax-queries", role: "group", "aria-label": label }, ...queries),
          area,
          make("div", { class: "ax-tokens ax-keys", "aria-hidden": "true" }, ...keys),
        ),
      ),
    );
    let last = null;
    let dense = 1; // pixels of the canvas for one of the layout
    const drawFaint = () => last && drawLines(canvas, count, ...last, dense);
    const watch = new ResizeObserver(() => {
      const box = area.getBoundingClientRect(); // the box on the screen, CSS zoom included
      const sharp = Math.min(2, window.devicePixelRatio || 1);
      canvas.width = Math.round(Math.min(MOST_COLUMNS / count, box.width * sharp));
      canvas.height = Math.round(box.height * sharp);
      dense = canvas.height / area.clientHeight || 1;
      drawFaint();
    });
    watch.observe(area);

    return {
      root,
      watch,
      focus: () => queries.find((button) => button.tabIndex === 0)?.focus(),
      // Tab stops at the chosen token, or at the first.
      settle(place) {
        queries.forEach((button, i) => {
          const index = i === Math.max(place, 0) ? 0 : -1;
          if (button.tabIndex !== index) button.tabIndex = index;
        });
      },
      drawAll(map, now) {
        last = [map, Math.max(now.least, 1)];
        drawFaint();
      },
      drawChosen(place, looks, lookedAt, least) {
        mark(queries, keys, place);
        tint(queries, lookedAt);
        tint(keys, looks);
        join(paths[0], lookedAt, least, (other) => [other, place]);
        join(paths[1], looks, least, (other) => [place, other]);
      },
    };
  }

  // Only what changes is written: a hundred style changes for each move of the mouse would be slow.
  function mark(queries, keys, place) {
    queries.forEach((button, i) => {
      const pressed = String(i === place);
      if (button.getAttribute("aria-pressed") !== pressed) button.setAttribute("aria-pressed", pressed);
      keys[i].classList.toggle("ax-on", i === place);
    });
  }

  function tint(nodes, values) {
    nodes.forEach((node, i) => {
      const share = String(Math.round((50 * (values[i] ?? 0)) / ONE) / 50);
      if (node.dataset.share === share) return;
      node.dataset.share = share;
      node.style.setProperty("--share", share);
    });
  }

  // The lines of one token, a path for each level of weight; ends(other) -> [query, key].
  function join(paths, values, least, ends) {
    const drawn = paths.map(() => "");
    values.forEach((steps, other) => {
      if (steps < least) return;
      const [from, to] = ends(other);
      drawn[levelOf(steps)] += `M0 ${from + 0.5}C45 ${from + 0.5} 55 ${to + 0.5} 100 ${to + 0.5}`;
    });
    paths.forEach((path, level) => {
      if ((path.getAttribute("d") ?? "") !== drawn[level]) path.setAttribute("d", drawn[level]);
    });
  }

  function buildMatrix(index) {
    const { tokens, names } = picture.sides[index];
    const count = tokens.length;
    const canvas = make("canvas", { role: "img", "aria-label": filled(words.matrix_is, { number: index + 1 }) });
    const row = make("div", { class: "ax-row" });
    const column = make("div", { class: "ax-column" });
    const square = make("div", { class: "ax-square" }, canvas, row, column);
    const [lefts, tops] = ["ax-lefts", "ax-tops"].map((kind) =>
      make(
        "div",
        { class: kind, "aria-hidden": "true" },
        ...tokens.map((token, place) => {
          const name = make("span", { title: token }, token);
          name.style.setProperty("--at", (place + 0.5) / count);
          return name;
        }),
      ),
    );
    const readout = make("span", { class: "course-small course-cut ax-readout", "aria-hidden": "true" });
    const name = caption(index, picture.sides.length > 1 ? "" : words.matrix); // the corner says it, too
    name.append(readout);
    const root = make(
      "figure",
      { class: "course-panel ax-cells" },
      name,
      make(
        "div",
        { class: "ax-matrix-box" },
        make(
          "div",
          { class: `ax-matrix ${count > 20 ? "ax-dots" : count > 12 ? "ax-dense" : ""}` },
          make("span", { class: "ax-corner", "aria-hidden": "true" }, words.corner),
          tops,
          lefts,
          square,
        ),
      ),
    );
    root.style.setProperty("--count", count);
    on(view, square, "pointermove", (event) => {
      const box = square.getBoundingClientRect();
      const at = (part) => clamp(Math.floor(part * count), 0, count - 1);
      const [i, j] = [at((event.clientY - box.top) / box.height), at((event.clientX - box.left) / box.width)];
      view.send({ token: i, side: SIDES[index] });
      const steps = weights[index].steps[(state().tile * count + i) * count + j];
      readout.textContent = filled(words.cell, { query: names[i], key: names[j], weight: asWeight(steps) });
    });
    on(view, square, "pointerleave", () => (readout.textContent = ""));

    return {
      root,
      drawAll: (now) => paintMap(canvas, weights[index].steps, now.tile, count, { colors, least: now.least }),
      drawChosen(place) {
        for (const node of [row, column]) {
          node.hidden = place < 0;
          node.style.setProperty("--place", place);
        }
        for (const names of [lefts, tops]) {
          [...names.children].forEach((name, i) => {
            name.classList.toggle("ax-on", i === place);
          });
        }
      },
    };
  }

  // --- The chosen token in words and numbers

  function buildLists(index) {
    const { tokens, names } = picture.sides[index];
    const absent = make("p", { class: "ax-absent" });
    const [looks, lookedAt] = ["ax-looks", "ax-looked-at"].map((kind) => {
      const title = make("p", { class: "course-cut ax-list-title" });
      const items = Array.from({ length: Math.min(LISTED, tokens.length) }, () =>
        make(
          "li",
          {},
          make("span", { class: "ax-name" }),
          make("span", { class: "course-bar ax-bar", "aria-hidden": "true" }),
          make("span"),
        ),
      );
      const list = make("ol", { class: kind, "data-testid": `${kind}-${index}` }, ...items);
      return { root: make("div", {}, title, list), title, items };
    });
    const root = make(
      "section",
      { class: "ax-lists" },
      ...(picture.sides.length > 1 ? [make("p", { class: "ax-sentence" }, make("span", {}, words[SIDES[index]]))] : []),
      absent,
      looks.root,
      lookedAt.root,
    );

    function drawList({ title, items }, template, place, values) {
      const named = filled(template, { token: names[place] });
      write(title, named);
      const best = ranked(values);
      items.forEach((item, rank) => {
        const at = best[rank];
        const [name, bar, shown] = item.children;
        write(name, names[at]);
        if (name.title !== tokens[at]) name.title = tokens[at];
        if (item.weight === values[at]) return;
        item.weight = values[at];
        bar.style.setProperty("--share", values[at] / ONE);
        shown.textContent = asWeight(values[at]);
      });
    }

    return {
      root,
      draw(place, row, column, token) {
        for (const [node, hidden] of [
          [looks.root, place < 0],
          [lookedAt.root, place < 0],
          [absent, place >= 0],
        ]) {
          if (node.hidden !== hidden) node.hidden = hidden;
        }
        if (place < 0) {
          absent.textContent = filled(words.absent, { token });
          return;
        }
        drawList(looks, words.keys_of, place, row);
        drawList(lookedAt, words.queries_to, place, column);
      },
    };
  }

  function buildTable(index) {
    const { tokens, names } = picture.sides[index];
    const count = tokens.length;
    const caption = make("caption");
    const [looks, lookedAt] = [make("th", { scope: "col" }), make("th", { scope: "col" })];
    const rows = tokens.map(() => [make("td"), make("td")]);
    const root = make(
      "table",
      { class: "course-fixed ax-table", "data-testid": `table-${index}` },
      caption,
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, words.column_token), looks, lookedAt)),
      make("tbody", {}, ...tokens.map((token, i) => make("tr", {}, make("th", { scope: "row" }, token), ...rows[i]))),
    );
    return {
      root,
      draw(now, map) {
        const place = now.places[index];
        root.hidden = place < 0;
        if (place < 0) return;
        const named = { number: index + 1, layer: now.layer, head: now.head, token: names[place] };
        caption.textContent = filled(words.table, named);
        looks.textContent = filled(words.column_looks, named);
        lookedAt.textContent = filled(words.column_looked_at, named);
        rows.forEach(([row, column], i) => {
          row.textContent = asWeight(map[place * count + i]);
          column.textContent = asWeight(map[i * count + place]);
        });
      },
    };
  }

  function drawTables(now) {
    if (detail.dataset.view === "table") for (const side of sides) side.drawTable(now);
  }
});

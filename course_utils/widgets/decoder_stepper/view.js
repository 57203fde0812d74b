// What the decoder has said so far, and below it one of two pictures: the next token with the row of cross-attention, or
// the tree of beams with the sentences that were finished.

import {
  clamp,
  courseWidget,
  dense,
  each,
  fill,
  filled,
  make,
  panel,
  row,
  scrolled,
  svg,
  table,
  watch,
  write,
} from "../common.js";
import { choice, slider, stepper, tabs, textBox } from "../controls.js";
import { blend } from "../drawing.js";

const HALF = 2 / 3; // weights above it are dark enough for white letters
const NARROWEST = 44; // pixels of a column of the tree
const A_LETTER = 8; // pixels, a Latin one
const BEND = 4; // pixels before and behind the edge between two columns
const TOKEN = 0.68; // how far above the end of its row the middle of a token stands, in rows

export default courseWidget((view) => {
  const { model, words, constants, controls, stage } = view;
  dense(view, { low: true });
  controls.classList.add("course-lines");
  stage.classList.add("ds-stage", "course-unbounded");
  let reached;
  const bar = addControls();
  const said = make("ol", { class: "course-flow ds-said", "aria-label": words.said, "data-testid": "said" });
  const views = tabs(view, words.views, constants.views, words.view_names, (name) => {
    view.send({ view: name });
    showView();
  });
  const heads = make("span", { class: "course-together ds-heads" });
  const head = stage.parentElement.querySelector(".course-head");
  head.append(views.root);
  stage.append(
    make("div", { class: "course-together ds-line" }, make("span", { "aria-hidden": "true" }, words.said), said),
  );
  const { layers, heads: count } = model.get("picture");
  choice(view, "layer", { label: words.layer, options: numbered(layers), into: heads });
  choice(view, "head", { label: words.head, options: numbered(count), into: heads });

  const drawStep = buildStep();
  const drawTree = buildTree();
  view.onChange(showView);

  return (picture) => {
    bar.max = picture.total;
    bar.value = picture.step;
    reached(picture.step, 1, picture.total);
    each(said, picture.said, () => make("li", { class: "course-token course-chip" }), write);
    drawStep(picture);
    if (picture.tree) drawTree(picture);
  };

  // --- What is chosen

  function addControls() {
    textBox(view, "sentence", { label: words.sentence });
    const total = () => model.get("picture").total ?? 1;
    const move = (by) => view.send({ step: clamp(Math.min(model.get("step"), total()) + by, 1, total()) });
    const buttons = [
      ["back", "◀", -1],
      ["next", "▶", 1],
    ];
    reached = stepper(view, words.steps, buttons, move);
    const steps = slider(view, "step", {
      range: [1, total()],
      say: (step) => `${Math.min(step, total())} / ${total()}`,
    });
    slider(view, "beam_size", { range: [1, constants.most_beams] });
    slider(view, "length_penalty", { range: [0, constants.most_penalty, 0.1], say: (value) => value.toFixed(1) });
    return steps.querySelector("input");
  }

  function showView() {
    stage.dataset.view = model.get("view");
    views.show(model.get("view"));
  }

  function numbered(length) {
    return Array.from({ length }, (_, index) => [index, String(index)]);
  }

  // --- The next token, and where it looks

  function buildStep() {
    const query = make("b", { class: "ds-query", "data-testid": "query" });
    const keys = make("ol", {
      class: "course-flow ds-keys",
      tabindex: 0,
      role: "list",
      "aria-label": words.keys,
      "data-testid": "source",
    });
    const title = make("span");
    const attention = panel(
      view,
      title,
      make(
        "p",
        { class: "course-flow ds-axes" },
        make("span", {}, words.query, " ", query),
        make("span", {}, words.keys),
        scale(),
      ),
      keys,
    );
    const bars = make("ol", { class: "ds-bars", "data-testid": "bars" });
    const rest = make("p", { class: "course-note", "data-testid": "rest" });
    const next = panel(view, words.bars, bars, rest);
    attention.classList.add("ds-step");
    next.classList.add("ds-step");
    for (const figure of [attention, next]) figure.firstChild.classList.add("course-apart");
    attention.firstChild.append(heads);
    return (picture) => {
      const token = picture.said[picture.said.length - 1];
      write(title, words.attention.replace("{token}", token));
      write(query, token);
      each(keys, picture.source, key, drawKey);
      each(bars, picture.bars, barRow, drawBar);
      write(rest, words.rest.replace("{share}", picture.rest));
    };
  }

  function scale() {
    const [zero, one] = ["0", "1"].map((end) => make("span", {}, end));
    return make(
      "span",
      { class: "course-together" },
      words.scale,
      " ",
      zero,
      make("i", { class: "course-palette", "aria-hidden": "true" }),
      one,
    );
  }

  function key() {
    return make("li", {}, make("span", { class: "ds-weight" }), make("span", { class: "course-token ds-token" }));
  }

  function drawKey(node, { token, share, shown }) {
    const [weight, name] = node.children;
    weight.style.background = `rgb(${blend(constants.palette, share).join(" ")})`;
    weight.classList.toggle("ds-dark", share > HALF);
    write(weight, shown);
    write(name, token);
  }

  function barRow() {
    const mark = make("span", { class: "ds-mark" });
    return make(
      "li",
      {},
      make("span", { class: "course-token ds-token" }),
      make("i", { class: "course-bar", "aria-hidden": "true" }),
      make("span"),
      mark,
    );
  }

  function drawBar(node, { token, share, shown, chosen }) {
    const [name, , value, mark] = node.children;
    node.classList.toggle("ds-chosen", chosen);
    node.style.setProperty("--share", share);
    write(name, token);
    write(value, shown);
    write(mark, chosen ? `✓ ${words.chosen}` : "");
  }

  // --- The tree of beams, and what was finished

  function buildTree() {
    const lines = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
    const top = make("div", { class: "course-small ds-top", "aria-hidden": "true" });
    const nodes = make("ol", { class: "ds-nodes", "aria-label": words.tree_is, "data-testid": "tree" });
    const now = make("span", { class: "ds-now" });
    const root = make("span", { class: "ds-root", "aria-hidden": "true" });
    const board = make("div", { class: "ds-board" }, lines, root, nodes, now);
    const box = make(
      "div",
      { class: "course-frame ds-box", tabindex: 0, role: "region", "aria-label": words.tree_is },
      make("div", { class: "ds-paper" }, top, board),
    );
    const figure = panel(view, words.tree, box);
    figure.firstChild.classList.add("course-apart");
    figure.firstChild.append(legend());
    figure.classList.add("course-row", "ds-beam");
    const drawDone = buildDone();
    let end = 0; // of the column that is seen, as a share of the width
    watch(view, reveal, box);
    return ({ tree, step }) => {
      const { x, edges } = columns(tree);
      const wide = edges[edges.length - 1];
      const share = (at) => `${(100 * x[at]) / wide}%`;
      for (const [name, value] of Object.entries({ rows: tree.rows, wide, root: x[0] / wide })) {
        box.style.setProperty(`--${name}`, value);
      }
      const [left, right] = edges.slice(step - 1);
      now.style.left = `${(100 * left) / wide}%`;
      now.style.width = `${(100 * (right - left)) / wide}%`;
      each(
        top,
        x.slice(1),
        () => make("span"),
        (node, _, index) => {
          write(node, String(index + 1));
          node.style.left = share(index + 1);
          node.classList.toggle("ds-on", index + 1 === step);
        },
      );
      fill(lines, { viewBox: `0 0 ${wide} ${tree.rows}` });
      each(
        lines,
        [...tree.nodes].sort((one, other) => one.best - other.best), // the best path lies on top
        () => svg("path"),
        (path, node) => fill(path, { class: look(node), d: line(tree, node, x, edges) }),
      );
      each(
        nodes,
        tree.nodes,
        () => make("li", {}, make("b"), make("span")),
        (item, node) => {
          const state = node.state === "finished" ? words.done : words[node.state];
          const facts = { ...node, state: node.best ? `${state}, ${words.best}` : state };
          fill(item, { class: look(node), title: filled(words.place, facts) });
          item.style.left = share(node.step);
          item.style.top = `${(100 * (node.rank - 1)) / tree.rows}%`;
          write(item.firstChild, node.token);
          write(item.lastChild, node.shown);
        },
      );
      end = right / wide;
      reveal();
      drawDone(tree.finished);
    };

    // Scrolls the box, and nothing around it, so that the column is seen and as much as there is room for before it.
    function reveal() {
      box.scrollLeft = end * box.scrollWidth - box.clientWidth;
    }
  }

  // Columns wide enough for their longest tokens: their edges, and the middle of each; x[0] is the root's.
  function columns(tree) {
    const [x, edges] = [[10], [16]];
    for (const letters of tree.widths) {
      const width = Math.max(NARROWEST, A_LETTER * letters + 18);
      x.push(edges[edges.length - 1] + width / 2);
      edges.push(edges[edges.length - 1] + width);
    }
    return { x, edges };
  }

  // From the parent's token along its row, down between the columns, where no number stands, and to the token.
  function line({ nodes }, { parent, step, rank }, x, edges) {
    const [from, start] = parent < 0 ? [x[0], 1 - TOKEN] : [x[nodes[parent].step], nodes[parent].rank - TOKEN];
    const between = edges[step - 1];
    const end = rank - TOKEN;
    const bend = `H ${between - BEND} C ${between} ${start} ${between} ${end} ${between + BEND} ${end}`;
    return `M ${from} ${start} ${bend} H ${x[step]}`;
  }

  function look({ state, best }) {
    return `ds-${state}${best ? " ds-best" : ""}`;
  }

  function legend() {
    const entries = [
      ["best", "ds-kept ds-best"],
      ["kept", "ds-kept"],
      ["dropped", "ds-dropped"],
      ["done", "ds-finished"],
    ].map(([name, kind]) => make("span", {}, make("i", { class: kind, "aria-hidden": "true" }), words[name]));
    return make("span", { class: "course-legend ds-legend" }, ...entries, make("span", {}, words.number));
  }

  function buildDone() {
    const body = make("tbody");
    const heads = [words.finished, words.log_probability, words.length, words.score];
    const results = table({ class: "course-table course-fixed ds-table", "data-testid": "finished" }, heads, body);
    const none = make("p", { class: "course-note" }, words.none_finished);
    const box = scrolled("ds-done", words.finished, results);
    view.stage.append(make("div", { class: "ds-beam ds-last" }, none, box));
    return (finished) => {
      none.hidden = finished.length > 0;
      box.hidden = !none.hidden;
      each(
        body,
        finished,
        () => row(3),
        (line, sentence) => {
          line.classList.toggle("ds-first", sentence.best);
          fill(line.firstChild, { class: "course-cut", title: sentence.text });
          [sentence.text, sentence.log_probability, String(sentence.length), sentence.score].forEach((text, at) => {
            write(line.children[at], text);
          });
        },
      );
    };
  }
});

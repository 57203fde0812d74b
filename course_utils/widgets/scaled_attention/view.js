// Left the plane with keys and the query to drag, in the middle scores and weights, right values, hull and context.

import { clamp, courseWidget, each, fill, make, number, panel, row, svg, table, write } from "../common.js";
import { checkbox, slider } from "../controls.js";
import { arrow, movable, nameBeyond, plane } from "../drawing.js";

export default courseWidget((view) => {
  const { model, words, constants } = view;
  slider(view, "d_k", {
    range: [1, Math.log2(constants.largest_d_k)],
    toPosition: Math.log2,
    toValue: (position) => 2 ** position,
  });
  checkbox(view, "scaled", { label: words.scaled });
  slider(view, "temperature", {
    range: [-1, 1, 0.05],
    toPosition: Math.log10,
    toValue: (position) => Number((10 ** position).toPrecision(3)),
    say: (value) => number(value),
  });

  let drawnReach = 0; // keys and values stand still: they are drawn anew when the plane shows more, for a far query
  const left = plane();
  const axes = svg("g", { class: "sa-axes" });
  const keys = svg("g", { class: "sa-key sense-1" });
  const query = svg("g", { class: "sa-query" });
  const handle = svg("g", { "data-testid": "query" });
  left.root.append(axes, keys, query, handle);
  panel(view, words.plane, left.root, make("p", { class: "course-note course-hint" }, words.query_hint));
  movable(view, handle, {
    surface: left,
    label: words.query,
    at: () => model.get("query"),
    say: () => {
      const [x, y] = model.get("query").map((value) => number(value));
      return words.query_position.replace("{x}", x).replace("{y}", y);
    },
    move: (to) => {
      const { reach } = model.get("picture");
      view.send({ query: to.map((value) => Number(clamp(value, -reach, reach).toFixed(2))) });
    },
  });

  const rows = make("tbody");
  const heads = [words.word, words.score, words.weight];
  const formula = make("p", { class: "course-note" });
  panel(view, words.bars, table({ class: "course-fixed sa-table" }, heads, rows), formula);

  const right = plane({ margin: 38 });
  const [hull, pulls, places, mixed] = ["polygon", "g", "g", "g"].map((tag) => svg(tag));
  right.root.append(fill(hull, { class: "sa-hull" }), pulls, places, mixed);
  panel(view, words.mixture, right.root);

  const draw = (picture) => {
    if (picture.reach !== drawnReach) {
      drawnReach = picture.reach;
      drawPlane(picture);
      drawValues(picture);
    }
    drawQuery(picture);
    drawRows(picture);
    drawMixture(picture);
  };
  return { draw, follow: drawQuery };

  function drawPlane({ words: names, keys: vectors, reach }) {
    left.range(-reach, reach, -reach, reach);
    const [x0, y0] = [left.x(0), left.y(0)];
    axes.replaceChildren(
      svg("line", { x1: left.x(-reach), y1: y0, x2: left.x(reach), y2: y0 }),
      svg("line", { x1: x0, y1: left.y(-reach), x2: x0, y2: left.y(reach) }),
    );
    keys.replaceChildren(
      ...vectors.flatMap(([x, y], j) => [
        arrow(x0, y0, left.x(x), left.y(y)),
        nameBeyond(left, names[j], left.x(x), left.y(y), x0, y0),
      ]),
    );
  }

  function drawQuery({ reach }) {
    const [x0, y0] = [left.x(0), left.y(0)];
    const [x, y] = model.get("query").map((value, axis) => (axis ? left.y : left.x)(clamp(value, -reach, reach)));
    query.replaceChildren(arrow(x0, y0, x, y));
    handle.replaceChildren(
      svg("circle", { cx: x, cy: y, r: 17, class: "course-halo" }),
      svg("circle", { cx: x, cy: y, r: 7, class: "sa-knob" }),
      nameBeyond(left, words.query, x, y, x, y - 1, 18), // below: further out stands a key's name
    );
  }

  function drawRows({ words: names, scores, weights, formula: how }) {
    write(formula, how);
    const best = weights.indexOf(Math.max(...weights));
    each(rows, names, wordRow, (node, name, j) => {
      const [head, score, weight] = node.children;
      const [bar, shown] = weight.firstChild.children;
      fill(node, { class: j === best && "sa-best" });
      write(head.firstChild, name);
      write(score, number(scores[j], Math.abs(scores[j]) < 100 ? 2 : 0));
      fill(bar, { style: `--share: ${weights[j]}` });
      write(shown, number(weights[j]));
    });
  }

  function wordRow() {
    const bar = make("span", { class: "course-bar sa-bar", "aria-hidden": "true" });
    const node = row(2);
    fill(node.firstChild, { class: "course-cut" }, make("span"));
    node.lastChild.append(make("div", { class: "course-together" }, bar, make("span")));
    return node;
  }

  function drawValues({ words: names, values, hull: corners }) {
    const [xs, ys] = [0, 1].map((axis) => values.map((value) => value[axis]));
    const half = 0.5 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys), 1e-6);
    const [mx, my] = [xs, ys].map((all) => (Math.max(...all) + Math.min(...all)) / 2);
    right.range(mx - half, mx + half, my - half, my + half);
    const [ox, oy] = at([mx, my]);
    fill(hull, { points: corners.map((j) => at(values[j])).join(" ") });
    places.replaceChildren(
      ...values.flatMap((value, j) => {
        const [x, y] = at(value);
        return [
          svg("rect", { class: "sa-value", x: x - 5, y: y - 5, width: 10, height: 10, rx: 2 }),
          nameBeyond(right, names[j], x, y, ox, oy, 10),
        ];
      }),
    );
  }

  function drawMixture({ values, context, weights }) {
    const [cx, cy] = at(context);
    each(
      pulls,
      values,
      () => svg("line", { class: "sa-pull" }),
      (node, value, j) => {
        const [x2, y2] = at(value);
        fill(node, { x1: cx, y1: cy, x2, y2, "stroke-width": 1 + 7 * weights[j], opacity: 0.15 + 0.6 * weights[j] });
      },
    );
    mixed.replaceChildren(
      svg("circle", { class: "sa-context", cx, cy, r: 8 }),
      nameBeyond(right, words.context, cx, cy, cx, cy + 1, 12),
    );
  }

  function at([x, y]) {
    return [right.x(x), right.y(y)];
  }
});

// Left the loss with the unigram line; in the middle the accuracy of both next-sentence classes, under it the learning
// rate. One upright line through all of them marks the snapshot that is shown. Right: what it fills in at [MASK].

import { courseWidget, dense, each, fill, make, number, panel, svg, write } from "../common.js";
import { slider, textBox } from "../controls.js";
import { label } from "../drawing.js";

export default courseWidget((view) => {
  const { model, words, constants } = view;
  dense(view);
  const WIDTH = 272;
  const [LEFT, RIGHT] = [56, WIDTH - 12];
  const [TOP, FOOT] = [10, 25];

  const bar = make("progress", { class: "tr-progress", "aria-label": words.progress, "data-testid": "progress" });
  const progress = make(
    "span",
    { class: "course-control tr-scale" },
    make("span", {}, words.progress),
    bar,
    make("output"),
  );
  view.controls.append(progress);
  const scrub = slider(view, "snapshot", {
    range: [0, 0],
    say: (at) => {
      const { snapshots } = model.get("curves");
      return snapshots[at] ? words.step.replace("{step}", snapshots[at][0].toLocaleString("en")) : "";
    },
  });
  scrub.classList.add("tr-scale");
  textBox(view, "sentence", { label: words.sentence });

  const loss = drawing(words.loss, 190, "loss");
  const rate = drawing(words.rate, 74, "rate");
  const next = drawing(words.next, 134, "next");
  panel(view, words.loss, loss.root, make("p", { class: "course-note" }, words.loss_hint));
  const middle = panel(
    view,
    words.next,
    next.root,
    legend([
      ["sense-0", words.is_next],
      ["tr-not sense-1", words.is_not],
    ]),
  );
  middle.append(make("p", { class: "tr-caption" }, words.rate), rate.root);
  const list = make("ol", { class: "tr-words", "data-testid": "words" });
  panel(view, words.fills, list);

  let drawn = null; // the curves on the screen
  let scales = {};

  // The curves may have grown beneath a picture that stays: a snapshot more, while an earlier one is looked at.
  const follow = (picture) => {
    if (model.get("curves") !== drawn) draw(picture);
  };
  return { draw, follow };

  function draw({ here, done, words: filled }) {
    const curves = model.get("curves");
    const { steps, snapshots } = curves;
    fill(bar, { max: steps, value: done });
    write(progress.querySelector("output"), `${done.toLocaleString("en")} / ${steps.toLocaleString("en")}`);
    const input = scrub.querySelector("input");
    fill(input, { max: Math.max(0, snapshots.length - 1), disabled: snapshots.length < 2 });
    input.value = model.get("snapshot");
    if (curves !== drawn) {
      drawn = curves;
      drawCurves(curves);
    }

    const at = here === null ? null : snapshots[here][0];
    for (const [place, scale] of [
      [loss, scales.loss],
      [rate, scales.rate],
      [next, scales.next],
    ]) {
      fill(place.upright, {
        x1: scale.x(at ?? 0),
        x2: scale.x(at ?? 0),
        visibility: at === null ? "hidden" : "visible",
      });
    }
    each(
      loss.marks,
      snapshots,
      () => svg("circle"),
      (node, [step, value], place) =>
        fill(node, {
          cx: scales.loss.x(step),
          cy: scales.loss.y(value),
          r: place === here ? 7 : 4,
          class: place === here ? "tr-here" : "tr-held",
        }),
    );
    const dots =
      here === null
        ? []
        : [
            [snapshots[here][2], "sense-0"],
            [snapshots[here][3], "tr-not sense-1"],
          ];
    each(
      next.marks,
      dots,
      () => svg("circle", { r: 6 }),
      (node, [value, look]) => fill(node, { cx: scales.next.x(at), cy: scales.next.y(value), class: `tr-dot ${look}` }),
    );

    const most = Math.max(1e-9, ...filled.map(({ share }) => share));
    each(list, filled, word, (node, { token, share }) => {
      const [name, track, said] = node.children;
      fill(name, { title: token });
      write(name, token);
      track.style.setProperty("--share", share / most);
      write(said, `${number(100 * share, 1)}%`);
    });
  }

  function word() {
    return make(
      "li",
      {},
      make("b"),
      make("span", { class: "course-bar tr-bar", "aria-hidden": "true" }),
      make("span", { class: "tr-share" }),
    );
  }

  function drawCurves({ steps, unigram, records, snapshots }) {
    const losses = [...records.map((r) => r[1]), ...snapshots.map((s) => s[1]), unigram];
    const [low, high] = [Math.floor(Math.min(...losses) - 0.2), Math.ceil(Math.max(...losses) + 0.2)];
    const curve = axes(loss, steps, low, high, span(low, high, 5), String);
    loss.layer.append(
      line(
        curve,
        [
          [0, unigram],
          [steps, unigram],
        ],
        "tr-mark",
      ),
      label(RIGHT - 4, curve.y(unigram) - 7, words.unigram, "end"),
      line(
        curve,
        records.map((r) => [r[0], r[1]]),
        "tr-train sense-0",
      ),
    );
    const peak = Math.max(1e-9, ...records.map((r) => r[2]));
    const rates = axes(rate, steps, 0, peak, [], String);
    rate.layer.append(
      line(
        rates,
        records.map((r) => [r[0], r[2]]),
        "sense-2",
      ),
    );

    const classes = axes(next, steps, 0, 1, [0, 0.25, 0.5, 0.75, 1], (value) => `${100 * value}%`);
    next.layer.append(
      line(
        classes,
        [
          [0, constants.chance],
          [steps, constants.chance],
        ],
        "tr-mark",
      ),
      label(LEFT + 4, classes.y(constants.chance) - 7, words.chance, "start"), // where both classes begin: far from chance
      ...[
        [2, "sense-0"],
        [3, "tr-not sense-1"],
      ].map(([column, look]) =>
        line(
          classes,
          snapshots.map((s) => [s[0], s[column]]),
          look,
        ),
      ),
    );
    scales = { loss: curve, rate: rates, next: classes };
  }

  // A drawing: the line of the snapshot, the curves, which change while the model learns, and the marks of the snapshot.
  function drawing(title, height, testid) {
    const [layer, marks] = [svg("g"), svg("g")];
    const upright = svg("line", { y1: TOP, y2: height - FOOT, class: "tr-at" });
    const look = { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title, "data-testid": testid };
    return { root: svg("svg", look, upright, layer, marks), layer, upright, marks, height };
  }

  // Empties a drawing's layer and puts a frame and ticks into it; returns its scales.
  function axes({ layer, height }, steps, low, high, ticks, say) {
    const [top, bottom] = [TOP, height - FOOT];
    const x = (step) => LEFT + (step / steps) * (RIGHT - LEFT);
    const y = (value) => bottom - ((value - low) / (high - low || 1)) * (bottom - top);
    layer.replaceChildren(
      svg("rect", { x: LEFT, y: top, width: RIGHT - LEFT, height: bottom - top, class: "tr-frame" }),
    );
    for (const value of ticks) {
      layer.append(
        svg("line", { x1: LEFT, x2: RIGHT, y1: y(value), y2: y(value), class: "course-grid" }),
        label(LEFT - 7, y(value) + 5, say(value), "end"),
      );
    }
    layer.append(label(LEFT, bottom + 19, "0", "middle"), label(RIGHT, bottom + 19, steps.toLocaleString("en"), "end"));
    return { x, y };
  }

  function line({ x, y }, points, look) {
    return svg("polyline", {
      class: `course-curve ${look}`,
      points: points.map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" "),
    });
  }

  function legend(entries) {
    return make(
      "p",
      { class: "course-note course-legend tr-legend" },
      ...entries.map(([look, name]) =>
        make(
          "span",
          {},
          svg(
            "svg",
            { viewBox: "0 0 30 12", "aria-hidden": "true" },
            svg("polyline", { class: `course-curve ${look}`, points: "1,6 29,6" }),
          ),
          name,
        ),
      ),
    );
  }

  function span(low, high, count) {
    const step = Math.max(1, Math.ceil((high - low) / count));
    return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step);
  }
});

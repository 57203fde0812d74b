// Two controls, fault and layer; a table with one row for each stage: its name, a bar on a logarithmic scale with the
// limit as a dashed line, the difference, and a word for it. The first row that departs is framed and marked.

import { choice, clamp, courseWidget, dense, each, fill, make, panel, slider, write } from "../common.js";

export default courseWidget((view) => {
  const { model, words } = view;
  dense(view, { low: true });
  const { faults, layers, tolerance } = model.get("setup");
  const LOW = -9; // powers of ten at both ends of the scale
  const HIGH = 2;
  const share = (value) => clamp((Math.log10(value) - LOW) / (HIGH - LOW), 0, 1);

  choice(view, "fault", { label: words.fault, options: faults.map((name) => [name, name]) });
  const layer = slider(view, "layer", {
    label: words.layer,
    min: 1,
    max: layers,
    step: 1,
    say: (value) => words.layer_is.replace("{layer}", value),
  });

  const scale = make(
    "td",
    { class: "pd-scale", "aria-hidden": "true" },
    ...[-9, -7, -5, -3, -1, 1].map((power) => {
      const mark = make("span", {}, `10${superscript(power)}`);
      mark.style.left = `calc(var(--pad) + (100% - 2 * var(--pad)) * ${share(10 ** power)})`; // as the tracks: inside the padding
      return mark;
    }),
  );
  const head = [words.stage, words.size, words.difference, words.verdict].map((name) =>
    make("th", { scope: "col" }, name),
  );
  const body = make("tbody");
  const table = make(
    "table",
    { class: "pd-table", "data-testid": "stages" },
    make("thead", {}, make("tr", {}, ...head)),
    body,
    make(
      "tfoot",
      { "aria-hidden": "true" },
      make("tr", { class: "pd-foot" }, make("td"), scale, make("td"), make("td")),
    ),
  );
  const frame = make("div", { class: "pd-frame", tabindex: 0, role: "region", "aria-label": words.picture }, table);
  panel(view, words.picture, frame, make("p", { class: "course-note" }, words.hint)).classList.add("course-row");
  table.style.setProperty("--limit", share(tolerance));

  let shown = null; // the first row that departs, when it was drawn last
  const watch = new ResizeObserver(() => reveal()); // in lecture mode, rows have other heights
  watch.observe(frame);
  view.signal.addEventListener("abort", () => watch.disconnect());
  return ({ rows, first, layer_counts: counts }) => {
    layer.classList.toggle("pd-unused", !counts);
    layer.querySelector("input").disabled = !counts;
    each(body, rows, line, (node, { stage, difference, shown, departs }, i) => {
      const [name, track, size, verdict] = node.children;
      fill(node, { class: [departs ? "pd-departs" : "pd-same", i === first ? "pd-first" : ""].join(" ") });
      write(name, stage);
      track.firstChild.firstChild.style.setProperty(
        "--share",
        difference === null ? 1 : difference > 0 ? share(difference) : 0,
      );
      write(size, shown);
      write(verdict, i === first ? words.first : departs ? words.departs : words.same);
    });
    if (first !== shown) {
      shown = first;
      reveal();
    }
  };

  // Scrolls a long table, and nothing around it, so far that the first row that departs is in its middle.
  function reveal() {
    const row = body.children[shown ?? 0];
    if (row) frame.scrollTop = row.offsetTop - (frame.clientHeight - row.offsetHeight) / 2;
  }

  function line(place) {
    const track = make("div", { class: "pd-track" }, make("span", { class: "pd-bar" }));
    return make(
      "tr",
      { "data-testid": `stage-${place}` },
      make("th", { scope: "row" }),
      make("td", { "aria-hidden": "true" }, track),
      make("td"),
      make("td"),
    );
  }

  function superscript(power) {
    return String(power)
      .replace("-", "⁻")
      .replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  }
});

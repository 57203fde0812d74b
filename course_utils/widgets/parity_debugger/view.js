// Two controls, fault and layer; a table with one row for each stage: its name, a bar on a logarithmic scale with the
// limit as a dashed line, the difference, and a word for it. The first row that departs is framed and marked.

import { clamp, courseWidget, dense, each, fill, make, panel, row, scrolled, table, watch, write } from "../common.js";
import { choice, slider } from "../controls.js";

export default courseWidget((view) => {
  const { model, words } = view;
  dense(view, { low: true });
  const { faults, layers, tolerance } = model.get("setup");
  const LOW = -9; // powers of ten at both ends of the scale
  const HIGH = 2;
  const share = (value) => clamp((Math.log10(value) - LOW) / (HIGH - LOW), 0, 1);

  choice(view, "fault", { label: words.fault, options: faults.map((name) => [name, name]) });
  const layer = slider(view, "layer", { range: [1, layers], say: (value) => words.layer_is.replace("{layer}", value) });

  const scale = make(
    "td",
    { class: "pd-scale", "aria-hidden": "true" },
    ...[-9, -7, -5, -3, -1, 1].map((power) => {
      const mark = make("span", {}, `10${superscript(power)}`);
      mark.style.left = `calc(var(--pad) + (100% - 2 * var(--pad)) * ${share(10 ** power)})`; // as the tracks: inside the padding
      return mark;
    }),
  );
  const body = make("tbody");
  const heads = [words.stage, words.size, words.difference, words.verdict];
  const stages = table({ class: "course-fixed pd-table", "data-testid": "stages" }, heads, body);
  const foot = make("tr", { class: "pd-foot" }, make("td"), scale, make("td"), make("td"));
  stages.append(make("tfoot", { "aria-hidden": "true" }, foot));
  const frame = scrolled("course-frame pd-frame", words.picture, stages);
  panel(view, words.picture, frame, make("p", { class: "course-note" }, words.hint)).classList.add("course-row");
  stages.style.setProperty("--limit", share(tolerance));

  let shown = null; // the first row that departs, when it was drawn last
  watch(view, () => reveal(), frame); // in lecture mode, rows have other heights
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
    const track = make("div", { class: "course-track pd-track" }, make("i", { class: "pd-bar" }));
    const node = row(3, { "data-testid": `stage-${place}` });
    fill(node.children[1], { "aria-hidden": "true" }, track);
    return node;
  }

  function superscript(power) {
    return String(power)
      .replace("-", "⁻")
      .replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  }
});

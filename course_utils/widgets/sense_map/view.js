// Sentences as points; the pointer reads out the nearest one, the arrow keys walk from one to the next.

import { clamp, compact, courseWidget, fill, make, on, panel, svg, write } from "../common.js";
import { button, choice, led, slider } from "../controls.js";
import { plane, SENSE_SHAPES, senseMark } from "../drawing.js";

export default courseWidget((view) => {
  const { model, words } = view;
  view.stage.classList.add("course-columns", "sm-stage");
  compact(view);
  const names = model.get("picture").words ?? [];
  choice(view, "word", { label: words.word, options: names.map((name) => [name, name]) });
  slider(view, "layer", {
    range: [0, model.get("picture").layers ?? 0],
    say: (layer) => (layer ? String(layer) : words.embeddings),
  });
  const play = button(view, { label: words.play, testid: "play", press: climb });
  let climbing = 0;

  const area = plane({ width: 720, height: 412, margin: 26 });
  area.range(-1.55, 1.55, -1.05, 1.05);
  fill(area.root, { "data-testid": "map" });
  const marks = svg("g", { "aria-hidden": "true" });
  const hovering = svg("circle", { class: "sm-hover", r: 13, visibility: "hidden" });
  const ring = svg("circle", { class: "sm-ring course-glide", r: 12 });
  const cursor = svg(
    "g",
    { class: "sm-cursor", role: "slider", tabindex: 0, "aria-label": words.cursor, "data-testid": "cursor" },
    ring,
  );
  area.root.append(marks, hovering, cursor);
  const sentence = make("p", { class: "sm-sentence", "data-testid": "sentence" });
  panel(view, words.map, area.root).classList.add("course-broad", "sm-map");
  const legend = make("ul", { class: "sm-legend", "data-testid": "legend" });
  panel(view, words.senses, legend, sentence);
  view.stage.append(make("p", { class: "course-note sm-hint" }, words.hint));

  let picture = null;
  let order = []; // sense by sense
  listen();
  view.signal.addEventListener("abort", () => clearInterval(climbing));

  return (next) => {
    // The points of one word glide from layer to layer; those of another are others.
    const same = picture && String(picture.texts) === String(next.texts);
    picture = next;
    const at = place().map(([x, y]) => ({ style: `transform: translate(${x}px, ${y}px)` }));
    const mark = (kind) => svg("g", { class: "course-glide" }, senseMark(kind, 0, 0, 7));
    if (!same) marks.replaceChildren(...picture.kinds.map(mark));
    at.forEach((there, index) => {
      fill(marks.children[index], there);
    });
    legend.replaceChildren(
      ...picture.senses.map(({ shown }, kind) =>
        make("li", {}, svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, senseMark(kind, 12, 12, 8)), shown),
      ),
    );
    order = picture.points.map((_, index) => index).sort((a, b) => picture.kinds[a] - picture.kinds[b] || a - b);
    fill(ring, at[picture.chosen]);
    fill(cursor, {
      "aria-valuemin": 1,
      "aria-valuemax": order.length,
      "aria-valuenow": order.indexOf(picture.chosen) + 1,
      "aria-valuetext": `${picture.senses[picture.kinds[picture.chosen]].shown}: ${picture.texts[picture.chosen].join("")}`,
    });
    hovering.setAttribute("visibility", "hidden");
    read(picture.chosen);
  };

  // From the embeddings up, a layer a second.
  function climb() {
    const stop = () => {
      clearInterval(climbing);
      climbing = 0;
      write(play, words.play);
    };
    if (climbing) return stop();
    write(play, words.pause);
    view.send({ layer: 0 });
    climbing = setInterval(() => {
      const layer = Math.min(model.get("layer") + 1, picture.layers);
      view.send({ layer });
      if (layer === picture.layers) stop();
    }, 1000);
  }

  function place() {
    return picture.points.map(([x, y]) => [area.x(x * 1.4), area.y(y)]);
  }

  function read(index) {
    const [before, word, after] = picture.texts[index];
    const kind = picture.kinds[index];
    sentence.replaceChildren(
      make("b", { class: `sense-${kind % SENSE_SHAPES.length}` }, `${picture.senses[kind].shown} · `),
      before,
      make("mark", {}, word),
      after,
    );
  }

  // The point nearest to the pointer, if it is near at all.
  function nearest(event) {
    const [pointerX, pointerY] = area.drawing(event);
    let [best, least] = [-1, 30];
    place().forEach(([x, y], index) => {
      const away = Math.hypot(x - pointerX, y - pointerY);
      if (away < least) [best, least] = [index, away];
    });
    return best;
  }

  function listen() {
    on(view, area.root, "pointermove", (event) => {
      const index = nearest(event);
      hovering.setAttribute("visibility", index < 0 ? "hidden" : "visible");
      if (index >= 0) {
        const [cx, cy] = place()[index];
        fill(hovering, { cx, cy });
      }
      read(index < 0 ? picture.chosen : index);
    });
    on(view, area.root, "pointerleave", () => {
      hovering.setAttribute("visibility", "hidden");
      read(picture.chosen);
    });
    on(view, area.root, "click", (event) => {
      const index = nearest(event);
      if (index < 0) return;
      cursor.focus({ preventScroll: true });
      view.send({ point: index });
    });
    on(view, cursor, "keydown", (event) => {
      // From where the learner is, which the picture may not show yet: of two quick presses neither is lost.
      const point = clamp(model.get("point"), 0, order.length - 1);
      const now = order.indexOf(point);
      const kinds = picture.senses.length;
      const sense = (step) =>
        order.findIndex((index) => picture.kinds[index] === (picture.kinds[point] + step + kinds) % kinds);
      const across = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: order.length - 1 };
      const to = led(event, { ...across, ArrowDown: sense(1), ArrowUp: sense(-1) });
      if (to !== undefined) view.send({ point: order[clamp(to, 0, order.length - 1)] });
    });
  }
});

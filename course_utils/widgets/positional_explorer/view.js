// Left positions × dimensions with the two positions to move, in the middle their similarity by distance, right a wave.

import { clamp, courseWidget, dense, fill, make, number, on, panel, svg } from "../common.js";
import { FAR, led, slider } from "../controls.js";
import { blend, label, plane } from "../drawing.js";

export default courseWidget((view) => {
  const { model, words, constants } = view;
  dense(view);
  slider(view, "hidden_size", {
    range: [1, Math.log2(constants.largest_hidden_size)],
    toPosition: (size) => Math.round(Math.log2(size)),
    toValue: (position) => 2 ** position,
  });
  let dimension;
  view.onChange(() => fill(dimension, { max: model.get("hidden_size") - 1 })); // before the slider takes its value
  dimension = slider(view, "dimension", { range: [0, constants.largest_hidden_size - 1] }).querySelector("input");

  const NAMES = { first: "A", second: "B" };
  const LOOKS = { first: "sense-0", second: "sense-1" };
  const left = plane({ margin: 34 });
  const heat = svg("image", { preserveAspectRatio: "none", class: "pe-heat" });
  const rows = svg("g");
  const frame = svg("g", { class: "pe-axes" });
  const handles = { first: svg("g", { "data-testid": "first" }), second: svg("g", { "data-testid": "second" }) };
  left.root.append(heat, frame, rows, handles.first, handles.second);
  panel(view, words.heat, left.root, make("p", { class: "course-note" }, words.heat_hint));
  makeMovable();

  const middle = plane({ margin: 34, label: words.similarity });
  panel(view, words.similarity, middle.root, make("p", { class: "course-note" }, words.similarity_note));
  const right = plane({ margin: 34, label: words.wave });
  const waveNote = make("p", { class: "course-note" });
  panel(view, words.wave, right.root, waveNote);

  let painted = "";
  let drawn = ""; // what similarity and wave were drawn for; the place of B alone makes no new picture
  const seenFrom = () => `${model.get("first")} ${model.get("dimension")}`;
  const draw = (picture) => {
    drawn = seenFrom();
    drawHeat(picture);
    drawSimilarity(picture);
    drawWave(picture);
  };
  const follow = (picture) => (seenFrom() === drawn ? draw(picture) : drawHeat(picture));
  return { draw, follow };

  // Two handles on one surface: the pointer takes the nearer one; a handle with the focus follows the keys.
  function makeMovable() {
    const last = () => model.get("picture").length - 1;
    const move = (which, to) => view.send({ [which]: clamp(Math.round(to), 0, last()) });
    let dragged = null;
    left.root.classList.add("course-surface");
    on(view, left.root, "pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      const at = left.data(event)[1];
      const away = (which) => Math.abs(model.get(which) - at);
      dragged = away("first") <= away("second") ? "first" : "second";
      left.root.setPointerCapture(event.pointerId);
      handles[dragged].focus({ preventScroll: true });
      move(dragged, at);
    });
    on(view, left.root, "pointermove", (event) => dragged && move(dragged, left.data(event)[1]));
    for (const end of ["pointerup", "pointercancel"]) {
      on(view, left.root, end, () => (dragged = null));
    }
    for (const [which, handle] of Object.entries(handles)) {
      fill(handle, {
        role: "slider",
        tabindex: 0,
        "aria-label": words[which],
        "aria-valuemin": 0,
        class: `course-handle ${LOOKS[which]}`,
      });
      on(view, handle, "keydown", (event) => {
        const far = event.shiftKey ? 5 : 1;
        const near = { ArrowUp: -far, ArrowLeft: -far, ArrowDown: far, ArrowRight: far };
        const by = led(event, { ...near, Home: -FAR, End: FAR });
        if (by !== undefined) move(which, model.get(which) + by);
      });
      view.onChange(() =>
        fill(handle, {
          "aria-valuenow": model.get(which),
          "aria-valuemax": last(),
          "aria-valuetext": words.position.replace("{t}", model.get(which)),
        }),
      );
    }
  }

  function drawHeat({ length, hidden_size: size, reach, shades }) {
    left.range(-0.5, size - 0.5, length - 0.5, -0.5); // position 0 at the top
    const [x, y] = [left.x(-0.5), left.y(-0.5)];
    const [right_, bottom] = [left.x(size - 0.5), left.y(length - 0.5)];
    if (painted !== shades) {
      painted = shades;
      fill(heat, { x, y, width: right_ - x, height: bottom - y, href: paint(shades, size, length) });
    }
    const column = left.x(Math.min(model.get("dimension"), size - 1));
    const under = label(
      clamp(column, 42, left.width - 42),
      bottom + 25,
      `${words.dimension_short} ${model.get("dimension")}`,
    );
    frame.replaceChildren(
      svg("polygon", {
        class: "pe-pointer",
        points: `${column},${bottom + 1} ${column - 6},${bottom + 10} ${column + 6},${bottom + 10}`,
      }),
      under,
      svg(
        "text",
        { "text-anchor": "middle", x: (x + right_) / 2, y: 20 },
        words.scale.replaceAll("{reach}", number(reach, reach > 1 ? 1 : 0)),
      ),
    );
    const high = Math.max(2, (bottom - y) / length) + 3;
    rows.replaceChildren(
      ...Object.keys(NAMES).flatMap((which) => {
        const row = { x: x - 1.5, y: left.y(model.get(which)) - high / 2, width: right_ - x + 3, height: high, rx: 2 };
        return [
          svg("rect", { ...row, class: "pe-row-halo" }),
          svg("rect", { ...row, class: `pe-row ${LOOKS[which]}` }),
        ];
      }),
    );
    for (const [which, handle] of Object.entries(handles)) {
      const [edge, out] = which === "first" ? [x, -1] : [right_, 1];
      const at = left.y(model.get(which));
      handle.replaceChildren(
        svg("circle", { cx: edge + out * 18, cy: at, r: 14, class: "pe-halo" }),
        svg("polygon", {
          class: "pe-knob",
          points: `${edge + out * 2},${at} ${edge + out * 10},${at - 6} ${edge + out * 10},${at + 6}`,
        }),
        label(edge + out * 19, at, NAMES[which], "middle", { "dominant-baseline": "central" }),
      );
    }
  }

  function drawSimilarity({ length, cosines }) {
    const [first, second] = [model.get("first"), model.get("second")];
    const low = Math.min(0, ...cosines) < -0.001 ? -1 : 0;
    middle.range(1 - length, length - 1, low, 1);
    const at = (position) => [middle.x(position - first), middle.y(cosines[position])];
    const [x, y] = at(second);
    middle.root.replaceChildren(
      ...axes(
        middle,
        [
          [1 - length, "middle"],
          [0, "middle"],
          [length - 1, "middle"],
        ],
        low < 0 ? [-1, 0, 1] : [0, 1],
      ),
      svg("line", { class: "pe-grid", x1: middle.x(0), y1: middle.y(low), x2: middle.x(0), y2: middle.y(1) }),
      svg("polyline", { class: "course-curve pe-curve", points: cosines.map((_, position) => at(position)).join(" ") }),
      svg("line", { class: "pe-drop", x1: x, y1: y, x2: x, y2: middle.y(low) }),
      svg("circle", { class: `pe-dot ${LOOKS.first}`, cx: middle.x(0), cy: middle.y(cosines[first]), r: 6 }),
      svg("circle", { class: `pe-dot ${LOOKS.second}`, cx: x, cy: y, r: 7 }),
      label(middle.x(0), middle.y(cosines[first]) - 12, NAMES.first),
      ...(first === second ? [] : [label(x + (x < middle.x(0) ? -14 : 14), y - 8, NAMES.second)]),
      label(
        x > middle.width / 2 ? middle.width - 8 : 40,
        y < 120 ? middle.y(low) - 14 : 52,
        words.marker.replace("{distance}", number(second - first, 0)).replace("{cosine}", number(cosines[second])),
        x > middle.width / 2 ? "end" : "start",
      ),
    );
  }

  function drawWave({ length, reach, wave }) {
    right.range(0, length - 1, -reach, reach);
    const at = (position) => [right.x(position), right.y(wave[position])];
    right.root.replaceChildren(
      ...axes(
        right,
        [
          [0, "middle"],
          [length - 1, "middle"],
        ],
        [-reach, 0, reach],
      ),
      svg("polyline", { class: "course-curve pe-curve", points: wave.map((_, position) => at(position)).join(" ") }),
      ...Object.keys(NAMES).flatMap((which) => {
        const [x, y] = at(model.get(which));
        const up = wave[model.get(which)] < 0 ? -1 : 1; // names stand off the line, towards the outside
        return [
          svg("circle", { class: `pe-dot ${LOOKS[which]}`, cx: x, cy: y, r: 7 }),
          label(x + (which === "first" ? -4 : 4), y + (up > 0 ? -12 : 22), NAMES[which]),
        ];
      }),
    );
    const values = Object.entries(NAMES).map(([which, name]) => `${name} ${number(wave[model.get(which)])}`);
    waveNote.textContent = `${words.dimension_short} ${model.get("dimension")}: ${values.join(", ")}`;
  }

  // Axis lines at the left and at zero or below, with a number at each tick.
  function axes(area, xs, ys) {
    const [x0, x1] = [34, area.width - 34];
    return [
      ...ys.flatMap((value) => [
        svg("line", { class: "pe-grid", x1: x0, y1: area.y(value), x2: x1, y2: area.y(value) }),
        svg(
          "text",
          { "text-anchor": "end", "dominant-baseline": "central", x: x0 - 6, y: area.y(value) },
          number(value, Number.isInteger(value) ? 0 : 1),
        ),
      ]),
      ...xs.map(([value, anchor]) =>
        svg("text", { "text-anchor": anchor, x: area.x(value), y: area.height - 12 }, number(value, 0)),
      ),
    ];
  }

  // The picture of the encoding: vermillion − white − blue; one pixel a cell.
  function paint(encoded, width, height) {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    const canvas = make("canvas", { width, height });
    const context = canvas.getContext("2d");
    const pixels = context.createImageData(width, height);
    bytes.forEach((byte, cell) => {
      pixels.data.set([...blend(constants.palette, (byte - 1) / 254), 255], 4 * cell); // 128 is the middle
    });
    context.putImageData(pixels, 0, 0);
    return canvas.toDataURL();
  }
});

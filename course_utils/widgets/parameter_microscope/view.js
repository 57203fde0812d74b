// A strip that says where in the whole model we are, the tensors as areas, and the parts as a list to walk through.

import { clamp, courseWidget, dense, fill, make, on, panel, svg, table, write } from "../common.js";
import { checkbox, choice } from "../controls.js";

export default courseWidget((view) => {
  const { model, words } = view;
  dense(view, { low: true });
  view.stage.classList.add("pm-stage", "course-unbounded");
  choice(view, "size", { label: words.size, options: model.get("picture").sizes.map((name) => [name, name]) });
  checkbox(view, "heads", { label: words.heads });
  const total = make("output", { class: "pm-total", "data-testid": "total" });
  view.controls.append(make("span", { class: "course-control" }, make("span", {}, words.total), total));

  const crumbs = make("nav", { class: "course-flow pm-crumbs", "aria-label": words.crumbs, "data-testid": "crumbs" });
  const lens = make("div", { class: "pm-lens" });
  const map = make("div", { class: "pm-map", role: "img", "data-testid": "map" });
  // The tensors lie in one drawing, a shape for each kind: hundreds of elements would be slow to lay out.
  const layers = [...Object.keys(words.kinds), "other", "edges", "inner"];
  const shapes = new Map(layers.map((layer) => [layer, svg("path", { class: `pm-${layer}` })]));
  const drawing = svg(
    "svg",
    { class: "pm-tiles", viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...shapes.values(),
  );
  const kinds = Object.entries(words.kinds).map(([kind, name]) =>
    make("li", {}, make("span", { class: `pm-swatch pm-${kind}`, "aria-hidden": "true" }), name),
  );
  const body = make("tbody");
  const columns = [words.name, words.shape, words.count, words.share];
  const parts = table({ class: "pm-table", "data-testid": "parts" }, columns, body);
  view.stage.before(crumbs, make("div", { class: "pm-strip", "aria-hidden": "true" }, lens));
  panel(view, words.areas, map, make("ul", { class: "course-legend pm-legend" }, ...kinds));
  panel(view, words.parts, make("div", { class: "course-frame pm-scroll" }, parts));

  map.append(drawing);
  const frames = []; // they stay in their places when the picture is drawn anew: a click that has begun must end
  let buttons = [];
  let shown = null; // the path whose parts are drawn
  const zoom = (path) => view.send({ path });
  const outwards = () => {
    const { crumbs: way } = model.get("picture");
    if (way.length > 1) zoom(way.at(-2).path);
  };

  return (picture) => {
    const cameFrom = shown;
    const hadFocus = body.contains(document.activeElement);
    const hadCrumb = crumbs.contains(document.activeElement);
    const place = buttons.findIndex((button) => button.tabIndex === 0);
    shown = picture.path;
    total.textContent = picture.total;
    drawCrumbs(picture);
    fill(lens, { style: `left: ${100 * picture.window[0]}%; width: ${100 * picture.window[1]}%` });
    drawMap(picture);
    drawRows(picture);
    // Going out, the part we were in is chosen; going in, the first one; with another size, the same place.
    let chosen = clamp(place, 0, buttons.length - 1);
    if (cameFrom !== null && cameFrom !== shown) {
      const inner = (path) => cameFrom === path || cameFrom.startsWith(`${path}.`);
      chosen = Math.max(
        0,
        picture.rows.findIndex(({ path }) => path !== "" && inner(path)),
      );
    }
    settle(chosen);
    if (hadFocus) buttons[chosen].focus();
    if (hadCrumb && !crumbs.contains(document.activeElement)) crumbs.lastElementChild.focus();
  };

  function drawCrumbs({ crumbs: way }) {
    const steps = way.map(({ path, label }, depth) => {
      const here = depth === way.length - 1;
      const step = make(
        "button",
        {
          type: "button",
          class: "course-plain",
          "aria-current": here ? "true" : false,
          "data-testid": `crumb-${depth}`,
        },
        label,
      );
      on(view, step, "click", () => zoom(path));
      return step;
    });
    crumbs.replaceChildren(
      ...steps.flatMap((step, depth) => (depth ? [make("span", { "aria-hidden": "true" }, "›"), step] : [step])),
    );
  }

  function drawMap({ rows, inner, tiles }) {
    const at = ([left, top, width, height]) => `left: ${left}%; top: ${top}%; width: ${width}%; height: ${height}%`;
    const outline = ([left, top, width, height]) => `M${left} ${top}h${width}v${height}h${-width}z`;
    const outlines = new Map([...shapes.keys()].map((kind) => [kind, []]));
    for (const { box, kind } of tiles) {
      const line = outline(box);
      outlines.get(kind).push(line);
      outlines.get("edges").push(line);
    }
    outlines.set("inner", inner.map(outline));
    for (const [kind, lines] of outlines) fill(shapes.get(kind), { d: lines.join("") });
    map.setAttribute("aria-label", model.get("summary"));
    while (frames.length < rows.length) frames.push(newFrame(frames.length));
    for (const frame of frames.splice(rows.length)) frame.remove();
    for (const [place, { label, percent, box }] of rows.entries()) {
      fill(frames[place], { style: at(box), title: `${label} ${percent}` }).classList.remove("pm-pointed");
      write(frames[place].firstElementChild, label);
      write(frames[place].lastElementChild, percent);
    }
  }

  function newFrame(place) {
    const frame = make(
      "div",
      { class: "pm-frame", "data-testid": `area-${place}` },
      make("span", { class: "course-cut" }),
      make("span", { class: "course-cut" }),
    );
    on(view, frame, "click", () => zoom(model.get("picture").rows[place].path));
    on(view, frame, "pointerenter", () => point(place, true));
    on(view, frame, "pointerleave", () => point(place, false));
    map.append(frame);
    return frame;
  }

  function drawRows({ rows }) {
    buttons = rows.map(({ path, label, name }, place) => {
      const shownName = [make("span", {}, label), ...(name && name !== label ? [make("code", {}, name)] : [])];
      const button = make("button", { type: "button", "data-testid": `part-${place}` }, ...shownName);
      on(view, button, "click", () => zoom(path));
      on(view, button, "keydown", (event) => walk(event, place, path));
      on(view, button, "focus", () => {
        settle(place);
        point(place, true);
      });
      on(view, button, "blur", () => point(place, false));
      return button;
    });
    body.replaceChildren(
      ...rows.map((row, place) => {
        const bar = make("span", { class: "course-bar pm-bar", style: `--share: ${row.share}`, "aria-hidden": "true" });
        const line = make(
          "tr",
          {},
          make("th", { scope: "row" }, buttons[place]),
          make("td", {}, row.shape),
          make("td", {}, row.count),
          make("td", {}, make("span", {}, row.percent), bar),
        );
        on(view, line, "pointerenter", () => point(place, true));
        on(view, line, "pointerleave", () => point(place, false));
        return line;
      }),
    );
  }

  function walk(event, place, path) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = buttons.length - 1;
    const to = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) buttons[clamp(to, 0, last)].focus();
    else if (event.key === "ArrowRight") zoom(path);
    else if (["ArrowLeft", "Backspace"].includes(event.key)) outwards();
    else return;
    event.preventDefault();
  }

  function settle(chosen) {
    buttons.forEach((button, place) => {
      button.tabIndex = place === chosen ? 0 : -1;
    });
  }

  function point(place, on) {
    map.querySelectorAll(".pm-frame")[place]?.classList.toggle("pm-pointed", on);
    body.children[place]?.classList.toggle("pm-pointed", on);
  }
});

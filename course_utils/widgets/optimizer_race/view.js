// Left the surface from above with everybody's path; right how high they stand by step, and a table that is the legend,
// too. Contours and paths come when they change; what the step alone moves is moved here, at once.

import { clamp, courseWidget, dense, each, fill, make, number, on, panel, svg, table, write } from "../common.js";
import { button, choice, slider } from "../controls.js";
import { label, senseMark } from "../drawing.js";

const DASHES = ["none", "9 5", "11 4 2 4", "3 4"];
const [WIDTH, HEIGHT] = [400, 156]; // of the chart
const [LEFT, RIGHT, TOP, FOOT] = [46, WIDTH - 10, 10, HEIGHT - 26];
const STEPS_A_SECOND = 20;

export default courseWidget((view) => {
  const { model, words, constants } = view;
  const [low, high] = constants.decades;
  const [reachX, reachY] = constants.reach.map((reach) => 100 * reach);
  const last = constants.steps;
  const names = model.get("paths").racers.map(({ name }) => name);
  dense(view, { low: true });
  view.stage.classList.add("or-stage", "course-unbounded");
  addControls();

  const map = svg("svg", { viewBox: `${-reachX} ${-reachY} ${2 * reachX} ${2 * reachY}`, "data-testid": "map" });
  fill(map, { role: "img", "aria-label": words.map });
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "data-testid": "chart" });
  fill(chart, { role: "img", "aria-label": words.chart });
  const x = (step) => LEFT + (step / last) * (RIGHT - LEFT);
  const y = (power) => FOOT - ((power - low) / (high - low)) * (FOOT - TOP);
  const bands = svg("g");
  const places = svg("g");
  const line = svg("g");
  const upright = svg("line", { class: "or-now", y1: TOP, y2: FOOT });
  const inside = svg("svg", { x: LEFT, y: TOP, width: RIGHT - LEFT, height: FOOT - TOP });
  fill(inside, { viewBox: `${LEFT} ${TOP} ${RIGHT - LEFT} ${FOOT - TOP}` }); // what leaves the chart is cut off
  const racers = names.map(racer);
  const told = legend();
  map.append(bands, ...racers.map(({ way }) => way), places, ...racers.map(({ head }) => head));
  inside.append(...racers.map(({ curve }) => curve));
  chart.append(axes(), upright, inside, line, ...racers.map(({ mark }) => mark));
  const time = make("div", { class: "course-together or-time" });
  addTime();
  panel(view, words.map, map, time);
  panel(view, words.chart, chart, told.root);

  let [relief, paths] = [null, null]; // what is drawn
  let drawn = []; // of each racer: its places on the map and in the chart
  return { draw, follow };

  function draw(picture) {
    if (model.get("relief") !== relief) drawRelief();
    if (model.get("paths") !== paths) takePaths();
    told.update(picture.rows);
    follow();
  }

  // The step and who is shown; all that this takes is here.
  function follow() {
    if (model.get("paths") !== paths) return; // with a picture of theirs they come
    const step = model.get("step");
    const shown = names.map((name) => model.get("shown").includes(name));
    fill(upright, { x1: x(step), x2: x(step) });
    drawn.forEach(({ ways, powers }, i) => {
      const { way, head, curve, mark, box, row } = racers[i];
      for (const node of [way, head, curve, mark]) fill(node, { display: !shown[i] && "none" });
      box.checked = shown[i];
      row.classList.toggle("course-off", !shown[i]);
      const at = Math.min(step, ways.length - 1);
      for (const node of way.children) fill(node, { points: ways.slice(0, at + 1).join(" ") });
      fill(curve.lastChild, { points: powers.slice(0, at + 1).join(" ") });
      const gone = step > at;
      const [mapX, mapY] = ways[at];
      const [chartX, chartY] = powers[at];
      move(head, mapX, mapY, [-reachX + 10, reachX - 10, -reachY + 10, reachY - 10], gone);
      move(mark, chartX, chartY, [LEFT, RIGHT, TOP, FOOT], gone);
    });
  }

  // A mark whose place is out of sight stands hollow at the edge, towards it.
  function move(node, toX, toY, [fromX, mostX, fromY, mostY], gone) {
    const [atX, atY] = [clamp(toX, fromX, mostX), clamp(toY, fromY, mostY)];
    fill(node, { transform: `translate(${atX.toFixed(1)} ${atY.toFixed(1)})` });
    node.classList.toggle("or-away", gone || Math.abs(toX - atX) > 12 || Math.abs(toY - atY) > 12);
  }

  function drawRelief() {
    relief = model.get("relief");
    each(
      bands,
      relief.bands,
      (order) => svg("path", { class: "or-band", "fill-rule": "evenodd", "fill-opacity": 0.02 + 0.02 * order }),
      (node, d) => fill(node, { d }),
    );
    const [startX, startY] = [100 * relief.start[0], -100 * relief.start[1]];
    places.replaceChildren(
      ...relief.lowest.flatMap(([atX, atY]) => cross(100 * atX, -100 * atY)),
      svg("circle", { class: "or-start", cx: startX, cy: startY, r: 5.5 }),
      named(startX, startY - 12, words.start),
    );
  }

  function cross(atX, atY) {
    const down = atY < -reachY / 2 ? 26 : -13; // its name stands on the side with more room
    const arms = [1, -1].map((up) =>
      svg("line", { class: "or-cross", x1: atX - 6, x2: atX + 6, y1: atY - 6 * up, y2: atY + 6 * up }),
    );
    return [...arms, named(atX, atY + down, words.lowest)];
  }

  function named(atX, atY, text) {
    return label(clamp(atX, 50 - reachX, reachX - 50), atY, text);
  }

  function takePaths() {
    paths = model.get("paths");
    drawn = paths.racers.map(({ points, logs }) => ({
      ways: points.map(([atX, atY]) => [+(100 * atX).toFixed(1), +(-100 * atY).toFixed(1)]),
      powers: logs.map((power, step) => [+x(step).toFixed(1), +y(power).toFixed(1)]),
    }));
    drawn.forEach(({ powers }, i) => {
      fill(racers[i].curve.firstChild, { points: powers.join(" ") });
    });
    const at = y(paths.line);
    line.replaceChildren(
      svg("line", { class: "or-finish", x1: LEFT, x2: RIGHT, y1: at, y2: at }),
      svg(
        "text",
        { class: "course-name or-finish-name", x: LEFT + 6, y: at + 17 },
        words.finish.replace("{share}", number(100 * constants.finish, 0)),
      ),
    );
  }

  // What is drawn of one optimiser: on the map, in the chart, in the table.
  function racer(_, i) {
    const look = { class: `course-curve or-line sense-${i}`, "stroke-dasharray": DASHES[i] };
    return {
      way: svg("g", {}, svg("polyline", { class: "course-curve or-halo" }), svg("polyline", look)),
      head: svg("g", { class: "or-head" }, senseMark(i, 0, 0, 8)),
      curve: svg("g", {}, svg("polyline", { ...look, opacity: 0.35 }), svg("polyline", look)),
      mark: svg("g", { class: "or-head" }, senseMark(i, 0, 0, 6.5)),
      box: make("input", { type: "checkbox", "data-testid": `show-${i}` }),
      row: make("tr", { "data-testid": `row-${i}` }),
    };
  }

  function axes() {
    const root = svg(
      "g",
      {},
      svg("rect", { x: LEFT, y: TOP, width: RIGHT - LEFT, height: FOOT - TOP, class: "course-plot" }),
    );
    for (let power = low; power <= high; power += 2) {
      const at = y(power);
      const said = power === 0 ? ["1"] : ["10", svg("tspan", { dy: -5, class: "or-power" }, number(power, 0))];
      root.append(
        svg("line", { class: "course-grid", x1: LEFT, x2: RIGHT, y1: at, y2: at }),
        svg("text", { x: LEFT - 6, y: at + 5, "text-anchor": "end" }, ...said),
      );
    }
    for (const share of [0, 1 / 3, 2 / 3, 1]) {
      const step = Math.round(share * last);
      const anchor = share === 1 ? "end" : "middle";
      root.append(
        svg("text", { x: share === 1 ? RIGHT + 6 : x(step), y: HEIGHT - 7, "text-anchor": anchor }, String(step)),
      );
    }
    return root;
  }

  function legend() {
    const cells = racers.map(() => [make("td"), make("td")]);
    racers.forEach(({ box, row }, i) => {
      const look = {
        x1: 2,
        x2: 38,
        y1: 9,
        y2: 9,
        class: `course-curve or-line sense-${i}`,
        "stroke-dasharray": DASHES[i],
      };
      const sample = svg("svg", { viewBox: "0 0 40 18", "aria-hidden": "true" });
      sample.append(svg("line", look), svg("g", { class: "or-head" }, senseMark(i, 20, 9, 6)));
      fill(box, { "aria-label": words.show.replace("{name}", names[i]) });
      on(view, box, "change", () => choose(names[i], box.checked));
      const name = make("label", {}, box, sample, make("span", { class: "course-cut", title: names[i] }, names[i]));
      row.append(make("th", { scope: "row" }, name), ...cells[i]);
    });
    const body = make("tbody", {}, ...racers.map(({ row }) => row));
    const root = table({ class: "course-table course-series or-table" }, [words.name, words.height, words.where], body);
    return {
      root,
      update: (rows) =>
        rows.forEach(({ said, where }, i) => {
          write(cells[i][0], said);
          write(cells[i][1], where);
        }),
    };
  }

  function choose(name, on) {
    const others = model.get("shown").filter((other) => other !== name);
    view.send({ shown: on ? [...others, name] : others });
  }

  function addControls() {
    choice(view, "surface", { label: words.surface, options: constants.surfaces.map((name) => [name, words[name]]) });
    slider(view, "rate", {
      range: [0, constants.rates.length - 1],
      toPosition: (rate) => {
        const away = constants.rates.map((stop) => Math.abs(Math.log(stop / rate)));
        return away.indexOf(Math.min(...away));
      },
      toValue: (place) => constants.rates[place],
    });
    slider(view, "warmup", { range: [0, constants.warmup, 5] });
    slider(view, "noise", { range: [0, constants.noise, 0.1], say: (noise) => number(noise, 1) });
    const again = button(view, {
      label: words.again,
      testid: "seed",
      press: () => view.send({ seed: model.get("seed") + 1 }),
    });
    view.onChange(() => fill(again, { disabled: !model.get("noise") }));
  }

  // Plays the race from where it stands, or from its start again. Meanwhile nothing is read aloud.
  function addTime() {
    const summary = view.stage.parentElement.querySelector("[data-testid=summary]");
    let [frame, before] = [0, 0];
    const stop = () => {
      cancelAnimationFrame(frame);
      frame = 0;
      write(play, words.play);
      fill(summary, { "aria-live": "polite" });
    };
    const tick = (now) => {
      frame = requestAnimationFrame(tick);
      const steps = Math.floor(((now - before) / 1000) * STEPS_A_SECOND);
      if (steps < 1) return;
      before = now;
      const step = Math.min(last, model.get("step") + steps);
      view.send({ step });
      if (step === last) stop();
    };
    const press = () => {
      if (frame) return stop();
      if (model.get("step") === last) view.send({ step: 0 });
      before = performance.now();
      frame = requestAnimationFrame(tick);
      write(play, words.pause);
      fill(summary, { "aria-live": "off" });
    };
    const play = button(view, { label: words.play, testid: "play", press, into: time });
    slider(view, "step", { range: [0, last], into: time });
    view.signal.addEventListener("abort", () => cancelAnimationFrame(frame));
  }
});

// Controls: each shows one trait, sends it, and adds itself to the row of controls (or to `into`).

import { clamp, fill, make, on, write } from "./common.js";

// A slider over [least, most, step], a step being 1; toPosition and toValue turn the trait into the slider's own scale and
// back, say puts it into words.
export function slider(view, trait, { range, label, toPosition = Number, toValue = Number, say = String, into }) {
  const [min, max, step = 1] = range;
  const input = make("input", { type: "range", min, max, step, "data-testid": trait });
  const shown = make("output", { "aria-hidden": "true" });
  on(view, input, "input", () => view.send({ [trait]: toValue(Number(input.value)) }));
  view.onChange(() => {
    const value = view.model.get(trait);
    input.value = toPosition(value);
    write(shown, say(value));
    fill(input, { "aria-valuetext": say(value) });
  });
  return add(
    view,
    into,
    make("label", { class: "course-control" }, make("span", {}, label ?? view.words[trait]), input, shown),
  );
}

export function checkbox(view, trait, { label, into }) {
  const input = make("input", { type: "checkbox", "data-testid": trait });
  on(view, input, "change", () => view.send({ [trait]: input.checked }));
  view.onChange(() => (input.checked = view.model.get(trait)));
  return add(view, into, make("label", { class: "course-control" }, input, make("span", {}, label)));
}

// Of one line; or another element to type in.
export function textBox(view, trait, { label, into, tag = "input" }) {
  const input = make(tag, { type: "text", spellcheck: "false", autocomplete: "off", "data-testid": trait });
  on(view, input, "input", () => view.send({ [trait]: input.value }));
  view.onChange(() => {
    // What is being typed stays, also while it is refused.
    if (document.activeElement !== input) input.value = view.model.get(trait);
  });
  return add(view, into, make("label", { class: "course-control course-wide" }, make("span", {}, label), input));
}

// One of several; options: [[value, words], …].
export function choice(view, trait, { label, options, into }) {
  const input = make(
    "select",
    { "data-testid": trait },
    ...options.map(([, words], index) => make("option", { value: index }, words)),
  );
  on(view, input, "change", () => view.send({ [trait]: options[input.value][0] }));
  view.onChange(() => (input.value = options.findIndex(([value]) => value === view.model.get(trait))));
  return add(view, into, make("label", { class: "course-control" }, make("span", {}, label), input));
}

export function button(view, { label, testid, press, into }) {
  const node = make("button", { type: "button", "data-testid": testid }, label);
  on(view, node, "click", press);
  return add(view, into, node);
}

export function add(view, into, node) {
  (into ?? view.controls).append(node);
  return node;
}

export const FAR = 1000; // steps: beyond any end

// Buttons [testid, what is written on it, by how many steps]; on them arrow keys, Home and End call move(by), too. What is
// returned is told the step and both ends: a button at its end keeps the focus, it is told as disabled, not taken away.
export function stepper(view, label, buttons, move) {
  const group = make("span", { class: "course-together", role: "group", "aria-label": label });
  view.controls.append(group);
  const nodes = buttons.map(([testid, sign, by]) => {
    const [node, name] = [
      button(view, { label: sign, testid, press: () => move(by), into: group }),
      view.words[testid],
    ];
    return [name === sign ? node : fill(node, { "aria-label": name, title: name }), by];
  });
  on(view, group, "keydown", (event) => {
    const by = led(event, { ArrowLeft: -1, ArrowRight: 1, Home: -FAR, End: FAR });
    if (by !== undefined) move(by);
  });
  return (step, least, most) => {
    for (const [node, by] of nodes) fill(node, { "aria-disabled": String(by < 0 ? step <= least : step >= most) });
  };
}

// Buttons of which one is pressed: names and what is written on them; press(name) is told of another.
export function tabs(view, label, names, words, press) {
  const nodes = names.map((name) => make("button", { type: "button", "data-testid": `view-${name}` }, words[name]));
  const go = (to) => {
    press(names[to]);
    nodes[to].focus();
  };
  nodes.forEach((node, place) => {
    on(view, node, "click", () => go(place));
    walk(view, node, place, { last: () => nodes.length - 1, go, arrows: "Left Right" });
  });
  const root = make("div", { class: "course-views", role: "group", "aria-label": label }, ...nodes);
  return { root, show: (name) => choose(nodes, names.indexOf(name)) };
}

// Where a key leads, of {key: place}; undefined for other keys, and with Ctrl, Alt or Meta.
export function led(event, places) {
  const to = event.ctrlKey || event.metaKey || event.altKey ? undefined : places[event.key];
  if (to !== undefined) event.preventDefault();
  return to;
}

// From `node`, at `place` of as many as last() + 1, arrow keys, Home and End go to another: go(place). The arrows are those
// named: some of "Left Right Up Down".
export function walk(view, node, place, { last, go, arrows }) {
  on(view, node, "keydown", (event) => {
    const near = { Left: place - 1, Up: place - 1, Right: place + 1, Down: place + 1 };
    const far = arrows.split(" ").map((name) => [`Arrow${name}`, near[name]]);
    const to = led(event, { ...Object.fromEntries(far), Home: 0, End: last() });
    if (to !== undefined) go(clamp(to, 0, last()));
  });
}

// Of some nodes one is chosen, and Tab stops there.
export function choose(nodes, chosen) {
  [...nodes].forEach((node, place) => {
    fill(node, { "aria-pressed": String(place === chosen), tabindex: place === chosen ? 0 : -1 });
  });
}

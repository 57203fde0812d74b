// Left what is said of the sentence and of the pair, right the question and its passage: each head below what it reads.

import { courseWidget, dense, each, fill, filled, make, on, panel, reveal, write } from "../common.js";
import { textBox } from "../controls.js";

export default courseWidget((view) => {
  const { words, constants, stage } = view;
  dense(view);
  stage.classList.add("course-halves");
  const left = side("sentence", "second");
  const right = side("question", "passage");
  const drawTasks = buildTasks(left);
  const drawMeter = buildMeter(left);
  const drawWords = buildWords(left);
  const drawSpan = buildSpan(right);

  return (picture) => {
    drawTasks(picture.tasks);
    drawMeter(picture.alike);
    drawWords(picture.words);
    drawSpan(picture.found);
  };

  // A column of the stage: two boxes to type in, and room for what is said of them.
  function side(...names) {
    const boxes = make("div", { class: "th-boxes" });
    const node = make("div", { class: "course-side th-side" }, boxes);
    for (const name of names) {
      if (name === "passage") passageBox(boxes);
      else textBox(view, name, { label: words[name], into: boxes });
    }
    stage.append(node);
    return node;
  }

  // As textBox, of several lines; but it is one text: Enter begins no new line.
  function passageBox(into) {
    const input = textBox(view, "passage", { label: words.passage, into, tag: "textarea" }).querySelector("textarea");
    input.rows = 2;
    on(view, input, "keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  function within(node, title, name, ...children) {
    const made = panel({ stage: node }, title, ...children);
    made.classList.add("course-broad", `th-${name}`);
    return made;
  }

  // --- One sentence: a class

  function buildTasks(node) {
    const tasks = make("div", { class: "th-tasks", "data-testid": "tasks" });
    within(node, words.tasks, "classes", tasks);
    return (found) =>
      each(
        tasks,
        found,
        () => make("div", {}, make("b", { class: "course-small th-small" }), make("ul", { class: "th-bars" })),
        ({ children: [title, list] }, { name, bars }) => {
          write(title, name);
          fill(list, { "aria-label": words.bars.replace("{task}", name) });
          each(list, bars, bar, drawBar);
        },
      );
  }

  function bar() {
    return make("li", {}, make("span"), share(), make("span"));
  }

  function share() {
    return make("i", { class: "course-bar", "aria-hidden": "true" });
  }

  function part(tag) {
    return make(tag, { class: "course-small th-small" });
  }

  function drawBar(node, { label, share, shown, best }) {
    const [name, , value] = node.children;
    node.classList.toggle("th-best", best);
    node.style.setProperty("--share", share);
    write(name, label);
    write(value, shown);
  }

  // --- Two sentences: a number

  function buildMeter(node) {
    const most = constants.most_alike;
    const marks = Array.from({ length: most + 1 }, (_, mark) => make("span", {}, String(mark)));
    const meter = make(
      "div",
      {
        class: "course-track th-meter",
        role: "meter",
        "aria-label": words.pair,
        "aria-valuemin": 0,
        "aria-valuemax": most,
      },
      make("i"),
    );
    fill(meter, { "data-testid": "meter" });
    const value = make("b", { "data-testid": "alike" });
    const scale = make(
      "div",
      { class: "th-scale" },
      meter,
      make("div", { class: "course-small th-small", "aria-hidden": "true" }, ...marks),
    );
    const figure = within(node, words.pair, "pair", scale);
    figure.firstChild.append(value);
    return ({ share, score, shown }) => {
      fill(meter, { "aria-valuenow": score, "aria-valuetext": shown });
      meter.style.setProperty("--share", share);
      write(value, shown);
    };
  }

  // --- A tag for each word

  function buildWords(node) {
    const list = make("ul", {
      class: "course-flow th-words",
      role: "list",
      tabindex: 0,
      "aria-label": words.words,
      "data-testid": "words",
    });
    within(node, words.tags, "tags", list);
    return (found) =>
      each(
        list,
        found,
        () => make("li", { class: "course-token" }, make("span"), share(), part("b"), part("small")),
        (item, { word, tag, share, shown, outside, joined }) => {
          const [name, , kind, value] = item.children;
          item.classList.toggle("th-outside", outside);
          item.classList.toggle("th-joined", joined);
          item.style.setProperty("--share", share);
          fill(item, { title: `${word}: ${tag} ${shown}` });
          write(name, word);
          write(kind, tag);
          write(value, shown);
        },
      );
  }

  // --- A question and a passage: where the answer begins and ends

  function buildSpan(node) {
    const list = make("ol", {
      class: "course-flow th-pieces",
      role: "list",
      tabindex: 0,
      "aria-label": words.pieces,
      "data-testid": "pieces",
    });
    const answer = make("b");
    const rule = make("span", { class: "course-small th-small" });
    const line = make("p", { class: "course-flow th-answer", "data-testid": "answer" }, answer, rule);
    const figure = within(node, words.span, "span", line, list);
    const legend = ["starts", "ends", "best"].map((name) =>
      make("span", {}, make("i", { class: `th-${name}`, "aria-hidden": "true" }), words[name]),
    );
    const scale = make("span");
    figure.firstChild.append(
      make("span", { class: "course-legend course-small th-small th-legend" }, ...legend, scale),
    );
    return (found) => {
      const text = found.answered
        ? `${words.answer}: ${found.answer}`
        : `${words.none} (${words.instead.replace("{answer}", found.answer)})`;
      write(answer, text);
      write(rule, found.rule);
      line.classList.toggle("th-silent", !found.answered);
      list.classList.toggle("th-silent", !found.answered);
      const most = Math.max(...found.pieces.flatMap(({ start, end }) => [start, end]));
      list.style.setProperty("--most", most || 1);
      write(scale, filled(words.scale, { most: most.toFixed(2) }));
      each(list, found.pieces, piece, drawPiece);
      reveal(list, list.children[found.pieces.findIndex(({ inside }) => inside)]); // where the answer begins
    };
  }

  function piece() {
    const pair = make("span", { class: "th-two", "aria-hidden": "true" }, make("i"), make("i"));
    return make("li", { class: "course-token" }, pair, make("span"));
  }

  function drawPiece(node, found) {
    const [begins, ends] = node.firstChild.children;
    const shown = { piece: found.piece, start: found.start.toFixed(2), end: found.end.toFixed(2) };
    fill(node, { title: filled(words.place, shown) });
    node.classList.toggle("th-inside", found.inside);
    begins.style.setProperty("--share", found.start);
    ends.style.setProperty("--share", found.end);
    write(node.lastChild, found.piece);
  }
});

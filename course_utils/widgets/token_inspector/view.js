// The typed text with one piece pointed out, and its words; its pieces; its forms, and its code points. Each in a box of
// its own, which scrolls where the text is long.

import { courseWidget, dense, each, fill, make, on, panel, row, scrolled, table, watch, write } from "../common.js";
import { checkbox, textBox, walk } from "../controls.js";

export default courseWidget((view) => {
  const { words } = view;
  dense(view, { low: true });
  view.stage.classList.add("course-unbounded");
  textBox(view, "sentence", { label: words.sentence });
  checkbox(view, "lowercase", { label: words.lowercase });
  checkbox(view, "strip_accents", { label: words.strip_accents });

  const typed = make("p", { class: "ti-typed", "data-testid": "typed" });
  const pieces = make("div", {
    class: "course-frame course-flow ti-pieces",
    role: "group",
    "aria-label": `${words.pieces}: ${words.id}, ${words.span}`,
    "data-testid": "pieces",
  });
  const list = make("p", { class: "course-flow ti-words", "data-testid": "words" });
  const forms = table({ class: "course-table ti-table", "data-testid": "forms" }, [
    words.form,
    words.text,
    words.points,
    words.bytes,
  ]);
  const characters = table({ class: "course-table ti-table", "data-testid": "characters" }, [
    words.char,
    words.number,
    words.decomposed,
    words.left,
    words.name,
  ]);
  panel(view, words.typed_panel, scrolling(typed, words.typed));
  panel(view, words.words, scrolling(list, words.words));
  view.stage.append(make("div", { class: "ti-row" }, pieces, make("p", { class: "course-note" }, words.hint)));
  panel(view, words.forms, frame(forms, words.forms));
  panel(view, words.characters, frame(characters, words.characters));
  let cards = [];

  return (picture) => {
    const [before, marked, after] = picture.marked;
    typed.replaceChildren(before, ...(marked ? [make("mark", { "data-testid": "marked" }, marked)] : []), after);
    reveal(typed.parentElement, typed.querySelector("mark"));
    drawPieces(picture);
    reveal(pieces, cards[picture.chosen]);
    each(list, picture.words, () => make("span", { class: "course-chip ti-chip" }), write);
    each(
      forms.tBodies[0],
      picture.forms,
      () => row(3),
      (node, form) => {
        node.children[1].classList.add("ti-text");
        writeRow(node, [words[form.name], form.text, String(form.count), String(form.bytes)]);
      },
    );
    each(
      characters.tBodies[0],
      picture.characters,
      () => row(4),
      (node, point) => {
        fill(node, { class: point.changed ? "ti-changed" : "" });
        writeRow(node, [point.char, point.number, point.decomposed, point.left || words.nothing, point.name]);
      },
    );
  };

  // Scrolls a box, and nothing around it, so far that a part of it is seen.
  function reveal(box, part) {
    if (!part) return;
    const top = part.offsetTop - box.firstElementChild.offsetTop;
    if (top < box.scrollTop || top + part.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top;
  }

  function writeRow(node, texts) {
    texts.forEach((text, column) => {
      write(node.children[column], text);
    });
  }

  // One button a piece; the arrow keys walk along them (a roving tab stop). Buttons are kept while their number is.
  function drawPieces(picture) {
    if (cards.length !== picture.pieces.length) {
      const held = cards.includes(document.activeElement);
      cards = picture.pieces.map((_, place) => card(place));
      pieces.replaceChildren(...cards);
      if (held) cards[picture.chosen]?.focus();
    }
    picture.pieces.forEach((piece, place) => {
      const span = `[${piece.start}, ${piece.end})`;
      fill(cards[place], {
        class: `course-stack ti-piece${piece.unknown ? " ti-unknown" : ""}`,
        "aria-pressed": String(place === picture.chosen),
        tabindex: place === picture.chosen ? 0 : -1,
        "aria-label": `${piece.text} ${piece.id} ${span}`,
      });
      [piece.text, String(piece.id), span].forEach((text, line) => {
        write(cards[place].children[line], text);
      });
    });
  }

  function card(place) {
    const node = make("button", { type: "button" }, make("b"), " ", make("span"), " ", make("span"));
    on(view, node, "click", () => go(place));
    walk(view, node, place, { last: () => cards.length - 1, go, arrows: "Left Up Right Down" });
    return node;
  }

  function go(place) {
    view.send({ piece: place });
    cards[place].tabIndex = 0;
    cards[place].focus();
  }

  // A frame that is a stop for the Tab key only while there is something to scroll to.
  function scrolling(node, label) {
    const box = frame(node, label);
    watch(view, () => fill(box, { tabindex: box.scrollHeight > box.clientHeight ? 0 : false }), box, node);
    return box;
  }

  function frame(node, label) {
    return scrolled("course-frame ti-frame", label, node);
  }
});

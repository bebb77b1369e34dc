// Hover, touch and arrow keys over the two views of each figure; without it cells keep titles.
"use strict";
for (const figure of document.querySelectorAll("figure")) {
  const told = figure.querySelector("output");
  const hint = told.textContent;
  const names = { source: [], target: [] };
  for (const side of ["source", "target"]) {
    for (const head of figure.querySelectorAll(`th[data-${side}]`)) {
      names[side].push(head.textContent);
    }
  }
  figure.querySelectorAll("svg title").forEach((title) => title.remove());

  const isolated = (tag, text) => {
    const node = document.createElement(tag);
    node.dir = "auto";
    node.textContent = text;
    return node;
  };
  const say = (pairs, of) => {
    const parts = [isolated("bdi", names[of.side][of.index])];
    pairs.forEach(([name, weight], i) => {
      parts.push(i ? " · " : ": ", isolated("bdi", name), " ", isolated("b", weight));
    });
    told.replaceChildren(...parts);
  };

  for (const svg of figure.querySelectorAll("svg")) {
    const view = svg.parentElement;
    const marks = [...svg.querySelectorAll("[data-weight]")];
    const heads = [...svg.querySelectorAll("text[data-source], text[data-target]")];
    const grid = svg.classList.contains("matrix");
    const bands = grid ? [band(svg), band(svg)] : [];
    let at = null; // {target, source}, either may be missing

    const fits = (mark, { target, source }) =>
      (target === undefined || +mark.dataset.target === target) &&
      (source === undefined || +mark.dataset.source === source);

    const show = (place) => {
      at = place;
      view.classList.toggle("on", place !== null);
      for (const mark of marks) mark.classList.toggle("on", place !== null && fits(mark, place));
      for (const head of heads) {
        const [side] = Object.keys(head.dataset);
        head.classList.toggle("on", place !== null && place[side] === +head.dataset[side]);
      }
      for (const one of bands) one.style.display = "none";
      if (place === null) {
        told.textContent = hint;
        return;
      }
      const { target, source } = place;
      const found = marks.filter((mark) => fits(mark, place));
      if (target !== undefined && source !== undefined) {
        const weight = found.length ? found[0].dataset.weight : "below 0.05";
        told.replaceChildren(
          isolated("bdi", names.target[target]), " ← ", isolated("bdi", names.source[source]),
          "  ", isolated("b", weight));
      } else {
        const side = target === undefined ? "source" : "target";
        const other = side === "source" ? "target" : "source";
        const best = found.sort((a, b) => b.dataset.weight - a.dataset.weight).slice(0, 4);
        say(best.map((m) => [names[other][+m.dataset[other]], m.dataset.weight]),
          { side, index: place[side] });
      }
      if (grid) {
        if (target !== undefined) surround(bands[0], marks.filter((m) => fits(m, { target })));
        if (source !== undefined) surround(bands[1], marks.filter((m) => fits(m, { source })));
      }
    };

    const read = (node) => {
      if (!node.dataset || !("target" in node.dataset || "source" in node.dataset)) return null;
      const place = {};
      for (const side of ["target", "source"]) {
        if (side in node.dataset) place[side] = +node.dataset[side];
      }
      return place;
    };
    const point = (event) => {
      const place = read(event.target);
      if (place) show(place);
    };
    svg.addEventListener("pointerover", point);
    svg.addEventListener("click", point);
    svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") show(null);
    });

    view.addEventListener("keydown", (event) => {
      const moves = {
        ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
        Home: [0, -Infinity], End: [0, Infinity],
      };
      if (event.key === "Escape") show(null);
      const move = moves[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      show(grid ? cellAfter(at, move) : wordAfter(at, move));
      const target = grid ? marks.find((m) => fits(m, at)) : heads.find((h) => h.matches(".on"));
      if (target) reveal(view, target);
    });
    const within = (value, count) => Math.max(0, Math.min(count - 1, value));
    const cellAfter = (place, [down, right]) => place === null
      ? { target: 0, source: 0 }
      : {
        target: within((place.target ?? 0) + down, names.target.length),
        source: within((place.source ?? 0) + right, names.source.length),
      };
    const wordAfter = (place, [down, right]) => {
      const from = place && place.source !== undefined ? "source" : "target";
      const side = place === null ? "source" : down < 0 ? "source" : down > 0 ? "target" : from;
      const index = place === null ? 0 : (place[from] ?? 0) + right;
      return { [side]: within(index, names[side].length) };
    };

    // Row labels stay in sight while a long sentence is scrolled.
    const rows = svg.querySelector(".rows");
    if (rows) {
      view.addEventListener("scroll", () => {
        if (grid) rows.setAttribute("transform", `translate(${view.scrollLeft} 0)`);
      }, { passive: true });
    }
  }
}

function band(svg) {
  const rect = document.createElementNS(svg.namespaceURI, "rect");
  rect.setAttribute("class", "band");
  rect.style.display = "none";
  svg.querySelector(".cells").append(rect);
  return rect;
}

function surround(rect, cells) {
  const number = (cell, name) => +cell.getAttribute(name);
  const [first, last] = [cells[0], cells[cells.length - 1]];
  const x = number(first, "x"), y = number(first, "y");
  rect.setAttribute("x", x - 0.5);
  rect.setAttribute("y", y - 0.5);
  rect.setAttribute("width", number(last, "x") + number(last, "width") - x + 1);
  rect.setAttribute("height", number(last, "y") + number(last, "height") - y + 1);
  rect.style.display = "";
}

// Brings a cell into sight, also from below the row labels that lie over the left edge.
function reveal(view, node) {
  const frame = view.getBoundingClientRect();
  let box = node.getBoundingClientRect();
  if (box.top < 48 || box.bottom > innerHeight) {
    node.scrollIntoView({ block: "center", inline: "nearest" });
    box = node.getBoundingClientRect();
  }
  const rows = node.ownerSVGElement.querySelector(".rows");
  const left = rows ? rows.getBoundingClientRect().right : frame.left;
  if (box.left < left) view.scrollLeft -= left - box.left + 8;
  if (box.right > frame.right) view.scrollLeft += box.right - frame.right + 8;
}

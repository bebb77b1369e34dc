// Attention as a heat map, drawn as src/seq2see/see/svg.py draws it. Colours are in style.css.

const NS = "http://www.w3.org/2000/svg";
const LEVELS = 50, SLANT = 0.71, LONGEST = 22, ROOMY = 16;
const pen = document.createElement("canvas").getContext("2d");

const extent = (text) => {
  pen.font = "14px system-ui, sans-serif";
  return pen.measureText(text).width;
};
const shorten = (text) => ([...text].length > LONGEST ? `${[...text].slice(0, LONGEST - 1).join("")}…` : text);

function node(name, attributes, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * The matrix with source labels above and target labels at the left; row t of `weights` is what
 * was looked at when target t was written. `say` is told which weight is pointed at, or null.
 * Where there is little `room` (pixels), columns come closer, as far as numbers fit in them.
 */
export function heatmap(source, target, weights, name, room, say) {
  const heads = source.map(shorten), rows = target.map(shorten);
  const roomy = heads.length <= ROOMY;
  const left = Math.max(...rows.map(extent)) + 20;
  const share = (room - left - 12) / heads.length;
  const [wide, high] = roomy ? [Math.min(46, Math.max(32, share)), 34] : [26, 26];
  const longest = Math.max(...heads.map(extent));
  const level = longest <= wide - 4;
  const top = level ? 36 : longest * SLANT + 34;
  const lean = level ? 12 : Math.max(12, ...heads.map(
    (head, s) => extent(head) * SLANT + 20 - (heads.length - s - 0.5) * wide));
  const width = Math.ceil(left + wide * heads.length + lean);
  const height = Math.ceil(top + high * rows.length + 8);
  const svg = node("svg", {
    class: "s2s matrix", role: "img", "aria-label": name, width, height,
    viewBox: `0 0 ${width} ${height}`,
  });
  svg.append(node("desc", {}, target.map((label, t) => {
    const s = weights[t].indexOf(Math.max(...weights[t]));
    return `${label} ← ${source[s]} (${weights[t][s].toFixed(2)})`;
  }).join(", ")));

  heads.forEach((head, s) => {
    const x = left + (s + 0.5) * wide, y = top - 10;
    svg.append(node("text", level
      ? { x, y, "text-anchor": "middle", class: soft(head) }
      : { x: x + 4, y, transform: `rotate(-45 ${x + 4} ${y})`, class: soft(head) }, head));
  });
  weights.forEach((line, t) => line.forEach((weight, s) => {
    const shade = Math.round(Math.min(Math.max(weight, 0), 1) * LEVELS);
    const x = left + s * wide, y = top + t * high;
    const cell = node("rect", {
      class: `w${shade}`, x, y, width: wide - 1, height: high - 1, "data-weight": weight.toFixed(3),
    });
    cell.append(node("title", {}, `${target[t]} ← ${source[s]}  ${weight.toFixed(3)}`));
    cell.addEventListener("pointerenter", () => say({ target: target[t], source: source[s], weight }));
    cell.addEventListener("pointerleave", () => say(null));
    svg.append(cell);
    if (roomy && weight >= 0.005) {
      const tone = weight >= 0.56 ? "strong" : weight >= 0.45 ? "middle" : "weak";
      const at = { x: x + wide / 2, y: y + high / 2 + 4, class: `number ${tone}` };
      svg.append(node("text", at, weight.toFixed(2)));
    }
  }));
  const side = node("g", { class: "rows" }); // it stays when the rest is scrolled
  side.append(node("rect", { class: "paper", width: left - 1, height: top + high * rows.length }));
  rows.forEach((row, t) => {
    const y = top + (t + 0.5) * high + 5;
    side.append(node("text", { x: left - 10, y, "text-anchor": "end", class: soft(row) }, row));
  });
  svg.append(side);
  return svg;
}

const soft = (text) => (text === "</s>" ? "soft" : "");

// The page: one text in, its translation and what the model looked at out.

import { Model } from "./model.js";
import { heatmap } from "./picture.js";
import { search } from "./search.js";
import { EOS, UNK, label, tokenizer } from "./text.js";

const TEXT = {
  en: {
    source: "Text", placeholder: "Write a sentence…", go: "Translate", beam: "Search",
    greedy: "greedy", wide: "beam 5", loading: "Loading the model", ready: "Ready. Everything runs in this browser.",
    working: "Translating…", score: "log-probability", attention: "What the model looked at",
    hint: "Point at a weight.", tooLong: "This text is too long for the model.",
    failed: "This did not work", language: "한국어",
    note: "Rows are what was written, columns what was read. A row tells where the model looked when it wrote that token.",
  },
  ko: {
    source: "원문", placeholder: "문장을 쓰세요…", go: "번역", beam: "탐색",
    greedy: "탐욕", wide: "빔 5", loading: "모델을 불러오는 중", ready: "준비되었습니다. 모든 계산은 이 브라우저 안에서 이루어집니다.",
    working: "번역하는 중…", score: "로그 확률", attention: "모델이 살펴본 곳",
    hint: "칸을 가리켜 보세요.", tooLong: "이 모델에는 너무 긴 글입니다.",
    failed: "문제가 생겼습니다", language: "English",
    note: "행은 쓴 토큰, 열은 읽은 토큰입니다. 각 행은 그 토큰을 쓸 때 모델이 어디를 보았는지 알려 줍니다.",
  },
};

const by = (id) => document.getElementById(id);
let language = navigator.language?.startsWith("ko") ? "ko" : "en";
let status = "loading", detail = "", shown = null;

function tell(what = status, more = "") {
  [status, detail] = [what, more];
  by("status").textContent = TEXT[language][status] + detail;
  by("status").className = status === "failed" || status === "tooLong" ? "warning" : "";
}

function speak() {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-text]")) {
    node.textContent = TEXT[language][node.dataset.text];
  }
  by("source").placeholder = TEXT[language].placeholder;
  tell(status, detail);
  if (shown) show(shown);
}

const folder = new URL("./", import.meta.url);
const json = async (name) => {
  const response = await fetch(new URL(name, folder));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.json();
};

let model, source, target, told;

async function load() {
  told = await json("model.json");
  by("name").textContent = document.title = told.name;
  [source, target] = [tokenizer(await json("source.json")), tokenizer(await json("target.json"))];
  model = await Model.load(told, folder, (share) => tell("loading", ` (${Math.round(100 * share)} %)`));
  by("go").disabled = false;
  tell("ready");
}

/** Translates a text: what is written, its score, and the attention between tokens. */
export async function translate(text, beam) {
  const surface = source.split(text);
  if (!surface.length) return null;
  const ids = [...source.ids(surface), EOS];
  if (told.longest !== null && ids.length > told.longest) throw new RangeError("tooLong");
  const found = await search(model, ids, beam);
  const names = target.tokens(found.tokens);
  // An unknown word is copied from where the model looked.
  const tokens = names.map((name, t) => {
    if (found.tokens[t] !== UNK) return name;
    const looked = found.attention[t].slice(0, surface.length);
    return surface[looked.indexOf(Math.max(...looked))];
  });
  return {
    text: target.join(tokens), score: found.score, attention: found.attention,
    source: [...surface, "</s>"], target: tokens,
  };
}

async function run() {
  if (by("go").disabled) return;
  by("go").disabled = true;
  tell("working");
  try {
    const found = await translate(by("source").value, +by("beam").value);
    by("result").hidden = !found;
    if (found) show(found);
    tell("ready");
  } catch (error) {
    by("result").hidden = true;
    if (error instanceof RangeError && error.message === "tooLong") tell("tooLong");
    else tell("failed", `: ${error.message}`);
  }
  by("go").disabled = false;
}

function show(found) {
  shown = found;
  by("text").textContent = found.text;
  by("score").textContent = found.score.toFixed(3).replace("-", "−");
  const say = (at) => {
    by("told").textContent = at
      ? `\u2068${at.target}\u2069 ← \u2068${at.source}\u2069  ${at.weight.toFixed(3)}`
      : TEXT[language].hint;
  };
  say(null);
  const attends = found.attention.some((row) => row.some(Boolean));
  by("looked").hidden = !attends;
  if (!attends) return;
  const [heads, rows] = [found.source.map(label), found.target.map(label)];
  const [picture, name] = [by("picture"), TEXT[language].attention];
  picture.setAttribute("aria-label", name);
  picture.replaceChildren(
    heatmap(heads, rows, found.attention, name, picture.clientWidth, say));
}

by("form").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
by("source").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  run();
});
by("picture").addEventListener("scroll", ({ currentTarget }) => {
  const rows = currentTarget.querySelector(".rows");
  rows?.setAttribute("transform", `translate(${currentTarget.scrollLeft} 0)`);
});
by("language").addEventListener("click", () => {
  language = language === "en" ? "ko" : "en";
  speak();
});

speak();
load().catch((error) => tell("failed", `: ${error.message}`));

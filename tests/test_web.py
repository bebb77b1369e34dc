"""The page for the browser reads, translates and joins text as Python does, all by itself."""

import http.server
import json
import shutil
import subprocess
import threading
from functools import partial
from importlib.resources import files
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np
import pytest

from seq2see import load
from seq2see.cli import main
from seq2see.errors import ConfigError, Seq2SeeError
from seq2see.export import web
from seq2see.folder import ModelFolder
from seq2see.see.labels import token_label
from seq2see.text.tokenizer import learn_tokenizer

NODE = shutil.which("node")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
WAIT = 60  # seconds

LEARNED = [
    "The dog runs over the green grass, doesn't it?",
    "two dogs run; three cats sleep...",
    "개가 잔디 위를 달린다. 고양이는 잔다!",
    "El perro corre rápido (muy rápido) — ¿verdad?",
    "M AE1 T <s> \\<s> x",
] * 5
READ = [
    *LEARNED[:5],
    "",
    "   ",
    "  a  b\tc\u00a0d ",
    "never seen: Ωmega 🐶🐕‍🦺 ﬁn ½ ＦＵＬＬ",
    "don't 'quote' ... ?!? it's—well",
    "▁marked ▁ \\▁ \\x \\",
    "ㅋㅋㅋ 닭 읽다 \u1100\u1161 \u11a8 값",
    "cafe\u0301 naïve Å e\u0301\u0323",
    "<s> </s> <unk> <0x41> \\<pad>",
    "thedogrunsoverthegrassandthecats" * 4,
]
KINDS = [
    {"kind": "chars"},
    {"kind": "chars", "form": "NFD"},
    {"kind": "words"},
    {"kind": "jamo"},
    {"kind": "symbols"},
    *(
        {"kind": "subwords", "size": 400, "model_type": model, "normalization": rule}
        for model in ("unigram", "bpe")
        for rule in ("identity", "nmt_nfkc")
    ),
]
PROGRAM = """
import { readFileSync } from "node:fs";
import { label, tokenizer } from "./text.js";
const { told, texts } = JSON.parse(readFileSync("given.json", "utf8"));
const ours = tokenizer(told);
console.log(JSON.stringify(texts.map((text) => {
  const split = ours.split(text), ids = ours.ids(split);
  return [split, ids, ours.join(split), ours.join(ours.tokens(ids)), split.map(label)];
})));
"""


@pytest.mark.skipif(NODE is None, reason="Node.js is not installed")
@pytest.mark.parametrize("settings", KINDS, ids=lambda given: "-".join(map(str, given.values())))
def test_tokens_are_python_s(settings, tmp_path):
    tokenizer = learn_tokenizer(LEARNED, **settings)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "run.js").write_text(PROGRAM)
    given = {"told": web.describe(tokenizer), "texts": READ}
    (tmp_path / "given.json").write_text(json.dumps(given), encoding="utf-8")
    shutil.copy(str(files("seq2see.export") / "web" / "text.js"), tmp_path)
    run = subprocess.run([NODE, "run.js"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for text, found in zip(READ, json.loads(run.stdout), strict=True):
        split = tokenizer.split(text)
        ids = tokenizer.ids(split)
        labels = [token_label(token) for token in split]
        assert found == [split, ids, tokenizer.join(split), tokenizer.decode(ids), labels], text


DRIVE = """<!doctype html><iframe id="page" src="index.html"></iframe><script type="module">
const texts = TEXTS;
const page = document.getElementById("page");
const until = async (test) => { while (!test()) await new Promise((go) => setTimeout(go, 20)); };
const told = [];
try {
  await until(() => page.contentDocument?.getElementById("status"));
  const find = (id) => page.contentDocument.getElementById(id);
  await until(() => !find("go").disabled || find("status").className === "warning");
  for (const beam of ["1", "5"]) for (const text of texts) {
    find("source").value = text;
    find("beam").value = beam;
    find("go").click();
    await until(() => !find("go").disabled);
    const cells = [...page.contentDocument.querySelectorAll("#picture rect[data-weight]")];
    told.push({
      status: find("status").textContent, text: find("text").textContent,
      score: +find("score").textContent.replace("−", "-"),
      weights: cells.map((cell) => +cell.dataset.weight),
    });
  }
} catch (error) { told.push({ status: String(error) }); }
await fetch("told", { method: "POST", body: JSON.stringify(told) });
</script>"""


class Site(http.server.SimpleHTTPRequestHandler):
    """The folder as it is, and a page that uses it as a person would."""

    def __init__(self, *given, drive, told, **more):
        self.drive, self.told = drive, told
        super().__init__(*given, **more)

    def do_GET(self):
        if self.path != "/drive.html":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.drive.encode())
        return None

    def do_POST(self):
        self.told.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def end_headers(self):  # the page may reach nothing but this server
        self.send_header(
            "Content-Security-Policy",
            "default-src 'self' data: blob:; "
            "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'self'",
        )
        super().end_headers()

    def log_message(self, *_):
        pass


def driven(site: Path, texts: list[str], profile: Path) -> list[dict]:
    """What the page shows for texts, greedily and with a beam."""
    told: SimpleQueue[list[dict]] = SimpleQueue()
    drive = DRIVE.replace("TEXTS", json.dumps(texts))
    handler = partial(Site, drive=drive, told=told, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/drive.html"
        browser = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-port=0", url],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return told.get(timeout=WAIT)
        except Empty:
            pytest.fail(f"the page said nothing within {WAIT} s")
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()


@pytest.fixture(scope="module")
def runtime():
    """Fetches ONNX Runtime Web, or skips."""
    try:
        return web.fetch_runtime()
    except Seq2SeeError as error:
        pytest.skip(str(error))


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("precision", ["float32", "int8"])
@pytest.mark.parametrize("name", ["model", "word_model"])
def test_a_browser_translates_as_python_does(name, precision, runtime, request, tmp_path, capsys):
    folder = shutil.copytree(request.getfixturevalue(name), tmp_path / name)
    site = tmp_path / "site"
    command = ["export", str(folder), "--web", str(site), "--web-precision", precision]
    assert main(command) == 0
    assert "http.server" in capsys.readouterr().out
    texts = {"model": ["3 May 2021", "1/2/1999"], "word_model": ["I see a dog", "you zzz bread"]}
    found = driven(site, texts[name], tmp_path / "profile")
    model = load(folder, engine="onnx", precision=precision, threads=1)
    expected = [model.translate(text, beam=beam) for beam in (1, 5) for text in texts[name]]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours["status"].startswith("Ready")
        assert ours["text"] == theirs.text
        assert ours["score"] == pytest.approx(theirs.score, abs=2e-3)
        np.testing.assert_allclose(ours["weights"], theirs.attention.ravel(), atol=2e-3)


def test_without_npm_it_says_what_to_do(word_model, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(web.shutil, "which", lambda name: None)
    with pytest.raises(Seq2SeeError, match=r"npm is not installed. Install Node\.js"):
        web.fetch_runtime()


def test_a_folder_of_other_things_is_left_alone(word_model, tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(ConfigError, match="holds something else"):
        web.write_web(ModelFolder.open(word_model), tmp_path, "float")

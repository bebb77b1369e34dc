"""A static folder that translates in the browser: the page, the graphs, the tokenizers, and
ONNX Runtime Web with them, so that nothing is fetched from anywhere else.
"""  # noqa: D205

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from seq2see.engine.manifest import load_manifest
from seq2see.engine.onnx_engine import Precision, file_name
from seq2see.errors import ConfigError, Seq2SeeError
from seq2see.export.subwords import describe_subwords
from seq2see.folder import ModelFolder
from seq2see.see.ramp import colour
from seq2see.see.svg import style
from seq2see.text.subwords import Subwords
from seq2see.text.table import TableTokenizer
from seq2see.text.tokenizer import Tokenizer

RUNTIME = "onnxruntime-web@1.30.0"
RUNTIME_FILES = ("ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm")
PAGE = ("index.html", "app.js", "model.js", "search.js", "text.js", "picture.js")
LEVELS = 50  # shades of the picture, as in see/svg.py


def write_web(folder: ModelFolder, out: Path, precision: Precision) -> list[Path]:
    """Writes the folder.

    Args:
        folder: An exported model.
        out: Where to; new, empty, or written before.
        precision: Of the graphs.

    Returns:
        The files written.

    Raises:
        ConfigError: ``out`` holds something else.
        Seq2SeeError: npm is missing, or cannot fetch ONNX Runtime Web.
    """
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not _ours(out))):
        raise ConfigError(f"'{out}' holds something else. Choose a new or an empty folder.")
    runtime = fetch_runtime()
    manifest = load_manifest(folder.path)
    graphs = [manifest.find(folder.path, file_name(g, precision)) for g in ("encoder", "step")]
    told = {
        "name": f"{folder.path.resolve().name} · Seq2See",
        "graphs": [{"file": path.name, "bytes": path.stat().st_size} for path in graphs],
        "target_size": manifest.target_size,
        "longest": manifest.max_source,
    }
    (out / "ort").mkdir(parents=True, exist_ok=True)
    written = [Path(shutil.copy(path, out)) for path in graphs]
    written += [Path(shutil.copy(runtime / name, out / "ort")) for name in RUNTIME_FILES]
    texts = {name: (files("seq2see.export") / "web" / name).read_text("utf-8") for name in PAGE}
    texts["style.css"] = _style()
    texts["source.json"] = _json(describe(folder.source))
    texts["target.json"] = _json(describe(folder.target))
    texts["model.json"] = _json(told)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8", newline="\n")
        written.append(out / name)
    return written


def _ours(out: Path) -> bool:
    return (out / "model.json").is_file() and (out / "ort").is_dir()


def describe(tokenizer: Tokenizer) -> dict[str, Any]:
    """What a tokenizer in the browser needs to know."""
    if isinstance(tokenizer, Subwords):
        return describe_subwords(tokenizer)
    assert isinstance(tokenizer, TableTokenizer)
    tokens = list(tokenizer.vocabulary)
    return {"kind": tokenizer.kind, "options": tokenizer.options, "tokens": tokens}


def _style() -> str:
    """The page's rules, the pictures' own, and the light ramp (the dark one is theirs)."""
    page = (files("seq2see.export") / "web" / "page.css").read_text("utf-8")
    light = "".join(f".s2s .w{i}{{fill:{colour(i / LEVELS)}}}" for i in range(LEVELS + 1))
    return f"{page}{light}\n{style()}"


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def fetch_runtime() -> Path:
    """The folder with ONNX Runtime Web's files, fetched by npm the first time.

    Raises:
        Seq2SeeError: npm is missing, or fails.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cache = home / "seq2see" / RUNTIME
    if all((cache / name).is_file() for name in RUNTIME_FILES):
        return cache
    npm = shutil.which("npm")
    if npm is None:
        raise Seq2SeeError(
            "A page for the browser needs ONNX Runtime Web, which npm fetches, and npm is not "
            f"installed. Install Node.js, or put {' and '.join(RUNTIME_FILES)} of {RUNTIME} into "
            f"{cache}."
        )
    cache.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [npm, "pack", RUNTIME, "--silent", "--pack-destination", str(cache)],
        capture_output=True,
        text=True,
        cwd=cache,
    )
    packed = next(cache.glob("*.tgz"), None)
    if done.returncode or packed is None:
        raise Seq2SeeError(
            f"npm could not fetch {RUNTIME}: {(done.stderr or done.stdout).strip()[-500:]}"
        )
    with tarfile.open(packed) as package:
        for name in RUNTIME_FILES:
            member = package.extractfile(f"package/dist/{name}")
            assert member is not None
            part = cache / f"{name}.part"
            with member, part.open("wb") as file:
                shutil.copyfileobj(member, file)
            part.replace(cache / name)
    packed.unlink()
    return cache

"""An export says what the model says, needs no torch, and does not run when it is not whole."""

import itertools
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from seq2see import load, machine
from seq2see.cli import main
from seq2see.config import AttentionConfig, ModelConfig
from seq2see.engine import threads
from seq2see.engine.engine import Engine, Proposal
from seq2see.engine.manifest import load_manifest
from seq2see.engine.onnx_engine import OnnxEngine
from seq2see.engine.shortlist import Shortlist
from seq2see.engine.threads import choose_threads
from seq2see.engine.torch_engine import TorchEngine
from seq2see.errors import ModelError
from seq2see.export import check, export_model, learn_shortlist
from seq2see.folder import ModelFolder
from seq2see.model.seq2seq import Seq2Seq
from seq2see.search import SearchConfig, score_targets, search, search_stream
from seq2see.text.vocabulary import BOS, EOS, UNK

SCORES = ("dot", "scaled_dot", "general", "additive", "cosine", "location")
WINDOWS = ("global", "local_m", "local_p")
WIRINGS = (("none", False), ("none", True), ("bahdanau", False), ("luong", False), ("luong", True))
CELLS = ("rnn", "gru", "lstm")
OPTIONS = (
    {"encoder_layers": 3, "decoder_layers": 3},
    {"encoder_layers": 4, "decoder_layers": 4, "layer_norm": True},
    {"bidirectional": False},
    {"attention": AttentionConfig(score="additive", heads=2)},
    {"attention": AttentionConfig(score="scaled_dot", heads=4)},
    {"attention": AttentionConfig(score="general", heads=2, window="local_p", width=2)},
    {"attention": AttentionConfig(score="dot", window="local_p", width=2, normalise=False)},
    {"attention": AttentionConfig(score="general", coverage=True)},
    {"attention": AttentionConfig(score="additive", coverage=True, size=6, heads=2)},
    {"bridge": "zero"},
    {"bridge": "mean"},
    {"bridge": "learned", "memory": 12},
    {"encoder_cell": "gru", "bridge": "mean", "layer_norm": True},
    {"tie": "target"},
    {"tie": "all"},
)
SIZE = 90  # more than two of the groups in which the best tokens are looked for
SOURCES = [[5, 6, 7, 8, 9, 4, 3], [4, 5, 3], [9, 8, 7, 6, 3]]


def network(**settings: object) -> Seq2Seq:
    torch.manual_seed(0)
    defaults = {"embedding": 6, "hidden": 8, "attention": AttentionConfig(score="general")}
    model = Seq2Seq(ModelConfig(**{**defaults, **settings}), SIZE, SIZE)
    for p in model.parameters():  # away from zero, so that no term vanishes unseen
        torch.nn.init.normal_(p, std=0.4)
    return model.eval()


def exported(model: Seq2Seq, folder: Path, precision: str = "float") -> OnnxEngine:
    export_model(model, folder, [precision])
    return OnnxEngine(folder, precision=precision)


def furthest_apart(ours: Engine, theirs: Engine) -> float:
    """The largest difference over four steps that repeat rows, drop some, and drop sentences."""
    a, b = ours.start(SOURCES), theirs.start(SOURCES)
    tokens, worst = np.full(3, BOS), 0.0
    for rows in ([0, 0, 1, 2, 2], [3, 1, 2, 0, 4], [4, 3], [1, 1, 0]):
        wanted = np.arange(len(tokens)) + 4
        x = ours.step(a, tokens, 4, score_of=wanted)
        y = theirs.step(b, tokens, 4, score_of=wanted)
        # At a tie of 1e-5, either order is right.
        assert ((x.tokens == y.tokens) | (np.abs(x.scores - y.scores) < 1e-5)).all()
        for one, other in ((x.scores, y.scores), (x.attention, y.attention), (x.given, y.given)):
            assert one.shape == other.shape
            worst = max(worst, float(np.abs(one - other).max()))
        tokens = y.tokens[rows, 0]
        a, b = x.state.select(np.array(rows)), y.state.select(np.array(rows))
    return worst


@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("score", SCORES)
def test_every_score_window_and_wiring_exports(score, window, wiring, feeding, tmp_path):
    attention = AttentionConfig(score=score, window=window, width=2)
    model = network(wiring=wiring, input_feeding=feeding, attention=attention)
    assert furthest_apart(exported(model, tmp_path), TorchEngine(model)) < 1e-4


@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
@pytest.mark.parametrize(("encoder", "decoder"), list(itertools.product(CELLS, CELLS)))
def test_every_pair_of_cells_exports(encoder, decoder, wiring, feeding, tmp_path):
    model = network(
        wiring=wiring, input_feeding=feeding, encoder_cell=encoder, decoder_cell=decoder
    )
    assert furthest_apart(exported(model, tmp_path), TorchEngine(model)) < 1e-4


@pytest.mark.parametrize("settings", OPTIONS, ids=str)
@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
def test_every_option_exports(wiring, feeding, settings, tmp_path):
    model = network(wiring=wiring, input_feeding=feeding, **settings)
    assert furthest_apart(exported(model, tmp_path), TorchEngine(model)) < 1e-4


@pytest.mark.parametrize("config", [SearchConfig(beam=1), SearchConfig(beam=5, n_best=5)])
def test_every_search_finds_the_same(config, tmp_path):
    model = network(wiring="luong", input_feeding=True)
    ours = search(exported(model, tmp_path), SOURCES, config)
    theirs = search(TorchEngine(model), SOURCES, config)
    for mine, other in zip(itertools.chain(*ours), itertools.chain(*theirs), strict=True):
        assert mine.tokens == other.tokens
        assert mine.token_scores == pytest.approx(other.token_scores, abs=1e-4)
        np.testing.assert_allclose(mine.attention, other.attention, atol=1e-4)


@pytest.mark.parametrize("heads", [1, 2])
def test_prescribed_attention_and_given_tokens_are_obeyed(heads, tmp_path):
    model = network(attention=AttentionConfig(score="general", heads=heads, coverage=True))
    weights = [np.eye(4, len(source), dtype=np.float32) for source in SOURCES]
    targets = [[5, 6], [7], [8, 9, 4]]
    found = [
        score_targets(engine, SOURCES, targets, attention=[w[:2] for w in weights])
        for engine in (exported(model, tmp_path), TorchEngine(model))
    ]
    for mine, other in zip(*found, strict=True):
        assert mine.token_scores == pytest.approx(other.token_scores, abs=1e-4)
        np.testing.assert_allclose(mine.attention, other.attention, atol=1e-5)


@pytest.mark.parametrize("precision", ["float", "int8"])
@pytest.mark.parametrize("settings", [{}, {"encoder_layers": 3, "layer_norm": True}], ids=str)
def test_a_sentence_is_the_same_alone_and_in_any_batch(precision, settings, tmp_path):
    engine = exported(network(**settings), tmp_path, precision)
    together = search(engine, SOURCES, SearchConfig(beam=3, n_best=3))
    for source, found in zip(SOURCES, together, strict=True):
        (alone,) = search(engine, [source], SearchConfig(beam=3, n_best=3))
        for a, b in zip(alone, found, strict=True):
            assert a.tokens == b.tokens
            assert a.token_scores == pytest.approx(b.token_scores, abs=1e-5)
            np.testing.assert_allclose(a.attention, b.attention, atol=1e-6)


def probabilities(proposal: Proposal) -> np.ndarray:
    """p(y_t) in the vocabulary's order, from a proposal of everything [R, V]."""
    p = np.zeros((len(proposal.tokens), SIZE))
    np.put_along_axis(p, proposal.tokens, np.exp(proposal.scores), axis=1)
    return p


@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
@pytest.mark.parametrize(
    "settings",
    [
        *({"encoder_cell": cell, "decoder_cell": cell} for cell in CELLS),
        {"attention": AttentionConfig(score="additive", heads=2, window="local_p")},
        {"encoder_layers": 3, "decoder_layers": 3, "layer_norm": True, "bridge": "mean"},
    ],
    ids=str,
)
def test_8_bits_are_close(settings, wiring, feeding, tmp_path):
    model = network(wiring=wiring, input_feeding=feeding, hidden=32, embedding=32, **settings)
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(0.5)
    whole, exact = exported(model, tmp_path, "int8"), TorchEngine(model)
    a, b = whole.start(SOURCES), exact.start(SOURCES)
    for tokens in ([BOS] * 3, [5, 6, 7], [8, 9, 4]):
        x, y = (e.step(s, np.array(tokens), SIZE) for e, s in ((whole, a), (exact, b)))
        assert np.abs(probabilities(x) - probabilities(y)).sum(axis=1).max() < 0.05
        a, b = x.state, y.state


def test_an_exported_model_runs_without_torch(tmp_path):
    engine = exported(network(), tmp_path)
    expected = search(engine, SOURCES, SearchConfig(beam=2))
    program = (
        "import sys; sys.modules.update(dict.fromkeys(('torch', 'onnx', 'safetensors')))\n"
        "from pathlib import Path\n"
        "from seq2see.engine.onnx_engine import OnnxEngine\n"
        "from seq2see.search import search, SearchConfig\n"
        f"engine = OnnxEngine(Path({str(tmp_path)!r}))\n"
        f"print([h[0].tokens for h in search(engine, {SOURCES}, SearchConfig(beam=2))])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.strip() == str([h[0].tokens for h in expected]), run.stderr


def test_a_sentence_longer_than_the_location_score_knows_is_refused(tmp_path):
    model = network(attention=AttentionConfig(score="location"), max_source=6)
    with pytest.raises(ModelError, match=r"7 tokens .* knows 6 positions"):
        exported(model, tmp_path).start(SOURCES)


def test_what_is_no_whole_export_is_refused_by_name(tmp_path):
    with pytest.raises(ModelError, match=r"no .*export\.json"):
        OnnxEngine(tmp_path)
    export_model(network(), tmp_path, ["float"])
    with pytest.raises(ModelError, match=r"export\.json lists no 'encoder\.int8\.onnx'"):
        OnnxEngine(tmp_path, precision="int8")

    step = tmp_path / "step.onnx"
    content = step.read_bytes()
    step.write_bytes(content[:-1] + b"x")
    with pytest.raises(ModelError, match=r"step\.onnx is damaged"):
        OnnxEngine(tmp_path)
    step.unlink()
    with pytest.raises(ModelError, match=r"step\.onnx is missing"):
        OnnxEngine(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}', '{"format": "x"}'])
def test_a_damaged_manifest_is_refused(text, tmp_path):
    export_model(network(), tmp_path, ["float"])
    (tmp_path / "export.json").write_text(text)
    with pytest.raises(ModelError, match=r"export\.json is damaged"):
        OnnxEngine(tmp_path)


def test_an_export_of_a_newer_version_is_refused(tmp_path):
    export_model(network(), tmp_path, ["float"])
    told = json.loads((tmp_path / "export.json").read_text())
    (tmp_path / "export.json").write_text(json.dumps({**told, "format": 99, "new": True}))
    with pytest.raises(ModelError, match=r"format 99, written by a newer seq2see"):
        OnnxEngine(tmp_path)


def everything_but(missing: list[int]) -> Shortlist:
    """A shortlist of every word but some, which only the source token 4 brings in."""
    table = np.zeros((SIZE, len(missing)), np.int32)
    table[4] = missing
    always = np.setdiff1d(np.arange(SIZE), missing).astype(np.int32)
    return Shortlist(table, always, SIZE)


@pytest.mark.parametrize("precision", ["float", "int8"])
@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
def test_a_shortlist_of_all_words_changes_nothing(wiring, feeding, precision, tmp_path):
    model = network(wiring=wiring, input_feeding=feeding, decoder_layers=3, layer_norm=True)
    export_model(model, tmp_path, [precision], everything_but([]))
    whole, short = (OnnxEngine(tmp_path, precision=precision, shortlist=s) for s in (False, True))
    for config in (SearchConfig(beam=1), SearchConfig(beam=5, n_best=5)):
        found = [itertools.chain(*search(engine, SOURCES, config)) for engine in (short, whole)]
        for a, b in zip(*found, strict=True):
            assert a.tokens == b.tokens
            assert a.token_scores == pytest.approx(b.token_scores, abs=1e-4)
            np.testing.assert_allclose(a.attention, b.attention, atol=1e-4)


def test_only_words_of_a_sentences_own_list_are_proposed_in_any_batch(tmp_path):
    model = network()
    export_model(model, tmp_path, ["float"])
    config = SearchConfig(beam=4, n_best=4)
    favourite = search(OnnxEngine(tmp_path), [[9, 8, 7, 6, 3]], config)[0][0].tokens[0]
    export_model(model, tmp_path, ["float"], everything_but([favourite]))
    engine = OnnxEngine(tmp_path, shortlist=True)
    together = search(engine, SOURCES, config)  # the first two hold the token 4, the third does not
    assert all(favourite not in hypothesis.tokens for hypothesis in together[2])
    for source, found in zip(SOURCES, together, strict=True):
        alone = search(engine, [source], config)[0]
        assert [h.tokens for h in alone] == [h.tokens for h in found]
        assert alone[0].token_scores == pytest.approx(found[0].token_scores, abs=1e-5)
    scored = score_targets(engine, [SOURCES[2]], [[favourite]])
    assert np.isfinite(scored[0].score)  # what is given is scored among all words


def test_a_shortlist_is_learned_from_what_the_model_looks_at(tmp_path):
    class Diagonal:  # every target token looks at the source token that stands where it does
        target_size, rows = SIZE, 8

        def start(self, sources):
            self.sources, self.t = sources, -1
            return self

        def select(self, rows):
            self.sources = [self.sources[row] for row in rows]
            return self

        def step(self, state, tokens, k, *, score_of=None, attention=None):
            self.t += 1
            longest = max(map(len, self.sources))
            weights = np.zeros((len(tokens), longest), np.float32)
            weights[:, min(self.t, longest - 1)] = 1
            some = np.tile(np.arange(3, 3 + k), (len(tokens), 1))
            return Proposal(
                some, np.zeros(some.shape, np.float32), weights, self, -some[:, 0] * 1.0
            )

    sources, targets = [[5, 6, 3], [6, 5, 3], [5, 3]], [[15, 16], [16, 15], [17]]
    found = learn_shortlist(Diagonal(), sources, targets, SIZE, words=1, always=1)
    assert found.words[[5, 6], 0].tolist() == [15, 16]
    assert found.always.tolist() == [EOS]
    (tmp_path / "shortlist.npz").write_bytes(found.dump())
    read = Shortlist.load(tmp_path / "shortlist.npz")
    assert read.choose([[5, 3]]).ids.tolist() == [UNK, EOS, 15]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stream_keeps_its_order_and_reads_only_what_it_needs(workers, tmp_path):
    engine = exported(network(), tmp_path)
    rng = np.random.default_rng(0)
    sources = [[*rng.integers(4, SIZE, n), 3] if n else [] for n in rng.integers(0, 9, 600)]
    config, read = SearchConfig(beam=1, batch_size=2), 0

    def stream():
        nonlocal read
        for source in sources:
            read += 1
            yield source

    full = iter(search(engine, [source for source in sources if source], config))
    found, ahead = [], []
    for hypotheses in search_stream([engine] * workers, stream(), config):
        found.append(hypotheses)
        ahead.append(read - len(found))
    assert [[h.tokens for h in lines] for lines in found] == [
        [h.tokens for h in next(full)] if source else [] for source in sources
    ]
    assert ahead[0] < 3 * 2 * workers  # a small window, and the next
    assert max(ahead) <= 2 * 16 * 2 * workers  # two grown windows, however long the stream
    assert list(search_stream([engine] * workers, [], config)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_what_stands_before_a_fault_of_the_input_is_still_translated(workers, tmp_path):
    def stream():
        yield from [[4, 3], [5, 3]]
        raise ModelError("line 3 is not text")

    results = search_stream([exported(network(), tmp_path)] * workers, stream(), SearchConfig())
    assert next(results)
    assert next(results)
    with pytest.raises(ModelError, match="line 3"):
        next(results)


def test_a_stream_tells_what_went_wrong_and_can_be_left(tmp_path):
    engine = exported(network(attention=AttentionConfig(score="location"), max_source=3), tmp_path)
    config = SearchConfig(beam=1, batch_size=1)
    results = search_stream([engine], [[4, 3], [4, 5, 6, 3]], config)
    assert next(results)
    with pytest.raises(ModelError, match="knows 3 positions"):
        next(results)
    endless = search_stream([engine, engine], itertools.repeat([4, 3]), config)
    assert next(endless)
    endless.close()


@pytest.fixture
def folder(word_model, tmp_path):
    return shutil.copytree(word_model, tmp_path / "model")


def test_an_export_checks_itself_and_measures_what_its_shortcuts_cost(folder, words, capsys):
    assert main(["export", str(folder), "--pairs", str(words), "--shortlist", str(words)]) == 0
    told = capsys.readouterr().out
    assert "have torch's tokens" in told
    for way in ("int8: BLEU", "float with shortlist: BLEU", "int8 with shortlist: BLEU"):
        assert way in told
    for way in ({}, {"precision": "int8"}, {"precision": "int8", "shortlist": True}):
        model = load(folder, engine="onnx", threads=2, **way)
        assert model.workers == 2
        assert "2 workers of one thread, as asked" in model.why
        texts = ["I see a dog", "", "you see a cat"] * 40
        assert [t.text for t in model.translate(texts)] == [model.translate(t).text for t in texts]


def test_int8_that_costs_too_much_is_taken_back(folder, words, capsys, monkeypatch):
    monkeypatch.setattr(check, "COST", -1000)
    assert main(["export", str(folder), "--pairs", str(words)]) == 1
    assert "refused. The int8 graphs are removed" in capsys.readouterr().out
    assert not list(folder.glob("*.int8.onnx"))
    with pytest.raises(ModelError, match="lists no"):
        load(folder, precision="int8")
    assert load(folder, engine="onnx").translate("I see a dog")


def test_an_export_of_other_weights_is_told(folder, capsys, monkeypatch):
    monkeypatch.setattr("seq2see.export.export_model", lambda *_, **__: load_manifest(folder))
    with torch.no_grad():
        other = ModelFolder.open(folder).network()
        other.b_output[5] += 0.01
    export_model(other, folder, ["float"])
    assert main(["export", str(folder)]) == 1
    assert "does not agree with torch" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seconds", "cores", "chosen"),
    [({1: 0.004, 4: 0.001}, 4, 4), ({1: 0.001, 4: 0.004}, 4, 1), ({1: 0.004, 4: 0.001}, 1, 1)],
    ids=["several are faster", "several are slower", "one core"],
)
def test_a_sentence_gets_several_threads_only_if_that_was_seen_to_pay(seconds, cores, chosen):
    class Timed:
        def __init__(self, count):
            self.threads = count

        def start(self, sources):
            return self

        def select(self, rows):
            return self

        def step(self, state, tokens, k):
            time.sleep(seconds[self.threads])
            return SimpleNamespace(state=state, tokens=tokens[:, None])

    choice = choose_threads(Timed(1), Timed, cores)
    assert choice.engine.threads == chosen
    assert choice.why.startswith("one thread" if chosen == 1 else f"{chosen} threads (measured")


def test_what_was_measured_serves_single_sentences_alone(folder, words, monkeypatch):
    assert main(["export", str(folder)]) == 0
    monkeypatch.setattr(machine, "cores", lambda: 2)
    monkeypatch.setattr(threads, "WORTH", 1e9)
    model = load(folder, engine="onnx")
    assert model.alone is not model.engine
    assert "one sentence: 2 threads (measured: " in model.why
    assert model.translate("I see a dog").text == model.translate(["I see a dog"] * 3)[2].text
    monkeypatch.setattr(threads, "WORTH", 0)
    assert load(folder, engine="onnx").alone is not model.alone
    asked = load(folder, engine="onnx", threads=2)
    assert asked.alone is asked.engine

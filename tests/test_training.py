"""A run learns, is reproducible, and survives being stopped at any moment."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file

from seq2see.config import Config, DataConfig, SideConfig, TextConfig, from_mapping
from seq2see.data.batching import Side, TokenCorpus, batches, tokenise
from seq2see.data.corpus import Corpus, Link
from seq2see.engine.ensemble import EnsembleEngine
from seq2see.engine.torch_engine import TorchEngine
from seq2see.errors import ConfigError, ModelError, Seq2SeeError
from seq2see.folder import WEIGHTS, ModelFolder
from seq2see.text.tokenizer import learn_tokenizer
from seq2see.text.vocabulary import BOS, EOS, PAD
from seq2see.training.checkpoint import Checkpoint, Position, checkpoints, latest
from seq2see.training.optimiser import AveragedWeights, RunningAverage, clip
from seq2see.training.prepare import prepare
from seq2see.training.progress import Progress
from seq2see.training.run import train
from seq2see.training.schedule import Schedule
from seq2see.training.teacher import with_lessons
from seq2see.training.trainer import Trainer


def write_pairs(path: Path, n: int = 60) -> Path:
    """Words to be spelt backwards: learnable, and made here."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdef"), rng.integers(2, 7))) for _ in range(n)]
    path.write_text("".join(f"{w}\t{' '.join(reversed(w))}\n" for w in words), encoding="utf-8")
    return path


def config(pairs: Path, hidden: int = 12, **training: object) -> Config:
    base = {
        "updates": 24,
        "validate_every": 8,
        "batch_pairs": 8,
        "threads": 1,
        "ema": 0.9,
        "save_every": 3,
        "patience": 0,
    }
    return from_mapping(
        Config,
        {
            "data": {"train": str(pairs)},
            "model": {"embedding": 8, "hidden": hidden, "dropout": 0.1},
            "training": {**base, **training},
        },
    )


def weights(run: Path) -> dict[str, torch.Tensor]:
    return load_file(checkpoints(run)[-1])


def assert_same_end(one: Path, other: Path) -> None:
    a, b = weights(one), weights(other)
    assert a.keys() == b.keys()
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert (one / WEIGHTS).read_bytes() == (other / WEIGHTS).read_bytes()


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.tsv")


def test_the_same_run_twice_ends_with_the_same_bits(pairs: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        train(config(pairs), tmp_path / name, quiet=True)
    assert_same_end(tmp_path / "a", tmp_path / "b")


def test_dropout_is_at_work_before_and_after_a_validation(pairs: Path, tmp_path: Path) -> None:
    prepared = prepare(config(pairs, hidden=32), tmp_path / "run")
    trainer = Trainer(prepared, Progress())
    batch = prepared.train_tokens.batch(prepared.rows[:8])

    def losses() -> set[float]:
        return {trainer._gradients(batch, 1.0) for _ in range(5)}

    assert len(losses()) > 1
    first, second = trainer.validator().loss, trainer.validator().loss
    assert first == second, "validation must not drop anything"
    assert len(losses()) > 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_was_stopped_ends_as_one_that_was_not(
    pairs: Path, tmp_path: Path, number: int
) -> None:
    settings_ = {"updates": 120, "validate_every": 30, "save_every": 7}
    train(config(pairs, **settings_), tmp_path / "whole", quiet=True)
    run = tmp_path / "stopped"
    command = [sys.executable, __file__, str(pairs), str(run), *map(str, settings_.values())]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ})
    while process.poll() is None and len(checkpoints(run)) == 0:
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode != 0, "the run was over before it could be stopped"
    start = latest(run)
    assert start is not None
    assert 0 < start.position.update < 120
    train(config(pairs, **settings_), run, resume=True, quiet=True)
    assert_same_end(tmp_path / "whole", run)


def test_a_damaged_newest_checkpoint_costs_only_the_way_back_to_the_one_before(
    pairs: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    train(config(pairs, keep=3), run, quiet=True)
    newest = checkpoints(run)[-1]
    newest.write_bytes(newest.read_bytes()[:1000])
    found = latest(run)
    assert found is not None
    assert found.position.update < 24
    for path in checkpoints(run):
        path.write_bytes(b"nothing")
    with pytest.raises(ModelError, match="damaged"):
        latest(run)


def test_other_data_is_refused_on_resume(pairs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    train(config(pairs), run, quiet=True)
    pairs.write_text(pairs.read_text().replace("a", "f"), encoding="utf-8")
    with pytest.raises(Seq2SeeError, match="other data or settings"):
        train(config(pairs, updates=40), run, resume=True, quiet=True)


def test_a_folder_that_holds_something_is_never_written_to(pairs: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    train(config(pairs), run, quiet=True)
    with pytest.raises(ConfigError, match="already holds a run"):
        train(config(pairs), run, quiet=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "diary.txt").write_text("dear diary")
    with pytest.raises(ConfigError, match="not an empty folder"):
        train(config(pairs), other, quiet=True)
    with pytest.raises(ConfigError, match="no run to resume"):
        train(config(pairs), tmp_path / "never", resume=True, quiet=True)


def test_a_full_disk_leaves_the_last_good_checkpoint(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from seq2see.training import checkpoint as module

    run, save, calls = tmp_path / "run", module.save_file, []

    def full(tensors: object, part: Path, metadata: object) -> None:
        calls.append(part)
        if len(calls) > 2:
            part.write_bytes(b"half")
            raise OSError(28, "No space left on device")
        save(tensors, part, metadata)

    monkeypatch.setattr(module, "save_file", full)
    with pytest.raises(Seq2SeeError, match="No space left on device"):
        train(config(pairs), run, quiet=True)
    monkeypatch.undo()
    found = latest(run)
    assert found is not None
    assert found.position.update == 6
    assert not list((run / "checkpoints").glob(".*")), "no half-written file is left"


OPTIONS: list[dict[str, object]] = [
    {"optimizer": "adamw", "weight_decay": 0.01},
    {"optimizer": "sgd", "learning_rate": 0.5},
    {"schedule": "inverse_root", "warmup": 5},
    {"schedule": "constant"},
    {"schedule": "plateau"},
    {"accumulate": 3},
    {"clip": 0.0, "label_smoothing": 0.0},
    {"teacher_forcing": 0.8, "teacher_forcing_end": 0.2},
    {"ema": 0.0, "average": 2},
    {"average": 3},
    {"precision": "float32"},
    {"precision": "bfloat16"},
    {"batch_pairs": None, "batch_tokens": 200},
    {"metric": "loss", "patience": 1, "learning_rate": 1e-9, "schedule": "constant", "ema": 0.0},
    {"metric": "exact"},
    {"metric": "chrf"},
    {"updates": None, "epochs": 2, "validate_every": None},
]


@pytest.mark.parametrize("training", OPTIONS, ids=str)
def test_every_training_option_runs(
    pairs: Path, tmp_path: Path, training: dict[str, object]
) -> None:
    train(config(pairs, **training), tmp_path / "run", quiet=True)
    found = latest(tmp_path / "run")
    assert found is not None
    assert found.position.done
    assert (tmp_path / "run" / WEIGHTS).is_file()
    assert "sequence error" in (tmp_path / "run" / "card.md").read_text(encoding="utf-8")
    if training.get("patience"):
        assert found.position.update < 24, "no improvement must stop the run early"


def test_training_lowers_the_loss_and_learns_the_task(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv", 400)
    learned = config(
        pairs, hidden=32, updates=400, validate_every=100, learning_rate=0.01, save_every=None
    )
    run = train(learned, tmp_path / "run", quiet=True)
    found = latest(run)
    assert found is not None
    assert found.position.best is not None
    assert -found.position.best < 50, "spelling backwards must come right for most words"


def test_guided_alignment_pulls_attention_to_the_links(tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv", 80)
    lines = pairs.read_text(encoding="utf-8").splitlines()
    spaced = [" ".join(line.split("\t")[0]) + "\t" + line.split("\t")[1] for line in lines]
    pairs.write_text("\n".join(spaced) + "\n", encoding="utf-8")
    links = tmp_path / "links.txt"
    counts = [len(line.split("\t")[1].split()) for line in lines]
    links.write_text("".join(" ".join(f"{n - 1 - i}-{i}" for i in range(n)) + "\n" for n in counts))

    def on_link(weight: float, name: str) -> float:
        settings_ = config(pairs, guided_alignment=weight, updates=200, learning_rate=0.02)
        data = {"train": str(pairs), "links": str(links)}
        settings_ = from_mapping(
            Config,
            {
                "data": data,
                "text": {"source": {"kind": "symbols"}, "target": {"kind": "symbols"}},
                "model": {
                    "embedding": 16,
                    "hidden": 24,
                    "encoder_layers": 1,
                    "dropout": 0.0,
                    "attention": {"score": "additive"},
                },
                "training": {k: v for k, v in vars(settings_.training).items() if v is not None},
            },
        )
        run = train(settings_, tmp_path / name, quiet=True)
        from seq2see.translator import Translator

        model = Translator.load(run)
        found = model.score(["a b c d"], ["d c b a"])[0]
        return float(np.mean([found.attention[i, 3 - i] for i in range(4)]))

    assert on_link(1.0, "guided") > max(0.8, on_link(0.0, "free"))


def taught_by(pairs: Path, *teachers: Path, **training: object) -> Config:
    names = ",".join(map(str, teachers))
    return replace(config(pairs, **training), data=DataConfig(train=str(pairs), teacher=names))


def test_lessons_are_the_mean_of_what_the_teachers_predict(pairs: Path, tmp_path: Path) -> None:
    teachers = [train(config(pairs, seed=n), tmp_path / str(n), quiet=True) for n in (1, 2)]
    taught = with_lessons(prepare(taught_by(pairs, *teachers), tmp_path / "run"))
    lessons = taught.train_tokens.lessons
    assert lessons is not None
    assert lessons.shares.astype(np.float32).sum(1) == pytest.approx(1, abs=1e-2)
    engine = EnsembleEngine([TorchEngine(ModelFolder.open(path).network()) for path in teachers])
    source, target = taught.train_tokens.source, taught.train_tokens.target
    ids = [side.flat[side.offsets[7] : side.offsets[8]].tolist() for side in (source, target)]
    state = engine.start([ids[0]])
    for t, token in enumerate([BOS, *ids[1][:-1]]):
        proposal = engine.step(state, np.array([token]), lessons.tokens.shape[1])
        state = proposal.state
        place = target.offsets[7] + t
        shares = dict(zip(lessons.tokens[place], lessons.shares[place].tolist(), strict=True))
        p = np.exp(proposal.scores[0])
        for entry, expected in zip(proposal.tokens[0], p / p.sum(), strict=True):
            assert shares.get(entry, 0.0) == pytest.approx(expected, abs=0.02)


def test_a_student_has_its_teachers_tokens_and_ends_alike_when_stopped(
    pairs: Path, tmp_path: Path
) -> None:
    teacher = train(config(pairs), tmp_path / "teacher", quiet=True)
    whole, half = tmp_path / "whole", tmp_path / "half"
    steady = {"seed": 5, "schedule": "constant", "warmup": 0}
    train(taught_by(pairs, teacher, **steady), whole, quiet=True)
    assert ModelFolder.open(whole).target == ModelFolder.open(teacher).target
    train(taught_by(pairs, teacher, **steady, updates=8), half, quiet=True)
    train(taught_by(pairs, teacher, **steady), half, resume=True, quiet=True)
    assert_same_end(half, whole)


def test_a_teacher_of_other_tokens_is_refused(pairs: Path, tmp_path: Path) -> None:
    teacher = train(config(pairs), tmp_path / "teacher", quiet=True)
    other = replace(taught_by(pairs, teacher), text=TextConfig(source=SideConfig(kind="symbols")))
    with pytest.raises(ConfigError, match=r"text\.source\.kind = 'symbols'"):
        train(other, tmp_path / "student", quiet=True)
    with pytest.raises(ModelError, match="no model folder"):
        train(taught_by(pairs, tmp_path / "nobody"), tmp_path / "student", quiet=True)


@given(st.integers(1, 5000), st.sampled_from(["constant", "inverse_root", "cosine", "plateau"]))
def test_the_rate_rises_then_never_exceeds_its_peak(update: int, name: str) -> None:
    schedule = Schedule(name, peak=0.1, warmup=100, total=5000)
    assert 0 <= schedule.rate(update) <= 0.1 + 1e-12
    if update <= 100:
        assert schedule.rate(update) == pytest.approx(0.1 * update / 100)
    elif name in ("inverse_root", "cosine"):
        assert schedule.rate(update) <= schedule.rate(update - 1) + 1e-12


def corpus_of(lengths: list[tuple[int, int]]) -> TokenCorpus:
    return TokenCorpus(
        Side.of([[5] * s for s, _ in lengths]), Side.of([[6] * t for _, t in lengths])
    )


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=60),
    st.integers(20, 300),
    st.integers(1, 20),
    st.integers(0, 3),
)
def test_batches_hold_every_pair_once_within_the_budget(
    lengths: list[tuple[int, int]], tokens: int, pairs_: int, seed: int
) -> None:
    corpus = corpus_of(lengths)
    rows = np.arange(len(corpus))
    found = list(batches(corpus, rows, tokens=tokens, pairs=pairs_, seed=(seed, 0)))
    assert sorted(np.concatenate(found).tolist()) == rows.tolist()
    for group in found:
        width = corpus.source.lengths[group].max() + corpus.target.lengths[group].max()
        assert len(group) == 1 or (len(group) * width <= tokens and len(group) <= pairs_)
    again = list(batches(corpus, rows, tokens=tokens, pairs=pairs_, seed=(seed, 0)))
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))


def test_a_batch_is_padded_on_the_right_between_its_marks() -> None:
    batch = corpus_of([(2, 1), (1, 3)]).batch(np.array([0, 1]))
    assert batch.source.tolist() == [[5, 5, EOS], [5, EOS, PAD]]
    assert batch.source_lengths.tolist() == [3, 2]
    assert batch.target.tolist() == [[BOS, 6, EOS, PAD, PAD], [BOS, 6, 6, 6, EOS]]


def test_word_links_become_links_of_all_their_tokens() -> None:
    corpus = Corpus("x", ["ab c"], ["d ef"], [(Link(0, 1), Link(1, 0, sure=False))])
    letters = learn_tokenizer(["ab c", "d ef"], kind="chars")
    tokens = tokenise(corpus, letters, letters)
    batch = tokens.batch(np.array([0]))
    assert batch.links is not None
    linked = {(int(t), int(s)) for t, s in np.argwhere(batch.links[0] > 0)}
    # d ← "␣c"; "␣ef" ← "ab"; the end mark is free.
    assert linked == {(0, 2), (0, 3), *((t, s) for t in (1, 2, 3) for s in (0, 1))}


def test_the_running_average_is_swapped_in_and_out() -> None:
    layer = torch.nn.Linear(2, 2)
    average = RunningAverage(layer, 0.5)
    before = layer.weight.detach().clone()
    with torch.no_grad():
        layer.weight += 1
    average.update(100)
    with AveragedWeights(layer, average):
        assert torch.allclose(layer.weight, before + 0.5)
    assert torch.allclose(layer.weight, before + 1)


def test_clipping_is_torchs_clipping() -> None:
    layers = [torch.nn.Linear(3, 2) for _ in range(2)]
    layers[1].load_state_dict(layers[0].state_dict())
    for layer in layers:
        layer(torch.ones(1, 3)).sum().mul(9).backward()
    clip(layers[0], 1.0)
    torch.nn.utils.clip_grad_norm_(layers[1].parameters(), 1.0)
    assert torch.allclose(layers[0].weight.grad, layers[1].weight.grad, atol=1e-6)


def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path) -> None:
    position = Position(update=7, best=0.1 + 0.2, kept=[3, 5], fingerprint="x")
    tensors = {"weights/a": torch.randn(3), "random": torch.get_rng_state()}
    Checkpoint(position, tensors).write(tmp_path / "c.safetensors")
    found = Checkpoint.read(tmp_path / "c.safetensors")
    assert found.position == position
    assert all(torch.equal(found.tensors[k], v) for k, v in tensors.items())


if __name__ == "__main__":  # a run of its own, to be stopped from outside
    numbers = dict(
        zip(("updates", "validate_every", "save_every"), map(int, sys.argv[3:]), strict=True)
    )
    train(config(Path(sys.argv[1]), **numbers), Path(sys.argv[2]), quiet=True)

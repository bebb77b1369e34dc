"""One step, one unroll: equal for every score × window × wiring × cell; padding never shows."""

import gc
import itertools

import pytest
import torch

from seq2see.attention.score import AdditiveKeys
from seq2see.config import AttentionConfig, ModelConfig
from seq2see.model.functions import keep_mask
from seq2see.model.loss import Taught, cross_entropy
from seq2see.model.seq2seq import Seq2Seq
from seq2see.model.shared import Shared
from seq2see.text.vocabulary import BOS, EOS, PAD

SCORES = ("dot", "scaled_dot", "general", "additive", "cosine", "location")
WINDOWS = ("global", "local_m", "local_p")
WIRINGS = (("none", False), ("none", True), ("bahdanau", False), ("luong", False), ("luong", True))
CELLS = ("rnn", "gru", "lstm")
SIZE = 13


def network(seed: int = 0, **settings: object) -> Seq2Seq:
    torch.manual_seed(seed)
    defaults = {"embedding": 6, "hidden": 8, "attention": AttentionConfig(score="general")}
    model = Seq2Seq(ModelConfig(**{**defaults, **settings}), SIZE, SIZE).double()
    for p in model.parameters():  # away from zero, so that no term vanishes unseen
        torch.nn.init.normal_(p, std=0.4)
    return model.eval()


def batch(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(seed)
    lengths = torch.tensor([7, 3, 5])
    source = torch.full((3, 7), PAD)
    target = torch.full((3, 7), PAD)
    for i, (n, m) in enumerate(zip(lengths.tolist(), [4, 6, 2], strict=True)):
        source[i, :n] = torch.randint(4, SIZE, (n,), generator=g)
        source[i, n - 1] = EOS
        target[i, : m + 1] = torch.randint(4, SIZE, (m + 1,), generator=g)
        target[i, 0], target[i, m] = BOS, EOS
    return source, lengths, target


def steps(model: Seq2Seq, source, lengths, inputs):
    memory, state = model.start(source, lengths)
    outputs, weights = [], []
    for t in range(inputs.shape[1]):
        step = model.step(inputs[:, t], state, memory)
        state = step.state
        outputs.append(step.output)
        weights.append(step.weights)
    return torch.stack(outputs, 1), (torch.stack(weights, 1) if weights[0] is not None else None)


def assert_unroll_is_steps(model: Seq2Seq) -> None:
    source, lengths, target = batch()
    inputs = target[:, :-1]
    memory, state = model.start(source, lengths)
    unrolled = model.decoder.unroll(inputs, state, memory)
    outputs, weights = steps(model, source, lengths, inputs)
    assert torch.allclose(unrolled.output, outputs, atol=1e-10)
    if weights is None:
        assert unrolled.weights is None
        return
    assert torch.allclose(unrolled.weights, weights, atol=1e-10)
    assert torch.allclose(weights.sum(-1), torch.ones(()).double(), atol=1e-10)
    outside = torch.arange(source.shape[1]) >= lengths.unsqueeze(1)
    assert (weights.transpose(1, 2)[outside] == 0).all()


@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("score", SCORES)
def test_unrolling_is_stepping_for_every_score_window_and_wiring(score, window, wiring, feeding):
    attention = AttentionConfig(score=score, window=window, width=2)
    assert_unroll_is_steps(network(wiring=wiring, input_feeding=feeding, attention=attention))


@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
@pytest.mark.parametrize(("encoder", "decoder"), list(itertools.product(CELLS, CELLS)))
def test_unrolling_is_stepping_for_every_pair_of_cells(encoder, decoder, wiring, feeding):
    assert_unroll_is_steps(
        network(wiring=wiring, input_feeding=feeding, encoder_cell=encoder, decoder_cell=decoder)
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"encoder_layers": 3, "decoder_layers": 3},
        {"encoder_layers": 4, "decoder_layers": 4, "layer_norm": True},
        {"bidirectional": False},
        {"attention": AttentionConfig(score="additive", heads=2)},
        {"attention": AttentionConfig(score="dot", heads=4)},
        {"attention": AttentionConfig(score="general", coverage=True)},
        {"attention": AttentionConfig(score="additive", coverage=True, size=6)},
        {"bridge": "zero"},
        {"bridge": "mean"},
        {"bridge": "learned", "memory": 12},
        {"tie": "inputs"},
        {"tie": "target"},
        {"tie": "all"},
    ],
    ids=str,
)
@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
def test_unrolling_is_stepping_for_every_option(wiring, feeding, settings):
    assert_unroll_is_steps(network(wiring=wiring, input_feeding=feeding, **settings))


@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
@pytest.mark.parametrize("score", ["general", "additive", "cosine"])
@pytest.mark.parametrize("window", ["global", "local_p"])
@pytest.mark.parametrize("layers", [1, 3])
def test_unrolling_has_the_gradients_of_stepping(wiring, feeding, score, window, layers):
    attention = AttentionConfig(score=score, window=window, width=3)
    model = network(
        wiring=wiring, input_feeding=feeding, attention=attention, decoder_layers=layers
    )
    source, lengths, target = batch()
    inputs, wanted = target[:, :-1], target[:, 1:]
    real = wanted != PAD
    loss = model(source, lengths, target).total
    fast = torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)
    logits = model.logits(steps(model, source, lengths, inputs)[0])
    slow_loss = torch.nn.functional.cross_entropy(logits[real], wanted[real], reduction="sum")
    assert torch.allclose(loss, slow_loss)
    slow = torch.autograd.grad(slow_loss, list(model.parameters()), allow_unused=True)
    for (name, _), a, b in zip(model.named_parameters(), fast, slow, strict=True):
        zero = torch.zeros(())
        assert torch.allclose(zero if a is None else a, zero if b is None else b, atol=1e-9), name


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("wiring", "feeding"), WIRINGS)
@pytest.mark.parametrize("cell", CELLS)
def test_a_sentence_is_the_same_alone_and_in_any_batch(cell, wiring, feeding, window):
    model = network(
        wiring=wiring,
        input_feeding=feeding,
        encoder_cell=cell,
        encoder_layers=2,
        attention=AttentionConfig(score="additive", window=window, width=2),
    )
    source, lengths, target = batch()
    together, alpha = steps(model, source, lengths, target[:, :-1])
    for i, n in enumerate(lengths.tolist()):
        alone, alpha_alone = steps(
            model, source[i : i + 1, :n], lengths[i : i + 1], target[i : i + 1, :-1]
        )
        assert torch.allclose(alone[0], together[i], atol=1e-10)
        if alpha is not None:
            assert torch.allclose(alpha_alone[0], alpha[i, :, :n], atol=1e-10)
    order = torch.tensor([2, 0, 1])
    shuffled, _ = steps(model, source[order], lengths[order], target[order, :-1])
    assert torch.allclose(shuffled, together[order], atol=1e-10)


@pytest.mark.parametrize("distillation", [0.0, 0.3])
@pytest.mark.parametrize("agreement", [0.0, 2.0])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_chunked_loss_is_cross_entropy_agreement_and_what_is_taught(
    smoothing, agreement, distillation, monkeypatch
):
    monkeypatch.setattr("seq2see.model.loss.CHUNK", 100)
    torch.manual_seed(0)
    x, w, b = (
        torch.randn(s, dtype=torch.float64, requires_grad=True) for s in ((40, 5), (9, 5), (9,))
    )
    targets = torch.randint(3, 9, (40,))
    logits = (x @ w.t() + b)[:, [1, *range(3, 9)]]
    renumbered = targets - 2
    expected = torch.nn.functional.cross_entropy(
        logits, renumbered, label_smoothing=smoothing, reduction="sum"
    )
    one, other = logits.log_softmax(-1).chunk(2)
    shares = torch.rand(40, 3, dtype=torch.float64).softmax(-1)
    entries = torch.stack([torch.randperm(6)[:3] + 1 for _ in range(40)])
    surprise = -(shares * logits.log_softmax(-1).gather(1, entries)).sum()
    expected = (1 - distillation) * expected + distillation * surprise
    expected = expected + agreement / 2 * ((one.exp() - other.exp()) * (one - other)).sum()
    taught = Taught(entries + 2, shares)
    got = cross_entropy(x, w, b, targets, smoothing, [0, 2], agreement, taught, distillation)
    assert torch.allclose(got[0], expected)
    a = torch.autograd.grad(got[0], (x, w, b))
    e = torch.autograd.grad(expected, (x, w, b))
    assert all(torch.allclose(p, q, atol=1e-10) for p, q in zip(a, e, strict=True))


def test_forced_attention_replaces_the_models_own():
    model = network()
    source, lengths, target = batch()
    memory, state = model.start(source, lengths)
    forced = torch.zeros(3, 7, dtype=torch.float64)
    forced[:, 1] = 1
    step = model.step(target[:, 0], state, memory, forced)
    assert torch.equal(step.weights, forced)
    assert not torch.allclose(step.output, model.step(target[:, 0], state, memory).output)


def test_two_passes_that_cannot_differ_agree():
    model = network()
    source, lengths, target = batch()
    once, twice = model(source, lengths, target), model(source, lengths, target, agreement=3.0)
    assert torch.allclose(once.total, twice.total)
    assert once.tokens == twice.tokens
    assert once.weights.shape == twice.weights.shape


def test_scheduled_sampling_with_only_true_tokens_is_teacher_forcing():
    model = network(wiring="bahdanau")
    source, lengths, target = batch()
    plain = model(source, lengths, target).total
    memory, state = model.start(source, lengths)
    sampled = model._sampled(target[:, :-1], state, memory, 1.0)
    assert torch.allclose(
        sampled.output, model.decoder.unroll(target[:, :-1], state, memory).output
    )
    torch.manual_seed(0)
    assert not torch.allclose(model(source, lengths, target, teacher_forcing=0.0).total, plain)


@pytest.mark.parametrize(("wiring", "feeding"), [("bahdanau", False), ("luong", True)])
def test_an_update_leaves_nothing_behind_for_the_garbage_collector(wiring, feeding):
    model = network(
        wiring=wiring, input_feeding=feeding, attention=AttentionConfig(score="additive")
    )
    gc.collect()
    gc.disable()
    try:
        model(*batch()).total.backward()
        assert not [x for x in gc.get_objects() if type(x) in (Shared, AdditiveKeys)]
    finally:
        gc.enable()


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5])
def test_dropout_drops_its_share_of_units_each_by_itself(rate):
    torch.manual_seed(0)
    mask = keep_mask((201, 203), rate, torch.empty(0))  # a count that four does not divide
    kept = mask > 0
    assert torch.allclose(mask[kept], torch.tensor(1 / (1 - rate)))
    assert abs(kept.float().mean() - (1 - rate)) < 0.01
    pairs = torch.stack([mask.flatten()[:-1], mask.flatten()[1:]])
    assert abs(torch.corrcoef(pairs)[0, 1]) < 0.02

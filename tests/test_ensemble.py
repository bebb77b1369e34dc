"""An ensemble predicts the mean of what its members predict."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2see.engine.ensemble import EnsembleEngine
from seq2see.errors import ModelError
from seq2see.search import SearchConfig, score_targets, search
from seq2see.text.vocabulary import BOS, EOS, PAD
from seq2see.translator import Translator
from test_search import ToyEngine

SOURCES = st.lists(
    st.lists(st.integers(4, 9), max_size=4).map(lambda s: [*s, EOS]), min_size=1, max_size=3
)
SIZE = 6


def dense(engine, state, tokens, attention=None):
    step = engine.step(state, tokens, SIZE - 2, attention=attention)
    probabilities = np.zeros((len(tokens), SIZE))
    np.put_along_axis(probabilities, step.tokens, np.exp(step.scores, dtype=np.float64), axis=1)
    return probabilities, step.attention


@given(SOURCES, st.integers(1, 4), st.integers(0, 9))
def test_probabilities_and_attention_are_means(sources, k, seed):
    members = [ToyEngine(seed=seed), ToyEngine(seed=seed + 1), ToyEngine(seed=seed + 2)]
    engine = EnsembleEngine(members)
    tokens = np.full(len(sources), BOS)
    step = engine.step(engine.start(sources), tokens, k, score_of=np.full(len(sources), EOS))
    alone = [dense(member, member.start(sources), tokens) for member in members]
    mean = np.mean([probabilities for probabilities, _ in alone], axis=0)
    np.testing.assert_allclose(
        np.exp(step.scores), np.take_along_axis(mean, step.tokens, axis=1), rtol=1e-5
    )
    np.testing.assert_allclose(np.exp(step.scores[:, 0]), mean.max(axis=1), rtol=1e-5)
    assert (np.diff(step.scores, axis=1) <= 0).all()
    assert not np.isin(step.tokens, (PAD, BOS)).any()
    np.testing.assert_allclose(np.exp(step.given), mean[:, EOS], rtol=1e-5)
    np.testing.assert_allclose(step.attention, np.mean([a for _, a in alone], axis=0), rtol=1e-5)
    np.testing.assert_allclose(step.attention.sum(axis=1), 1, rtol=1e-5)


@given(SOURCES, st.integers(1, 3))
def test_twice_the_same_model_is_that_model(sources, beam):
    toy = ToyEngine(end=1.0)
    options = SearchConfig(beam=beam, n_best=beam)
    one = search(toy, sources, options)
    two = search(EnsembleEngine([toy, toy]), sources, options)
    for mine, theirs in zip(one, two, strict=True):
        assert [h.tokens for h in mine] == [h.tokens for h in theirs]
        np.testing.assert_allclose([h.score for h in mine], [h.score for h in theirs], rtol=1e-4)


def test_the_score_of_its_own_output_is_its_search_score():
    engine = EnsembleEngine([ToyEngine(seed=1, end=1.0), ToyEngine(seed=2, end=1.0)])
    sources = [[4, 5, EOS], [6, EOS]]
    found = [best[0] for best in search(engine, sources, SearchConfig(beam=3))]
    again = score_targets(engine, sources, [h.tokens for h in found])
    np.testing.assert_allclose([h.score for h in again], [h.score for h in found], rtol=1e-5)


def test_a_member_that_looks_at_nothing_leaves_attention_to_the_others():
    class Vanilla(ToyEngine):
        def step(self, *args, **options):
            proposal = super().step(*args, **options)
            proposal.attention[:] = 0
            return proposal

    sources, tokens = [[4, 5, EOS]], np.array([BOS])
    toy = ToyEngine(seed=3)
    engine = EnsembleEngine([toy, Vanilla(seed=4)])
    step = engine.step(engine.start(sources), tokens, 2)
    _, attention = dense(toy, toy.start(sources), tokens)
    np.testing.assert_allclose(step.attention, attention, rtol=1e-6)


def test_members_share_their_vocabulary():
    with pytest.raises(ModelError, match="6, 7 tokens"):
        EnsembleEngine([ToyEngine(target_size=6), ToyEngine(target_size=7)])


def test_trained_models_work_together(model):
    texts = ["1 May 2001", "3/4/99"]
    one, two = Translator.load(model), Translator.load(model, model)
    options = SearchConfig(beam=3, max_ratio=1.0, max_extra=3)
    for mine, theirs in zip(
        one.translate(texts, options), two.translate(texts, options), strict=True
    ):
        assert mine.text == theirs.text
        assert mine.score == pytest.approx(theirs.score, abs=1e-4)
        np.testing.assert_allclose(mine.attention, theirs.attention, atol=1e-5)

"""What every search must keep to, shown on a small random network.

The network is a random function of source, prefix and what it looks at, so that a row put in the
wrong place, a stale state or misplaced attention changes the scores.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2see.engine.engine import Proposal
from seq2see.errors import ConfigError
from seq2see.search import Hypothesis, SearchConfig, score_targets, search
from seq2see.search.ranking import FLOOR
from seq2see.text.vocabulary import BOS, EOS, PAD, UNK

Source = tuple[int, ...]
Prefix = tuple[int, ...]


@dataclass(frozen=True)
class ToyState:
    rows: tuple[tuple[Source, Prefix], ...]
    width: int

    def select(self, rows) -> ToyState:
        return ToyState(tuple(self.rows[i] for i in rows), self.width)


@dataclass
class ToyEngine:
    """Scores after a prefix are a seeded random function of it, of the source, of attention."""

    target_size: int = 6
    seed: int = 0
    end: float = 0.0  # raises the end mark's logit
    seen: list[list[tuple[Source, Prefix]]] = field(default_factory=list)
    rows: int = 320

    def look(self, source: Source, prefix: Prefix) -> np.ndarray:
        return self._rng("look", source, prefix).dirichlet(np.ones(len(source)))

    def log_probs(self, source: Source, prefix: Prefix, weights: np.ndarray) -> np.ndarray:
        values = self._rng("values", source).normal(size=(len(source), self.target_size))
        logits = self._rng("logits", source, prefix).normal(size=self.target_size) * 1.5
        logits = logits + 2 * weights[: len(source)] @ values
        logits[EOS] += self.end
        logits[[PAD, BOS]] = -np.inf
        return logits - np.log(np.exp(logits).sum())

    def start(self, sources: Sequence[Sequence[int]]) -> ToyState:
        return ToyState(tuple((tuple(s), ()) for s in sources), max(map(len, sources)))

    def step(self, state, tokens, k, *, score_of=None, attention=None) -> Proposal:
        assert len(tokens) == len(state.rows) > 0
        assert 1 <= k <= self.target_size - 2
        rows = tuple((s, (*p, int(y))) for (s, p), y in zip(state.rows, tokens, strict=True))
        self.seen.append([(s, p[1:]) for s, p in rows])
        weights = np.zeros((len(rows), state.width))
        scores = np.zeros((len(rows), self.target_size))
        for r, (source, prefix) in enumerate(rows):
            weights[r, : len(source)] = self.look(source, prefix)
            if attention is not None:
                weights[r] = attention[r]
            scores[r] = self.log_probs(source, prefix, weights[r])
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return Proposal(
            tokens=best,
            scores=np.take_along_axis(scores, best, axis=1).astype(np.float32),
            attention=weights.astype(np.float32),
            state=ToyState(rows, state.width),
            given=None
            if score_of is None
            else scores[np.arange(len(rows)), score_of].astype(np.float32),
        )

    def _rng(self, *key: object) -> np.random.Generator:
        return np.random.default_rng(zlib.crc32(repr((self.seed, *key)).encode()))


def outputs(engine: ToyEngine, longest: int) -> list[Prefix]:
    """All finished outputs of up to `longest` tokens."""
    words = [UNK, *range(4, engine.target_size)]
    return [(*body, EOS) for n in range(longest) for body in itertools.product(words, repeat=n)]


def plain_beam_search(
    engine: ToyEngine, source: Source, config: SearchConfig
) -> list[tuple[Prefix, float]]:
    """The definition, one sentence at a time, without stopping early: outputs and ranks."""
    longest = int(np.ceil(config.max_ratio * len(source))) + config.max_extra
    shortest = min(int(config.min_ratio * len(source)), longest - 1)

    def rank(tokens: Prefix, score: float) -> float:
        looked = sum(engine.look(source, (BOS, *tokens[:t])) for t in range(len(tokens)))
        coverage = np.log(np.clip(looked, FLOOR, 1)).sum()
        return score / len(tokens) ** config.length_penalty + config.coverage_penalty * coverage

    living: list[tuple[Prefix, float]] = [((), 0.0)]
    finished: list[tuple[Prefix, float]] = []
    for t in range(longest):
        candidates = []
        for tokens, score in living:
            prefix = (BOS, *tokens)
            scores = engine.log_probs(source, prefix, engine.look(source, prefix))
            for token in (UNK, EOS, *range(4, engine.target_size)):
                if token != EOS or t >= shortest:
                    candidates.append(((*tokens, token), score + scores[token]))
        candidates.sort(key=lambda c: -c[1])
        candidates = candidates[: config.beam - len(finished)]
        finished += [c for c in candidates if c[0][-1] == EOS]
        living = [c for c in candidates if c[0][-1] != EOS]
    ranked = [(tokens, rank(tokens, score)) for tokens, score in finished or living]
    return sorted(ranked, key=lambda r: -r[1])[: config.n_best]


def same(a: Hypothesis, b: Hypothesis) -> bool:
    return (
        a.tokens == b.tokens
        and a.finished == b.finished
        and np.isclose(a.score, b.score, atol=1e-5)
        and np.isclose(a.rank_score, b.rank_score, atol=1e-5)
        and np.allclose(a.token_scores, b.token_scores, atol=1e-5)
        and a.attention.shape == b.attention.shape
        and np.allclose(a.attention, b.attention, atol=1e-6)
    )


def all_same(a: list[list[Hypothesis]], b: list[list[Hypothesis]]) -> bool:
    return all(len(x) == len(y) and all(map(same, x, y)) for x, y in zip(a, b, strict=True))


source = st.lists(st.integers(4, 9), min_size=0, max_size=5).map(lambda s: (*s, EOS))
sources = st.lists(source, min_size=1, max_size=7)
engines = st.builds(
    ToyEngine,
    target_size=st.integers(5, 9),
    seed=st.integers(0, 10_000),
    end=st.sampled_from([-2.0, 0.0, 1.5]),
)
limits = {"max_ratio": st.sampled_from([0.0, 0.5, 1.0]), "max_extra": st.integers(1, 5)}
penalties = {
    "length_penalty": st.sampled_from([0.0, 0.6, 1.0, 1.7]),
    "coverage_penalty": st.sampled_from([0.0, 0.3]),
    "min_ratio": st.sampled_from([0.0, 0.0, 0.4]),
}


@st.composite
def beams(draw):
    beam = draw(st.integers(1, 6))
    settings = {key: draw(values) for key, values in (limits | penalties).items()}
    settings["min_ratio"] = min(settings["min_ratio"], settings["max_ratio"])
    return SearchConfig(beam=beam, n_best=draw(st.integers(1, beam)), **settings)


@st.composite
def samplers(draw):
    return SearchConfig(
        sample=True,
        n_best=draw(st.integers(1, 3)),
        temperature=draw(st.sampled_from([0.5, 1.0, 2.0])),
        top_k=draw(st.sampled_from([0, 1, 3])),
        top_p=draw(st.sampled_from([0.3, 0.9, 1.0])),
        seed=draw(st.integers(0, 99)),
        **{key: draw(values) for key, values in limits.items()},
    )


configs = beams() | samplers()
few = settings(max_examples=40, deadline=None)


class TestBest:
    """A beam that holds everything finds the best there is."""

    @pytest.mark.parametrize("longest", [1, 2, 4])
    @pytest.mark.parametrize("power", [0.0, 0.7, 1.0, 2.0])
    @pytest.mark.parametrize("coverage", [0.0, 0.4])
    @pytest.mark.parametrize("n", [1, 4])
    def test_large_beam_finds_the_best_outputs(self, longest, power, coverage, n):
        source = (5, 7, EOS)
        for seed in range(4):
            engine = ToyEngine(target_size=6, seed=seed, end=-1.0)
            config = SearchConfig(
                beam=150,
                n_best=n,
                length_penalty=power,
                coverage_penalty=coverage,
                max_ratio=0.0,
                max_extra=longest,
            )
            every = outputs(engine, longest)
            scored = score_targets(engine, [source] * len(every), every)

            def rank(found: Hypothesis, power=power, coverage=coverage) -> float:
                read = np.clip(found.attention.sum(axis=0), FLOOR, 1)
                return found.score / len(found.tokens) ** power + coverage * np.log(read).sum()

            best = sorted(scored, key=rank, reverse=True)[:n]
            found = search(engine, [source], config)[0]
            assert [f.tokens for f in found] == [b.tokens for b in best]
            assert np.allclose([f.rank_score for f in found], [rank(b) for b in best], atol=1e-5)

    @few
    @given(engines, sources, beams())
    def test_beam_search_agrees_with_its_definition(self, engine, sources, config):
        for source, found in zip(sources, search(engine, sources, config), strict=True):
            plain = plain_beam_search(engine, source, config)
            assert [one.tokens for one in found] == [tokens for tokens, _ in plain]
            assert np.allclose([one.rank_score for one in found], [r for _, r in plain], atol=1e-4)

    @few
    @given(engines, sources, st.data())
    def test_beam_of_one_is_greedy(self, engine, sources, data):
        from seq2see.search.batch import batches
        from seq2see.search.beam import beam_search
        from seq2see.search.greedy import greedy_search

        settings = {key: data.draw(values) for key, values in limits.items()}
        config = SearchConfig(beam=1, min_ratio=settings["max_ratio"] / 2, **settings)
        for batch in batches(sources, config, None, None, by=[len(s) for s in sources], size=4):
            greedy = greedy_search(engine, batch, config)
            assert all_same(beam_search(engine, batch, config), greedy)
            for source, best in zip(batch.sources, greedy, strict=True):
                (only,) = best
                floor = int(config.min_ratio * len(source))
                for t, token in enumerate(only.tokens):
                    prefix = (BOS, *only.tokens[:t])
                    scores = engine.log_probs(source, prefix, engine.look(source, prefix))
                    if t < floor:
                        scores[EOS] = -np.inf
                    assert token == scores.argmax()


class TestEveryHypothesis:
    """What holds for each output of each search."""

    @few
    @given(engines, sources, configs)
    def test_neither_batch_size_nor_order_matters(self, engine, sources, config):
        together = search(engine, sources, config)
        alone = [search(engine, [source], config)[0] for source in sources]
        backwards = search(engine, sources[::-1], config)[::-1]
        assert all_same(together, alone)
        assert all_same(together, backwards)

    @few
    @given(engines, sources, configs)
    def test_forced_decoding_gives_the_score_of_the_search(self, engine, sources, config):
        for source, found in zip(sources, search(engine, sources, config), strict=True):
            for one in found:
                again = score_targets(engine, [source], [one.tokens], config)[0]
                if one.finished:
                    assert same(one, again)
                else:
                    assert again.tokens == (*one.tokens, EOS)
                    assert np.allclose(again.token_scores[:-1], one.token_scores, atol=1e-5)
                    assert np.allclose(again.attention[:-1], one.attention, atol=1e-6)
                assert np.isclose(one.score, sum(one.token_scores), atol=1e-5)

    @few
    @given(engines, sources, configs)
    def test_attention_row_t_is_the_one_that_predicted_token_t(self, engine, sources, config):
        for source, found in zip(sources, search(engine, sources, config), strict=True):
            for one in found:
                assert one.attention.shape == (len(one.tokens), len(source))
                assert one.attention.dtype == np.float32
                for t in range(len(one.tokens)):
                    looked = engine.look(source, (BOS, *one.tokens[:t]))
                    assert np.allclose(one.attention[t], looked, atol=1e-6)

    @few
    @given(engines, sources, configs)
    def test_outputs_keep_their_limits_and_end_once(self, engine, sources, config):
        for source, found in zip(sources, search(engine, sources, config), strict=True):
            longest = np.ceil(config.max_ratio * len(source)) + config.max_extra
            shortest = min(int(config.min_ratio * len(source)), longest - 1)
            for one in found:
                assert 1 <= len(one.tokens) <= longest
                assert one.finished == (one.tokens[-1] == EOS)
                assert EOS not in one.tokens[:-1]
                assert len(one.tokens) - one.finished >= shortest
                assert one.finished or len(one.tokens) == longest

    @few
    @given(engines, sources, beams())
    def test_n_best_are_distinct_sorted_and_finished_if_any_is(self, engine, sources, config):
        for found in search(engine, sources, config):
            assert 1 <= len(found) <= config.n_best
            assert len({one.tokens for one in found}) == len(found)
            ranks = [one.rank_score for one in found]
            assert ranks == sorted(ranks, reverse=True)
            assert len({one.finished for one in found}) == 1

    @few
    @given(engines, sources, configs)
    def test_finished_sentences_leave_the_engine(self, engine, sources, config):
        sources = sorted(set(sources))
        search(engine, sources, config)
        gone: set[Source] = set()
        width = config.n_best if config.sample else config.beam
        last: set[Source] = set()
        for rows in engine.seen:
            here = {source for source, _ in rows}
            assert not any(EOS in prefix for _, prefix in rows)
            assert not here & gone
            gone |= last - here
            last = here
            for source in here:
                assert sum(s == source for s, _ in rows) <= width


class TestPrefix:
    """Outputs can be told how to begin."""

    @few
    @given(engines, sources, beams(), st.data())
    def test_outputs_begin_with_their_prefix(self, engine, sources, config, data):
        token = st.sampled_from([UNK, *range(4, engine.target_size)])
        prefix = st.none() | st.lists(token, max_size=6)
        prefixes = data.draw(st.lists(prefix, min_size=len(sources), max_size=len(sources)))
        found = search(engine, sources, config, prefixes=prefixes)
        free = search(engine, sources, config)
        for i, start in enumerate(prefixes):
            if not start:
                assert all(map(same, found[i], free[i]))
            for one in found[i]:
                assert list(one.tokens[: len(start or ())]) == list(start or ())
                again = score_targets(engine, [sources[i]], [one.tokens], config)[0]
                assert np.allclose(
                    again.token_scores[: len(one.tokens)], one.token_scores, atol=1e-5
                )

    @few
    @given(engines, source)
    def test_the_prefix_of_the_best_output_leads_back_to_it(self, engine, source):
        config = SearchConfig(beam=1, max_extra=4, max_ratio=1.0)
        best = search(engine, [source], config)[0][0]
        for t in range(len(best.tokens)):
            again = search(engine, [source], config, prefixes=[best.tokens[:t]])[0][0]
            assert again.tokens[: len(best.tokens)] == best.tokens

    def test_a_sampled_output_begins_with_its_prefix(self):
        config = SearchConfig(sample=True, n_best=3)
        found = search(ToyEngine(), [(5, EOS)], config, prefixes=[(5, 4, 5)])[0]
        assert all(one.tokens[:3] == (5, 4, 5) for one in found)

    @pytest.mark.parametrize("prefix", [(PAD,), (4, BOS), (EOS, 4)])
    def test_a_prefix_that_no_output_has_is_refused(self, prefix):
        with pytest.raises(ConfigError, match="prefix of sentence 1"):
            search(ToyEngine(), [(EOS,), (EOS,)], SearchConfig(), prefixes=[None, prefix])


class TestPrescribedAttention:
    """The first steps can be told where to look."""

    @few
    @given(engines, sources, beams(), st.data())
    def test_it_is_used_reported_and_left_alone_afterwards(self, engine, sources, config, data):
        steps = data.draw(st.lists(st.integers(0, 3), min_size=len(sources), max_size=len(sources)))
        rng = np.random.default_rng(0)
        rows = [
            rng.dirichlet(np.ones(len(s)), n).astype(np.float32) if n else None
            for s, n in zip(sources, steps, strict=True)
        ]
        for i, found in enumerate(search(engine, sources, config, attention=rows)):
            for one in found:
                for t, token in enumerate(one.tokens):
                    prefix = (BOS, *one.tokens[:t])
                    looked = rows[i][t] if t < steps[i] else engine.look(sources[i], prefix)
                    assert np.allclose(one.attention[t], looked, atol=1e-6)
                    score = engine.log_probs(sources[i], prefix, looked)[token]
                    assert np.isclose(one.token_scores[t], score, atol=1e-4)

    def test_the_models_own_attention_prescribed_changes_nothing(self):
        engine, sources = ToyEngine(end=-1.0), [(5, 6, EOS), (7, EOS)]
        best = [found[0] for found in search(engine, sources, SearchConfig(beam=1))]
        rows = [one.attention for one in best]
        again = search(engine, sources, SearchConfig(beam=1), attention=rows)
        assert all(map(same, best, [found[0] for found in again]))

    def test_a_wrong_shape_is_refused(self):
        with pytest.raises(ConfigError, match=r"sentence 0 has shape \(1, 3\).* 2 columns"):
            search(ToyEngine(), [(5, EOS)], SearchConfig(), attention=[np.ones((1, 3))])


class TestSampling:
    """Chance, but the same chance each time."""

    @few
    @given(engines, sources, samplers())
    def test_the_same_seed_gives_the_same_outputs(self, engine, sources, config):
        assert all_same(search(engine, sources, config), search(engine, sources, config))

    @few
    @given(engines, sources, samplers())
    def test_every_draw_is_given(self, engine, sources, config):
        for found in search(engine, sources, config):
            assert len(found) == config.n_best
            order = [(not one.finished, -one.rank_score) for one in found]
            assert order == sorted(order)

    def test_another_seed_gives_others(self):
        engine, source = ToyEngine(target_size=9, end=-2.0), (5, 6, 7, EOS)
        drawn = {
            search(engine, [source], SearchConfig(sample=True, seed=seed))[0][0].tokens
            for seed in range(20)
        }
        assert len(drawn) > 10

    @few
    @given(engines, sources)
    def test_drawing_from_the_best_token_alone_is_greedy(self, engine, sources):
        greedy = search(engine, sources, SearchConfig(beam=1))
        for cut in ({"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-9}):
            assert all_same(search(engine, sources, SearchConfig(sample=True, **cut)), greedy)

    @pytest.mark.parametrize(
        ("cut", "kept"),
        [({}, 4), ({"top_k": 2}, 2), ({"top_p": 0.8}, 2), ({"temperature": 0.5}, 4)],
    )
    def test_frequencies_follow_the_model(self, cut, kept):
        engine, source, n = ToyEngine(target_size=6, seed=3), (5, EOS), 4000
        model = engine.log_probs(source, (BOS,), engine.look(source, (BOS,)))
        wanted = np.exp(model / cut.get("temperature", 1.0))
        wanted[np.argsort(-wanted)[kept:]] = 0
        wanted /= wanted.sum()
        config = SearchConfig(sample=True, n_best=n, max_ratio=0.0, max_extra=1, **cut)
        first = [one.tokens[0] for one in search(engine, [source], config)[0]]
        drawn = np.bincount(first, minlength=6) / n
        assert np.abs(drawn - wanted).max() < 0.03


class TestConfig:
    """Settings that make no sense are refused by name."""

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"beam": 0}, "beam = 0 must be 1 or more"),
            ({"n_best": 6}, "n_best = 6 exceeds beam = 5"),
            ({"length_penalty": -1.0}, "length_penalty = -1.0 must be 0 or more"),
            ({"coverage_penalty": float("nan")}, "coverage_penalty = nan"),
            ({"min_ratio": 4.0}, "min_ratio = 4.0 exceeds max_ratio = 3.0"),
            ({"max_extra": 0}, "max_extra = 0 must be 1 or more"),
            ({"temperature": 0.5}, "temperature = 0.5 is for sampling"),
            ({"sample": True, "temperature": 0.0}, "temperature = 0.0 must be greater than 0"),
            ({"sample": True, "top_p": 1.5}, "top_p = 1.5 must be greater than 0 and at most 1"),
            ({"batch_size": 0}, "batch_size = 0 must be 1 or more"),
        ],
    )
    def test_out_of_range(self, settings, message):
        with pytest.raises(ConfigError, match=message):
            SearchConfig(**settings)

    def test_no_sources_give_no_outputs(self):
        assert search(ToyEngine(), [], SearchConfig()) == []
        assert score_targets(ToyEngine(), [], []) == []


class TestBatchSize:
    """How many sentences are decoded at a time."""

    @pytest.mark.parametrize(
        ("settings", "sentences"),
        [
            ({"beam": 1}, 48),
            ({"beam": 5}, 19),
            ({"beam": 200}, 1),
            ({"beam": 1, "sample": True, "n_best": 8}, 12),
            ({"beam": 5, "batch_size": 7}, 7),
        ],
    )
    def test_follows_from_the_rows_that_suit_the_engine(self, settings, sentences):
        assert SearchConfig(**settings).side_by_side(rows=96) == sentences

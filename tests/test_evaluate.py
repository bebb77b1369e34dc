"""What the measures must say, on examples worked by hand and on properties of any input."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2see.alignment import align, format_links, merge_words, parse_links, strongest_links
from seq2see.data.corpus import Corpus, Link
from seq2see.data.overlap import overlap
from seq2see.errors import ConfigError, DataError
from seq2see.evaluate import (
    METRICS,
    accuracy_by_frequency,
    alignment_error_rate,
    attention_statistics,
    calibration,
    collapse_warnings,
    compare_bleu,
    compare_means,
    evaluate,
    find_faults,
    output_calibration,
    score_by_length,
    token_calibration,
)
from seq2see.evaluate.diagnosis import repeated_words, repetitions
from seq2see.evaluate.metrics import (
    bleu,
    character_error_rate,
    chrf,
    exact_match,
    phone_error_rate,
    sequence_error,
    ter,
    word_error_rate,
)
from seq2see.translation import Translation

ERRORS = {"ter", "sequence_error", "wer", "per", "cer"}
text = st.lists(st.sampled_from(["a", "B", "dog", "runs", "é"]), min_size=1, max_size=6).map(
    " ".join
)
texts = st.lists(text, min_size=1, max_size=8)
links = st.lists(
    st.builds(Link, st.integers(0, 9), st.integers(0, 9), st.booleans()), max_size=8
).map(lambda found: tuple({link[:2]: link for link in found}.values()))
few = settings(max_examples=50, deadline=None)


def translation(attention, source_words, target_words, score=-1.0, text="") -> Translation:
    attention = np.asarray(attention, np.float32)
    return Translation(
        text=text,
        score=score,
        source="",
        source_tokens=("x",) * len(source_words),
        target_tokens=("y",) * len(target_words),
        token_scores=(-0.5,) * len(target_words),
        attention=attention,
        source_words=tuple(source_words),
        target_words=tuple(target_words),
    )


class TestMetrics:
    @few
    @given(texts)
    def test_references_score_perfectly_against_themselves(self, references):
        for name, metric in METRICS.items():
            if name != "bleu":  # which needs four words
                assert metric(references, references).value == (0 if name in ERRORS else 100)
        long = [reference + " one two three four" for reference in references]
        assert bleu(long, long).value == pytest.approx(100)

    @few
    @given(texts)
    def test_case_can_be_ignored(self, references):
        loud = [reference.upper() for reference in references]
        for name, metric in METRICS.items():
            if name != "bleu":
                score = metric(loud, references, lowercase=True)
                assert score.value == (0 if name in ERRORS else 100)
                assert "case:lc" in score.signature

    @few
    @given(st.lists(st.tuples(text, text), min_size=1, max_size=8))
    def test_exact_match_and_sequence_error_share_the_whole(self, rows):
        hypotheses, references = zip(*rows, strict=True)
        right, wrong = exact_match(hypotheses, references), sequence_error(hypotheses, references)
        assert right.value + wrong.value == pytest.approx(100)

    def test_two_meanings_of_wer_are_kept_apart(self):
        hypotheses, references = ["K AE T", "D AO G Z"], ["K AE T", "D AO G"]
        assert sequence_error(hypotheses, references).value == 50  # one word of two
        assert word_error_rate(hypotheses, references).value == pytest.approx(100 / 6)
        assert phone_error_rate(hypotheses, references).value == pytest.approx(100 / 6)
        assert phone_error_rate(hypotheses, references).signature != (
            word_error_rate(hypotheses, references).signature
        )

    def test_character_error_rate_counts_edits_per_character(self):
        assert character_error_rate(["abXd", ""], ["abcd", "ef"]).value == 50

    def test_bleu_is_sacrebleus_with_its_signature(self):
        score = bleu(["a b c d e"], ["a b c d f"])
        # 4/5 · 3/4 · 2/3 · 1/2 = 1/5
        assert score.value == pytest.approx(100 * 0.2**0.25)
        assert score.signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:")
        assert "tok:char" in bleu(["a"], ["a"], tokenize="char").signature

    def test_chrf_and_ter_bear_their_signatures(self):
        assert "nw:2" in chrf(["a b"], ["a b"], word_order=2).signature
        assert chrf(["a b"], ["a b"], word_order=2).name == "chrF++"
        assert ter(["a b c d"], ["a b c e"]).value == 25

    def test_several_metrics_at_once(self):
        scores = evaluate(["a b"], ["a b"], ["bleu", "exact"], tokenize="intl")
        assert [score.name for score in scores] == ["BLEU", "exact match"]
        assert "tok:intl" in scores[0].signature

    def test_mistakes_are_named(self):
        with pytest.raises(ConfigError, match=r"no 'blue'\. Did you mean 'bleu'"):
            evaluate(["a"], ["a"], ["blue"])
        with pytest.raises(ConfigError, match="tokenize = '13b'"):
            bleu(["a"], ["a"], tokenize="13b")
        with pytest.raises(DataError, match="2 outputs but 1 references"):
            exact_match(["a", "b"], ["a"])
        with pytest.raises(DataError, match="nothing to score"):
            evaluate([], [], ["per"])


class TestAlignmentErrorRate:
    def test_worked_example(self):
        gold = parse_links("0-0 1-2 2p1 3p3")
        found = parse_links("0-0 2-1 3-4")
        score = alignment_error_rate([found], [gold])
        # |A| = 3, |S| = 2, |A∩S| = 1 (0-0), |A∩P| = 2 (0-0, 2-1)
        assert score.error_rate == pytest.approx(1 - (1 + 2) / (3 + 2))
        assert score.precision == pytest.approx(2 / 3)
        assert score.recall == pytest.approx(1 / 2)

    @few
    @given(st.lists(links, min_size=1, max_size=4))
    def test_the_gold_links_have_no_error(self, gold):
        assert alignment_error_rate(gold, gold).error_rate == 0
        sure = [tuple(link for link in row if link.sure) for row in gold]
        assert alignment_error_rate(sure, gold).error_rate == 0

    @few
    @given(st.lists(st.tuples(links, links), min_size=1, max_size=4))
    def test_rates_lie_between_0_and_1(self, rows):
        score = alignment_error_rate(*zip(*rows, strict=True))
        for rate in (score.error_rate, score.precision, score.recall):
            assert 0 <= rate <= 1


class TestWordLinks:
    def test_source_tokens_add_up_and_target_tokens_average(self):
        attention = np.array([[0.4, 0.3, 0.2, 0.1], [0.0, 0.2, 0.6, 0.2], [0, 0, 0, 1]])
        merged = merge_words(attention, [0, 0, 1, -1], [0, 0, -1])
        assert merged == pytest.approx(np.array([[0.45, 0.4, 0.15]]))

    @few
    @given(st.data())
    def test_merged_rows_sum_to_one(self, data):
        S, T = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
        attention = np.random.default_rng(S * T).dirichlet(np.ones(S), T)
        step = st.integers(0, 1)
        source = np.cumsum([0, *data.draw(st.lists(step, min_size=S - 1, max_size=S - 1))])
        target = np.cumsum([0, *data.draw(st.lists(step, min_size=T - 1, max_size=T - 1))])
        merged = merge_words(attention, source.tolist(), target.tolist())
        assert merged.shape == (target.max() + 1, source.max() + 2)
        assert merged.sum(axis=1) == pytest.approx(np.ones(len(merged)))

    @few
    @given(st.permutations(range(5)))
    def test_attention_on_one_word_each_is_the_alignment(self, order):
        attention = np.eye(6)[[*order, 5]]
        words = [0, 1, 2, 3, 4, -1]
        expected = tuple(Link(s, t) for t, s in enumerate(order))
        assert align(translation(attention, words, words)) == expected

    def test_the_end_mark_is_no_link(self):
        assert strongest_links(np.array([[0.2, 0.3, 0.5], [0.2, 0.7, 0.1]])) == (Link(1, 1),)

    def test_a_shift_lets_row_t_explain_a_later_or_earlier_token(self):
        words = [0, 1, 2, -1]
        late = translation(np.eye(4)[[0, 0, 1, 2]], words, words)
        assert align(late, shift=-1) == (Link(0, 0), Link(1, 1), Link(2, 2))
        early = translation(np.eye(4)[[1, 2, 3, 3]], words, words)
        assert align(early, shift=1) == (Link(1, 1), Link(2, 2))

    def test_shapes_must_agree(self):
        with pytest.raises(ValueError, match="shape"):
            merge_words(np.ones((2, 2)), [0, 1, -1], [0, -1])

    @given(links)
    def test_pharaoh_lines_come_back(self, found):
        assert parse_links(format_links(found)) == found

    @pytest.mark.parametrize("line", ["1", "a-b", "1-2-3", "-1-2", "1q2"])
    def test_a_bad_pharaoh_link_is_named(self, line):
        with pytest.raises(DataError, match=f"'{line}'"):
            parse_links(f"0-0 {line}")


class TestAttentionStatistics:
    def test_worked_example(self):
        attention = [[1, 0, 0], [1, 0, 0], [0.5, 0, 0.5]]
        found = attention_statistics([translation(attention, [0, 1, -1], [0, 1, -1])])
        assert found.entropy == pytest.approx(1 / 3)
        assert found.sharpness == pytest.approx(2.5 / 3)
        assert found.end_mark == pytest.approx(0.5 / 3)
        assert (found.unread, found.overread) == (0.5, 0.5)

    def test_nothing_has_no_attention(self):
        assert attention_statistics([]).entropy == 0


class TestByLength:
    @few
    @given(st.lists(st.integers(1, 70), min_size=1, max_size=30))
    def test_every_pair_is_in_the_bucket_of_its_length(self, lengths):
        names = [str(length) for length in lengths]
        table = score_by_length(names, names, lengths, exact_match)
        assert sum(bucket.count for bucket in table.buckets) == len(lengths)
        for bucket in table.buckets:
            longest = bucket.longest or 10**9
            assert bucket.count == sum(bucket.shortest <= n <= longest for n in lengths)
            assert (bucket.score is None) == (bucket.count == 0)

    def test_worked_example(self):
        table = score_by_length(["a", "b", "c"], ["a", "x", "c"], [2, 5, 6], exact_match, [2, 5])
        assert [bucket.label for bucket in table.buckets] == ["1–2", "3–5", ">5"]
        assert [bucket.score.value for bucket in table.buckets] == [100, 0, 100]
        assert table.overall.value == pytest.approx(200 / 3)

    def test_mistakes_are_named(self):
        with pytest.raises(ConfigError, match=r"edges = \[5, 2\]"):
            score_by_length(["a"], ["a"], [1], exact_match, [5, 2])
        with pytest.raises(DataError, match="2 lengths"):
            score_by_length(["a"], ["a"], [1, 2], exact_match)


class TestSignificance:
    def test_a_system_does_not_differ_from_itself(self):
        values = np.random.default_rng(0).random(50)
        found = compare_means(values, values)
        assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)

    def test_a_clear_difference_is_found_and_chance_is_not(self):
        rng = np.random.default_rng(1)
        a = rng.random(200)
        clear = compare_means(a, a + 0.1 + 0.1 * rng.normal(size=200))
        assert clear.p_value < 0.01
        assert 0 < clear.low < clear.difference < clear.high
        assert compare_means(a, a + 0.1 * (-1.0) ** np.arange(200)).p_value > 0.5

    def test_p_values_are_even_under_the_null_hypothesis(self):
        rng = np.random.default_rng(2)
        p = [
            compare_means(rng.normal(size=60), rng.normal(size=60), samples=200).p_value
            for _ in range(200)
        ]
        assert 0.15 < np.mean(np.array(p) < 0.25) < 0.36

    def test_corpus_bleu_is_sacrebleus(self):
        rng = np.random.default_rng(3)
        words = ["the", "dog", "runs", "fast", ",", "home"]
        references = [" ".join(rng.choice(words, 8)) for _ in range(40)]
        close = [" ".join([*r.split()[:6], rng.choice(words)]) for r in references]
        far = [" ".join([*rng.choice(words, 4), *r.split()[4:6]]) for r in references]
        found = compare_bleu(far, close, references, samples=300, seed=1)
        assert found.a == pytest.approx(bleu(far, references).value)
        assert found.b == pytest.approx(bleu(close, references).value)
        assert found.p_value < 0.01
        assert found == compare_bleu(far, close, references, samples=300, seed=1)
        assert found != compare_bleu(far, close, references, samples=300, seed=2)

    @pytest.mark.parametrize(
        ("hypothesis", "reference"),
        [("a b x y", "a b c d"), ("a", "a b c d e"), ("", "a b"), ("x y z w v", "a b c d e")],
    )
    def test_corpus_bleu_is_sacrebleus_where_counts_are_zero(self, hypothesis, reference):
        found = compare_bleu([hypothesis], [hypothesis], [reference], samples=2)
        assert found.a == pytest.approx(bleu([hypothesis], [reference]).value)

    def test_error_rates_weigh_sentences_by_length(self):
        found = compare_means([1, 0], [0, 0], weights=[2, 8])
        assert (found.a, found.b) == (0.1, 0)

    def test_systems_must_pair_up(self):
        with pytest.raises(DataError, match="2 against 3"):
            compare_means([1, 2], [1, 2, 3])
        with pytest.raises(DataError, match="pair up"):
            compare_means([], [])


class TestDiagnosis:
    def test_accuracy_by_frequency_worked_example(self):
        bands = accuracy_by_frequency(
            ["the the cat", "a dog"], ["the cat", "the ocelot"], {"the": 9, "cat": 1}, edges=(1, 5)
        )
        assert [(band.rarest, band.commonest) for band in bands] == [(0, 0), (1, 4), (5, None)]
        assert [(band.wanted, band.written, band.right) for band in bands] == [
            (1, 2, 0),
            (1, 1, 1),
            (2, 2, 1),
        ]
        assert (bands[2].recall, bands[2].precision) == (0.5, 0.5)
        assert [band.label for band in bands] == ["never", "1–4", "5 or more"]

    @few
    @given(st.lists(st.tuples(text, text), min_size=1, max_size=6))
    def test_every_word_is_in_one_band(self, rows):
        hypotheses, references = zip(*rows, strict=True)
        bands = accuracy_by_frequency(hypotheses, references, {"a": 1, "dog": 7})
        assert sum(band.wanted for band in bands) == sum(len(r.split()) for r in references)
        assert sum(band.written for band in bands) == sum(len(h.split()) for h in hypotheses)
        for lower, upper in pairwise(bands):
            assert lower.commonest + 1 == upper.rarest

    def test_faults_are_found(self):
        sources = ["ein Hund", "ein Hund bellt laut", "ja", "ja", "Berlin"]
        hypotheses = ["", "ein Hund barks", "yes yes", "y e s s i r", "Berlin"]
        references = ["a dog", "a dog barks", "yes", "yes", "Berlin"]
        faults = find_faults(sources, hypotheses, references)
        assert (faults.empty, faults.copied) == ((0,), (1,))
        assert (faults.repeated, faults.runaway) == ((2, 3), (3,))

    @few
    @given(texts)
    def test_references_have_no_faults(self, references):
        faults = find_faults(references, references, references)
        assert faults.empty == faults.copied == faults.repeated == faults.runaway == ()

    def test_collapsed_outputs_are_noticed(self):
        sources = [f"sentence {i}" for i in range(20)]
        wanted = [f"Satz {i}" for i in range(20)]
        assert collapse_warnings(sources, wanted, wanted) == []
        (warning,) = collapse_warnings(sources, ["I do not know."] * 20, wanted)
        assert "20 of 20 different sources give the same output ('I do not know.')" in warning
        (warning,) = collapse_warnings(sources, [f"{i} the the the the" for i in range(20)], wanted)
        assert "20 of 20 outputs repeat themselves" in warning

    def test_a_repeated_source_is_no_collapse(self):
        assert collapse_warnings(["a"] * 30, ["b"] * 30, [f"c {i}" for i in range(30)]) == []

    def test_of_a_few_outputs_all_must_be_the_same(self):
        sources, wanted = ["a", "b", "c"], ["x", "y", "z"]
        (warning,) = collapse_warnings(sources, ["s"] * 3, wanted)
        assert "3 of 3 different sources" in warning
        assert collapse_warnings(sources, ["s", "s", "t"], wanted) == []
        assert collapse_warnings(sources[:2], ["s"] * 2, wanted[:2]) == []

    def test_what_the_references_do_is_no_collapse(self):
        sources = [f"sentence {i}" for i in range(20)]
        for wanted in (["good", "bad"] * 10, [f"{i} la la la la" for i in range(20)]):
            assert collapse_warnings(sources, wanted, wanted) == []

    @few
    @given(texts)
    def test_repeated_words_are_marked_where_they_are_counted(self, rows):
        for row in rows:
            words = row.split()
            assert bool(repeated_words(words)) == bool(repetitions(words))


class TestOverlap:
    TRAIN = Corpus("train", [f"s{i}" for i in range(50)], [f"t{i}" for i in range(50)])

    def test_held_out_pairs_that_were_trained_on_are_counted(self):
        held = Corpus("held", ["s1", "s2", "new", "s3"], ["t1", "other", "t", "t3"])
        found = overlap(self.TRAIN, held)
        assert (found.held, found.sources, found.pairs, found.example) == (4, 3, 2, "s1")
        assert found.notable
        assert "3 of 4 held-out sources (75.0 %)" in str(found)

    def test_one_in_a_hundred_may_coincide(self):
        held = Corpus("held", ["s1", *(f"new {i}" for i in range(99))], ["t1"] * 100)
        assert not overlap(self.TRAIN, held).notable
        assert overlap(self.TRAIN, Corpus("held", held.sources[:99], held.targets[:99])).notable


class TestCalibration:
    def test_worked_example(self):
        found = calibration([0.9, 0.8, 0.3, 0.0], [True, False, False, False], bins=2)
        assert [b.count for b in found.bins] == [2, 2]
        assert [b.accuracy for b in found.bins] == [0, 0.5]
        assert found.error == pytest.approx(0.5 * 0.15 + 0.5 * 0.35)

    @few
    @given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=30), st.integers(1, 12))
    def test_bins_hold_everything_in_its_range(self, rows, bins):
        found = calibration([p for p, _ in rows], [c for _, c in rows], bins)
        assert sum(b.count for b in found.bins) == len(rows)
        assert 0 <= found.error <= 1
        for b in found.bins:
            assert b.count == 0 or b.low - 1e-9 <= b.confidence <= b.high + 1e-9

    def test_outputs_are_as_confident_as_they_are_probable(self):
        outputs = [
            translation(np.ones((1, 1)), [-1], [-1], score=np.log(p), text="a") for p in (0.9, 0.7)
        ]
        found = output_calibration(outputs, ["a", "b"], bins=1)
        assert found.bins[0].confidence == pytest.approx(0.8)
        assert found.bins[0].accuracy == 0.5

    def test_tokens_are_right_where_the_reference_has_them(self):
        output = Translation(
            text="a b d",
            score=-1.0,
            source="",
            source_tokens=("x",),
            target_tokens=("a", "b", "d", "</s>"),
            token_scores=tuple(np.log([0.9, 0.2, 0.8, 1.0])),
            attention=np.ones((4, 1), np.float32),
            source_words=(-1,),
            target_words=(0, 1, 2, -1),
        )
        found = token_calibration([output], [["a", "c", "d", "e"]], bins=2)
        assert [(b.count, b.accuracy) for b in found.bins] == [(1, 0), (2, 1)]
        assert found.error == pytest.approx((0.2 + 0.1 + 0.2) / 3)

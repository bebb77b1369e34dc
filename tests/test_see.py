"""Pictures of attention: what they must show, whatever the labels are."""

import json
import math
import re
import sys
import warnings
import xml.etree.ElementTree as ET

import hypothesis
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2see.errors import Seq2SeeError
from seq2see.evaluate import METRICS, calibration, score_by_length
from seq2see.see import (
    HeatMap,
    LengthCurve,
    lengths_svg,
    render,
    render_lengths,
    save,
    to_html,
    to_svg,
)
from seq2see.see.bipartite import bipartite
from seq2see.see.labels import cells, right_to_left, shorten, token_label, visible
from seq2see.see.ramp import DARK, LIGHT, colour
from seq2see.see.reliability import reliability_svg
from seq2see.see.tables import Markup, Table
from seq2see.translation import Translation

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", "]]>", "</style>", '" onload="x', "&amp;", "\x1b[31m", "\0"]
labels = st.lists(st.text(max_size=12) | st.sampled_from(HOSTILE), max_size=8)


@st.composite
def heat_maps(draw):
    source, target = draw(labels), draw(labels)
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    weights = rng.dirichlet(np.full(max(1, len(source)), 0.3), len(target))[:, : len(source)]
    return HeatMap(source, target, weights.astype(np.float32), draw(st.text(max_size=9)), "x", -1.5)


def example(source, target, title=""):
    rng = np.random.default_rng(1)
    weights = rng.dirichlet(np.full(len(source.split()), 0.3), len(target.split()))
    return HeatMap(source.split(), target.split(), weights, title or source, target)


SOCCER = example("I like soccer </s>", "Me gusta el fútbol </s>")
KOREAN = example("나는 축구를 좋아한다 </s>", "I like soccer </s>")
ARABIC = example("تفتح المكتبة غدا! </s>", "the library opens </s>")
LONG = example(" ".join(f"word{i}" for i in range(40)), "one two three")


class TestSvg:
    @given(heat_maps())
    def test_is_well_formed_and_holds_every_label_and_weight(self, heatmap):
        root = ET.fromstring(to_svg(heatmap))
        squares = root.findall(f".//{SVG}rect[@data-weight]")
        told = {(int(r.get("data-target")), int(r.get("data-source"))): r for r in squares}
        assert len(told) == len(squares) == heatmap.weights.size
        for (t, s), square in told.items():
            assert square.get("data-weight") == f"{heatmap.weights[t, s]:.3f}"
            title = square.find(f"{SVG}title").text
            # XML reads every end of line as a line feed; no label holds one.
            assert visible(heatmap.source[s]) in title
            assert visible(heatmap.target[t]) in title

    @given(heat_maps())
    def test_lines_are_well_formed_and_leave_out_only_faint_weights(self, heatmap):
        root = ET.fromstring(bipartite(heatmap))
        assert len(root.findall(f".//{SVG}path")) == (heatmap.weights >= 0.05).sum()

    @pytest.mark.parametrize("draw", [to_svg, bipartite])
    def test_has_a_name_and_a_description(self, draw):
        root = ET.fromstring(draw(SOCCER))
        assert root.get("role") == "img"
        assert "I like soccer" in root.get("aria-label")
        assert "fútbol at" in root.find(f"{SVG}desc").text

    def test_right_to_left_labels_say_so_and_keep_their_side(self):
        heads = ET.fromstring(to_svg(ARABIC)).findall(f".//{SVG}g[@class='heads']/{SVG}text")
        assert [head.get("direction") for head in heads] == ["rtl", "rtl", "rtl", None]
        assert [head.get("text-anchor") for head in heads] == ["end", "end", "end", "start"]

    def test_everything_lies_inside_the_picture(self):
        root = ET.fromstring(to_svg(LONG))
        width, height = float(root.get("width")), float(root.get("height"))
        for square in root.findall(f".//{SVG}rect[@data-weight]"):
            assert float(square.get("x")) + float(square.get("width")) <= width
            assert float(square.get("y")) + float(square.get("height")) <= height


class TestPage:
    @settings(max_examples=30)
    @given(st.lists(heat_maps(), min_size=1, max_size=2))
    def test_hostile_labels_are_text(self, maps):
        page = to_html(maps, title="</title><script>")
        harmless = to_html([SOCCER] * len(maps))
        for tag in ("<script", "</script", "<style", "</style", "onload="):
            unquoted = page.replace("&lt;", "").replace("&quot; onload=", "")
            assert unquoted.count(tag) == harmless.count(tag)
        for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
            ET.fromstring(svg)

    def test_needs_nothing_from_the_network(self):
        page = to_html([SOCCER, KOREAN])
        assert set(re.findall(r"https?://[^\"'\s<]*", page)) == {"http://www.w3.org/2000/svg"}
        assert not re.search(r"@import|url\(|<link|\ssrc=", page)

    def test_shows_each_map_in_two_views_and_as_a_table(self):
        page = to_html([SOCCER, KOREAN])
        assert page.count("<figure>") == page.count('role="img"') / 2 == page.count("<table>") == 2
        assert '<th scope="col" data-source="1" dir="auto">축구를</th>' in page
        assert f'<td class="high">{KOREAN.weights.max():.3f}</td>' in page


class TestTerminal:
    @given(heat_maps(), st.integers(20, 120), st.booleans())
    def test_lines_have_equal_width_and_fit(self, heatmap, width, color):
        text = re.sub(r"\x1b\[[0-9;]*m", "", render(heatmap, width, color=color))
        widths = {cells(line) for line in text.split("\n") if line}
        assert len(widths) <= 1
        assert max(widths, default=0) <= width

    def test_korean_fills_two_cells_a_syllable(self):
        first, *_, last = render(KOREAN, 80, color=False).split("\n")
        assert first == "       나는 축구를 좋아한다 </s> "
        assert cells(first) == cells(last)

    def test_weights_show_in_percent_with_a_shade(self):
        heatmap = HeatMap(["a", "b"], ["x"], np.array([[0.97, 0.03]]))
        assert render(heatmap, 40, color=False) == "   a    b   \nx █ 97    3 "

    def test_long_sentences_go_on_in_panels_that_show_every_column(self):
        panels = render(LONG, 60, color=False).split("\n\n")
        assert len(panels) == 2
        last_letters = [panel.split("\n")[-4].split() for panel in panels]
        assert sum(map(len, last_letters)) == 40

    def test_is_plain_where_colours_are_unwelcome(self, monkeypatch):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        monkeypatch.setenv("COLORTERM", "truecolor")
        monkeypatch.delenv("NO_COLOR", raising=False)
        assert "\x1b[48;2;" in render(SOCCER)
        monkeypatch.setenv("NO_COLOR", "1")
        assert "\x1b" not in render(SOCCER)
        monkeypatch.delenv("NO_COLOR")
        monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
        assert "\x1b" not in render(SOCCER)


class TestLabels:
    @pytest.mark.parametrize(
        ("token", "label"),
        [("▁the", "the"), ("▁", "␣"), (" ", "␣"), ("s", "s"), ("</s>", "</s>"), ("<0xEA>", "xEA"),
         ("<0x41>", "A"), ("<0x0A>", "␊"), ("가", "가"), ("ᅡ", "ㅏ"), ("ᆨ", "ㄱ"), ("́", "◌́")],
    )  # fmt: skip
    def test_tokens_read_well(self, token, label):
        assert token_label(token) == label

    @given(st.text())
    def test_visible_text_is_never_empty_and_never_steers(self, text):
        shown = visible(text)
        assert shown
        assert not re.search("[\0-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]", shown)

    @given(st.text(), st.integers(1, 20))
    def test_shortened_text_fits(self, text, width):
        assert cells(shorten(visible(text), width)) <= width

    def test_direction_is_that_of_the_first_letter(self):
        assert right_to_left("«שלום")
        assert right_to_left("(سلام")
        assert not right_to_left("3 a שלום")
        assert not right_to_left("12")


class TestRamp:
    @pytest.mark.parametrize(("stops", "sign"), [(LIGHT, -1), (DARK, 1)])
    def test_a_larger_weight_is_always_the_stronger_mark(self, stops, sign):
        light = [
            np.dot([0.2126, 0.7152, 0.0722], (np.array(colour(w, stops)) / 255) ** 2.2)
            for w in np.linspace(0, 1, 101)
        ]
        assert (sign * np.diff(light) > 0).all()


class TestHeatMap:
    TRANSLATION = Translation(
        text="el gato",
        score=-0.5,
        source="the cats",
        source_tokens=("▁the", "▁cat", "s", "</s>"),
        target_tokens=("▁el", "▁ga", "to", "</s>"),
        token_scores=(-0.1, -0.2, -0.1, -0.1),
        attention=np.array(
            [[0.7, 0.1, 0.1, 0.1], [0, 0.6, 0.2, 0.2], [0, 0.2, 0.6, 0.2], [0, 0, 0, 1]],
            np.float32,
        ),
        source_words=(0, 1, 1, -1),
        target_words=(0, 1, 1, -1),
    )

    def test_shows_tokens_without_markers(self):
        heatmap = HeatMap.of(self.TRANSLATION)
        assert list(heatmap.source) == ["the", "cat", "s", "</s>"]
        assert (heatmap.title, heatmap.text) == ("the cats", "el gato")

    def test_merges_pieces_into_words_and_keeps_the_end_marks(self):
        heatmap = HeatMap.of(self.TRANSLATION, words=True)
        assert list(heatmap.source) == ["the", "cats", "</s>"]
        assert list(heatmap.target) == ["el", "gato", "</s>"]
        expected = [[0.7, 0.2, 0.1], [0, 0.8, 0.2], [0, 0, 1]]
        np.testing.assert_allclose(heatmap.weights, expected, atol=1e-6)

    @pytest.mark.parametrize("weights", [np.zeros((2, 3)), np.array([[np.nan, 1.0]])])
    def test_refuses_weights_that_do_not_fit(self, weights):
        with pytest.raises(Seq2SeeError, match="needs weights"):
            HeatMap(["a", "b"], ["x"], weights)


class TestSave:
    @pytest.mark.parametrize("kind", ["html", "svg", "json", "png", "pdf"])
    def test_the_ending_says_the_kind(self, tmp_path, kind):
        path = tmp_path / f"map.{kind}"
        save(SOCCER, path)
        starts = {"html": b"<!doctype", "svg": b"<svg", "json": b"{", "png": b"\x89PNG"}
        assert path.read_bytes().startswith(starts.get(kind, b"%PDF"))

    @given(heat_maps())
    def test_json_holds_labels_and_rounded_weights(self, tmp_path_factory, heatmap):
        path = tmp_path_factory.getbasetemp() / "map.json"
        save([heatmap], path)
        (data,) = json.loads(path.read_text(encoding="utf-8"))
        assert data["source"] == [visible(label) for label in heatmap.source]
        weights = np.array(data["weights"]).reshape(heatmap.weights.shape)
        np.testing.assert_allclose(weights, heatmap.weights, atol=5.1e-7)

    def test_an_unknown_ending_is_answered_with_the_known_ones(self, tmp_path):
        with pytest.raises(Seq2SeeError, match="html, json, pdf, png, svg"):
            save(SOCCER, tmp_path / "map.gif")

    def test_one_file_of_one_picture_does_not_swallow_two(self, tmp_path):
        with pytest.raises(Seq2SeeError, match="holds one picture"):
            save([SOCCER, KOREAN], tmp_path / "map.svg")

    def test_without_matplotlib_the_error_says_what_to_install(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        with pytest.raises(Seq2SeeError, match=r"pip install seq2see\[plot\]"):
            save(SOCCER, tmp_path / "map.png")

    def test_a_script_no_font_draws_is_named(self, tmp_path, monkeypatch):
        from matplotlib import font_manager

        fonts = [f for f in font_manager.fontManager.ttflist if f.name == "DejaVu Sans"]
        monkeypatch.setattr(font_manager.fontManager, "ttflist", fonts)
        monkeypatch.setattr(font_manager, "findSystemFonts", list)
        with pytest.warns(UserWarning, match="No installed font draws Hangul"):
            save(KOREAN, tmp_path / "map.png")

    def test_a_font_of_placeholder_boxes_draws_nothing(self):
        from seq2see.see.figure import find_fonts

        nowhere = "\U0010fffd"  # a private character
        assert find_fonts("a" + nowhere).missing == {nowhere}

    def test_a_failed_picture_leaves_the_one_before(self, tmp_path, monkeypatch):
        file = tmp_path / "map.png"
        save(SOCCER, file)
        before = file.read_bytes()

        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
        with pytest.raises(Seq2SeeError, match="No space left on device"):
            save(example("a", "b"), file)
        assert file.read_bytes() == before

    def test_a_dollar_is_not_a_formula(self, tmp_path):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            save(example("$x_ $ costs $y^", "a $b"), tmp_path / "map.png")


class TestLengths:
    BUCKETS = ("1-5", "6-10", "11+")
    CURVES = (
        LengthCurve("none", BUCKETS, [30.0, 20.0, 5.0], [9, 8, 7]),
        LengthCurve("<bahdanau>", BUCKETS, [31.0, math.nan, 28.0], [9, 0, 7]),
    )

    def test_text_shows_every_range_count_and_name(self):
        text = render_lengths(self.CURVES, "BLEU")
        assert "BLEU by source length" in text
        for word in (*self.BUCKETS, "n=9", "n=7", "● none", "▲ <bahdanau>"):
            assert word in text
        assert text.count("●") == 3 + 1
        assert text.count("▲") == 2 + 1

    def test_svg_names_each_curve_at_its_end_and_leaves_gaps_open(self):
        root = ET.fromstring(lengths_svg(self.CURVES, "BLEU"))
        assert len(root.findall(f".//{SVG}circle")) == 5
        names = [text.text for text in root.findall(f".//{SVG}text[@fill]")]
        assert names == ["none", "<bahdanau>"]
        line = [path.get("d") for path in root.findall(f".//{SVG}path[@fill]")]
        assert [d.count("M") for d in line] == [1, 2]

    @given(
        st.lists(st.floats(-1e4, 1e4) | st.just(math.nan), min_size=1, max_size=6),
        st.integers(1, 8),
    )
    @hypothesis.example([5e-324], 1)
    def test_any_scores_can_be_drawn(self, scores, systems):
        buckets, counts = [str(i) for i in range(len(scores))], [1] * len(scores)
        curves = [LengthCurve(f"s{i}", buckets, scores, counts) for i in range(systems)]
        ET.fromstring(lengths_svg(curves))
        assert render_lengths(curves)

    def test_a_table_of_scores_becomes_a_curve(self):
        texts = ["a b", "c d", "e f"]
        table = score_by_length(texts, texts, [3, 15, 12], METRICS["exact"], edges=(10, 20))
        curve = LengthCurve.of("own", table)
        assert list(curve.buckets) == ["1–10", "11–20", ">20"]
        assert list(curve.counts) == [1, 2, 0]
        assert math.isnan(curve.scores[2])
        assert curve.scores[:2] == pytest.approx([100, 100])

    def test_curves_of_different_ranges_are_refused(self):
        other = LengthCurve("other", ("1-9",), [1.0], [1])
        with pytest.raises(Seq2SeeError, match="different ranges"):
            lengths_svg([*self.CURVES, other])


class TestReliability:
    @given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=30))
    def test_a_dot_stands_for_each_range_that_holds_something(self, rows):
        found = calibration([p for p, _ in rows], [right for _, right in rows])
        root = ET.fromstring(reliability_svg({"<tokens>": found}))
        dots = [c for c in root.iter(f"{SVG}circle") if c.find(f"{SVG}title") is not None]
        assert len(dots) == sum(b.count > 0 for b in found.bins)
        assert any(f"<tokens> (error {found.error:.3f})" == t.text for t in root.iter(f"{SVG}text"))

    def test_a_dot_below_the_diagonal_is_too_sure(self):
        found = calibration([0.9] * 4, [True, False, False, False])
        root = ET.fromstring(reliability_svg({"tokens": found}))
        (dot,) = (c for c in root.iter(f"{SVG}circle") if c.find(f"{SVG}title") is not None)
        corner = next(p for p in root.iter(f"{SVG}path") if p.get("class") == "even").get("d")
        left, bottom, right, top = map(float, re.findall(r"[\d.]+", corner))
        assert (float(dot.get("cx")) - left) / (right - left) == pytest.approx(0.9, abs=1e-3)
        assert (bottom - float(dot.get("cy"))) / (bottom - top) == pytest.approx(0.25, abs=1e-3)


class TestTables:
    ROWS = (("", "source"), ("<1>", "a <b>"), ("2", Markup("<mark>x</mark>")))

    def test_cells_are_escaped_but_for_markup(self):
        page = Table("<T>", self.ROWS, "texts").html()
        assert page.count("<mark>") == 1
        for part in ("&lt;1&gt;", "a &lt;b&gt;", "<h2>&lt;T&gt;</h2>"):
            assert part in page

    def test_columns_stand_under_each_other(self):
        rows = (("", "p"), ("BLEU", "0.5"), ("x", "10.25"))
        assert Table("T", rows, "numbers").text().splitlines() == [
            "T",
            "            p",
            "  BLEU    0.5",
            "  x     10.25",
        ]

"""What was measured about a model, as text for a terminal and as a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from seq2see.assessment import Assessment, Contest
from seq2see.evaluate.diagnosis import copied_words, repeated_words
from seq2see.see.heatmap import HeatMap
from seq2see.see.html import to_html
from seq2see.see.labels import visible
from seq2see.see.lengths import LengthCurve, lengths_svg
from seq2see.see.reliability import reliability_svg
from seq2see.see.tables import Markup, Row, Table, section

EXAMPLES = 3
"""Outputs shown of each fault."""


def describe(found: Assessment, worst: int = 5, contests: Sequence[Contest] = ()) -> str:
    """Writes an assessment for a terminal.

    Args:
        found: What was measured.
        worst: How many of the worst outputs to tell.
        contests: Comparisons with other systems.
    """
    parts = [f"{found.corpus.name}: {len(found.outputs):,} pairs", _scores(found).text()]
    parts += [table.text() for table in (*_tables(found), *map(_contest, contests))]
    parts += [f"Warning: {warning}" for warning in found.warnings]
    lines = []
    for i in found.worst[:worst]:
        lines += [
            f"  {i + 1:>5}  source  {found.corpus.sources[i]}",
            f"         target  {found.corpus.targets[i]}",
            f"         output  {found.outputs[i].text}",
        ]
    if lines:
        parts.append("\n".join(["Furthest from their targets", *lines]))
    return "\n\n".join(parts)


def to_report(
    found: Assessment, title: str, worst: int = 5, contests: Sequence[Contest] = ()
) -> str:
    """Writes an assessment as one page that needs nothing else.

    Args:
        found: What was measured.
        title: The page's name.
        worst: How many of the worst outputs to draw; if there are none, the first outputs.
        contests: Comparisons with other systems.
    """
    scores, tables = _scores(found), _tables(found)
    parts = [f'<p class="warning">{escape(w)}</p>' for w in found.warnings]
    parts.append(Table(f"Scores on {len(found.outputs):,} pairs", scores.rows).html())
    parts += [_contest(contest).html() for contest in contests]
    curve = LengthCurve.of(found.scores[0].name, found.by_length)
    parts.append(section("", lengths_svg([curve], found.scores[0].name)))
    parts += [table.html() for table in tables]
    confidence = {"whole outputs": found.output_calibration, "tokens": found.token_calibration}
    parts.append(section("", reliability_svg(confidence)))
    parts += [table.html() for table in (_faulty(found), _furthest(found, worst)) if table.rows]
    drawn = found.worst[:worst] or list(range(min(worst, len(found.outputs))))
    maps = [HeatMap.of(found.outputs[i]) for i in drawn] if found.attention else []
    return to_html(maps, title, "".join(parts))


def _scores(found: Assessment) -> Table:
    rows = [(s.name, f"{s.value:.2f}", s.signature) for s in found.scores]
    return Table("", [*rows, ("perplexity", f"{found.perplexity:.3f}", "of a target token")])


def _tables(found: Assessment) -> list[Table]:
    """What both forms tell, table by table."""
    tables = [_by_length(found), _by_frequency(found)]
    tables += [_alignment(found), _attention(found), _faults(found), _confidence(found)]
    return [table for table in tables if table.rows]


def _contest(contest: Contest) -> Table:
    rows: list[Row] = [("", "theirs", "this model", "difference", "95 % interval", "p")]
    for score, one in zip(contest.scores, contest.comparisons, strict=True):
        if one is None:
            rows.append((score.name, f"{score.value:.2f}", "", "", "cannot be resampled", ""))
            continue
        rows.append(
            (
                score.name,
                f"{one.a:.2f}",
                f"{one.b:.2f}",
                f"{one.difference:+.2f}",
                f"{one.low:+.2f} to {one.high:+.2f}",
                f"{one.p_value:.3f}",
            )
        )
    return Table(f"Against {contest.rival} (paired bootstrap)", rows, "numbers")


def _by_length(found: Assessment) -> Table:
    rows = [
        (bucket.label, f"{bucket.score.value:.2f}", f"{bucket.count:,} pairs")
        for bucket in found.by_length.buckets
        if bucket.score
    ]
    return Table(f"{found.scores[0].name} by source length in {found.unit}", rows)


def _by_frequency(found: Assessment) -> Table:
    table = found.by_frequency
    if table is None:
        return Table("", [])
    rows: list[Row] = [("times in training", "recall", "precision", "wanted", "written", "right")]
    for band in table.bands:
        if band.wanted or band.written:
            recall = f"{band.recall:.3f}" if band.wanted else "–"
            precision = f"{band.precision:.3f}" if band.written else "–"
            counts = (f"{n:,}" for n in (band.wanted, band.written, band.right))
            rows.append((band.label, recall, precision, *counts))
    title = f"Target {table.unit} by how often they stand in {table.corpus}"
    return Table(title, rows, "numbers")


def _alignment(found: Assessment) -> Table:
    if found.alignment is None:
        return Table("", [])
    score, best = found.alignment.score, found.alignment.best
    rows = [
        ("error rate", f"{score.error_rate:.3f}", "attention against gold word links"),
        ("precision", f"{score.precision:.3f}", f"{score.predicted:,} links found"),
        ("recall", f"{score.recall:.3f}", f"{score.sure:,} sure links"),
    ]
    if found.alignment.best_shift:
        token = "token before" if found.alignment.best_shift < 0 else "next token"
        rows.append(
            ("shifted", f"{best.error_rate:.3f}", f"error rate if rows explain the {token}")
        )
    return Table("Alignment", rows)


def _attention(found: Assessment) -> Table:
    told = found.attention
    if told is None:
        return Table("", [])
    rows = [
        ("entropy", f"{told.entropy:.2f}", "bits; 0 looks at one token only"),
        ("sharpness", f"{told.sharpness:.2f}", "largest weight of a row, mean"),
        ("end mark", f"{told.end_mark:.2f}", "weight on the source's end, mean"),
        ("unread", f"{100 * told.unread:.1f} %", "source tokens hardly looked at"),
        ("overread", f"{100 * told.overread:.1f} %", "looked at for over two steps"),
    ]
    return Table("Attention", rows)


def _confidence(found: Assessment) -> Table:
    """Both calibrations, range by range, and the expected calibration errors."""
    whole, tokens = found.output_calibration, found.token_calibration
    rows: list[Row] = [("confidence", "outputs", "right", "tokens", "right")]
    for pair in zip(whole.bins, tokens.bins, strict=True):
        if any(one.count for one in pair):
            cells: list[str] = []
            for one in pair:
                cells += [f"{one.count:,}", f"{one.accuracy:.3f}" if one.count else "–"]
            rows.append((f"{pair[0].low:.1f}–{pair[0].high:.1f}", *cells))
    rows.append(("expected error", "", f"{whole.error:.3f}", "", f"{tokens.error:.3f}"))
    return Table("Calibration: how often right, by confidence", rows, "numbers")


def _faults(found: Assessment) -> Table:
    rows = [(name, f"{len(pairs):,}", told) for name, pairs, told, _ in _kinds(found)]
    return Table("Faults", rows)


Places = Callable[[int], set[int]]
"""From a pair to the places of the words of its output that are at fault."""


def _kinds(found: Assessment) -> list[tuple[str, tuple[int, ...], str, Places]]:
    """Each kind of fault: its name, its pairs, what it means, and where it shows."""
    corpus, faults = found.corpus, found.faults

    def said(i: int) -> list[str]:
        return found.outputs[i].text.split()

    def copied(i: int) -> set[int]:
        words = copied_words(corpus.sources[i].split(), said(i), corpus.targets[i].split())
        return {place for place, word in enumerate(said(i)) if word in words}

    return [
        ("empty", faults.empty, "nothing was written", lambda i: set()),
        ("copied", faults.copied, "source words stand untranslated", copied),
        (
            "repeated",
            faults.repeated,
            "a phrase follows itself",
            lambda i: repeated_words(said(i)),
        ),
        ("runaway", faults.runaway, "far longer than the target", lambda i: set()),
    ]


def _faulty(found: Assessment) -> Table:
    """Some outputs of each fault, with the words at fault marked."""
    rows: list[Row] = []
    for name, pairs, _, places in _kinds(found):
        for i in pairs[:EXAMPLES]:
            output = _marked(found.outputs[i].text.split(), places(i))
            rows.append(
                (f"{name}, {i + 1}", found.corpus.sources[i], found.corpus.targets[i], output)
            )
    return _sentences("Examples of faults", rows)


def _furthest(found: Assessment, worst: int) -> Table:
    corpus = found.corpus
    rows = [
        (str(i + 1), corpus.sources[i], corpus.targets[i], found.outputs[i].text)
        for i in found.worst[:worst]
    ]
    return _sentences("Furthest from their targets", rows)


def _sentences(title: str, rows: Sequence[Row]) -> Table:
    return Table(title, [("pair", "source", "target", "output"), *rows] if rows else [], "texts")


def _marked(words: Sequence[str], places: set[int]) -> Markup:
    cells = [escape(visible(word)) for word in words]
    return Markup(
        " ".join(f"<mark>{cell}</mark>" if i in places else cell for i, cell in enumerate(cells))
    )

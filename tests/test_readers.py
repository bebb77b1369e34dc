"""Readers: what a text file holds, and what is said when it cannot be read."""

import io
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2see.data.corpus import Link
from seq2see.data.readers import read_lines, read_links, read_pairs
from seq2see.errors import DataError

line_texts = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])).filter(
    lambda text: not text.endswith("\r")
)


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


def test_a_tsv_holds_source_tab_target_and_columns_that_do_not_matter(write):
    corpus = read_pairs(path := write("a.tsv", "a b\tc\textra\tmore\nd\te\n"))
    assert corpus.name == path
    assert list(corpus.sources) == ["a b", "d"]
    assert list(corpus.targets) == ["c", "e"]
    assert (corpus.links, corpus.dropped) == (None, 0)


@pytest.mark.parametrize(
    ("names", "spec"), [("x.en x.de", "x.{en,de}"), ("en.x de.x", "{en,de}.x")]
)
def test_braces_name_two_aligned_files(write, tmp_path, names, spec):
    source, target = names.split()
    write(source, "one\ntwo")
    write(target, "eins\nzwei\n")
    corpus = read_pairs(str(tmp_path / spec))
    assert [(pair.source, pair.target) for pair in corpus] == [("one", "eins"), ("two", "zwei")]


def test_a_built_in_corpus_is_read_by_name():
    corpus = read_pairs("phrases:en-es/valid")
    assert len(corpus) > 0


def test_pairs_with_an_empty_side_are_left_out_and_counted(write):
    corpus = read_pairs(write("a.tsv", "a\tb\n\tc\nd\t \n\n  \ne\tf\n"))
    assert list(corpus.sources) == ["a", "e"]
    assert list(corpus.targets) == ["b", "f"]
    assert corpus.dropped == 4


@given(lines=st.lists(line_texts), end=st.sampled_from(["\n", "\r\n"]), last=st.booleans())
def test_only_line_feeds_end_lines(lines, end, last):
    text = end.join(lines) + (end if last or not lines or not lines[-1] else "")
    if not lines:
        text = ""
    assert list(read_lines(io.BytesIO(b"\xef\xbb\xbf" + text.encode() if text else b""))) == lines


def test_other_line_ends_and_controls_are_text(write):
    odd = "a\u2028b\x85c\x0bd\x0ce\x1cf\x00g\rh"
    corpus = read_pairs(write("a.tsv", f"{odd}\tx\n"))
    assert list(corpus.sources) == [odd]


def test_a_byte_order_mark_is_dropped_at_the_start_only(write):
    corpus = read_pairs(write("a.tsv", "\ufeffa\tb\r\n\ufeffc\td\r\n"))
    assert list(corpus.sources) == ["a", "\ufeffc"]
    assert list(corpus.targets) == ["b", "d"]


def test_lines_come_one_by_one():
    def endless():
        while True:
            yield b"again\n"

    class Stream:
        def __iter__(self):
            return endless()

    lines = read_lines(Stream())
    assert [next(lines), next(lines)] == ["again", "again"]


def test_a_dash_is_the_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n\nb")))
    assert list(read_lines("-")) == ["a", "", "b"]


def test_a_dash_that_is_not_utf8_is_told_as_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    with pytest.raises(DataError, match="standard input, line 1"):
        list(read_lines("-"))


def test_files_of_unequal_length_are_told_with_both_counts(write, tmp_path):
    write("x.en", "a\nb\nc\n")
    write("x.de", "a\nb\n")
    with pytest.raises(DataError, match=r"x\.en has 3 lines, but .*x\.de has 2"):
        read_pairs(str(tmp_path / "x.{en,de}"))


def test_a_line_without_a_tab_is_told_with_file_and_number(write):
    with pytest.raises(DataError, match=r"a\.tsv, line 2: there is no TAB.*\{en,de\}"):
        read_pairs(write("a.tsv", "a\tb\nc d\n"))


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_that_are_not_utf8_are_told_with_line_and_offset(write, mark):
    path = write("a.tsv", mark + b"\xc3\xa9\tb\nc\xe9\td\n")
    offset = 6 + len(mark)
    with pytest.raises(DataError, match=rf"a\.tsv, line 2: byte {offset} .*0xe9.*--data\.errors"):
        read_pairs(path)
    corpus = read_pairs(path, errors="replace")
    assert list(corpus.sources) == ["é", "c\ufffd"]


def test_bytes_that_are_not_utf8_in_the_first_line_count_the_mark(write):
    with pytest.raises(DataError, match="line 1: byte 4 "):
        read_pairs(write("a.tsv", b"\xef\xbb\xbfa\xff\tb\n"))


def test_an_empty_file_is_told(write, tmp_path):
    with pytest.raises(DataError, match=r"a\.tsv is empty"):
        read_pairs(write("a.tsv", ""))
    write("x.en", "")
    write("x.de", "")
    with pytest.raises(DataError, match="is empty"):
        read_pairs(str(tmp_path / "x.{en,de}"))


def test_a_file_of_empty_lines_is_told(write):
    with pytest.raises(DataError, match="no pair of texts: in each of its 3 lines"):
        read_pairs(write("a.tsv", "a\t\n\n\tb\n"))


def test_a_missing_file_is_told_with_the_nearest_name(write, tmp_path):
    write("train.tsv", "a\tb\n")
    with pytest.raises(DataError, match=r"trian\.tsv does not exist\. Did you mean .*train\.tsv'"):
        read_pairs(str(tmp_path / "trian.tsv"))
    with pytest.raises(DataError, match=r"unlike does not exist\.$"):
        read_pairs(str(tmp_path / "unlike"))
    with pytest.raises(DataError, match="nor does the folder"):
        read_pairs(str(tmp_path / "none" / "train.tsv"))


@pytest.mark.parametrize("spec", ["sentences:en-es", "sentences:en-es/valid"])
def test_a_built_in_corpus_that_does_not_exist_is_told(spec):
    with pytest.raises(DataError, match="seq2see corpora"):
        read_pairs(spec)


def test_a_missing_half_of_two_files_is_told(write, tmp_path):
    write("x.en", "a\n")
    with pytest.raises(DataError, match=r"x\.de does not exist"):
        read_pairs(str(tmp_path / "x.{en,de}"))


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read_pairs(str(tmp_path))


@pytest.mark.parametrize("braces", ["x.{en}", "x.{en,de,fr}", "x.{en,de", "x.{,de}"])
def test_braces_that_do_not_name_two_files_are_told(braces):
    with pytest.raises(DataError, match=r"does not name two files\. Write prefix\.\{en,de\}"):
        read_pairs(braces)


def test_links_are_read_in_pharaoh_format(write):
    path = write("a.links", "0-0 1-2 3p4\n\n10-11\n")
    links = read_links(path, 3)
    assert links == [(Link(0, 0), Link(1, 2), Link(3, 4, sure=False)), (), (Link(10, 11),)]


@given(st.lists(st.lists(st.builds(Link, st.integers(0, 99), st.integers(0, 99), st.booleans()))))
def test_links_written_are_links_read(tmp_path_factory, links):
    path = tmp_path_factory.getbasetemp() / "links"
    lines = [" ".join(f"{s}{'-' if sure else 'p'}{t}" for s, t, sure in row) for row in links]
    path.write_text("".join(f"{line}\n" for line in lines))
    assert read_links(path, len(links)) == [tuple(row) for row in links]


@pytest.mark.parametrize("wrong", ["0:0", "1", "-1-2", "a-b", "1-2-3", "²-1"])
def test_what_is_no_link_is_told_with_file_and_line(write, wrong):
    with pytest.raises(DataError, match=r"a\.links, line 2: .*is not a word link"):
        read_links(write("a.links", f"0-0\n{wrong}\n"), 2)


def test_links_for_other_pairs_are_told_with_both_counts(write):
    with pytest.raises(DataError, match="has 1 lines of word links, but there are 2 pairs"):
        read_links(write("a.links", "0-0\n"), 2)


def test_a_corpus_gives_its_links_with_each_pair(write):
    corpus = read_pairs(write("a.tsv", "a\tb\n"))
    linked = replace(corpus, links=read_links(write("a.links", "0-0\n"), len(corpus)))
    assert [pair.links for pair in linked] == [(Link(0, 0),)]

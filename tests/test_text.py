"""Tokenizers: text comes back from its tokens, and every token knows its word."""

import itertools
import json
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2see.errors import ConfigError, DataError, ModelError
from seq2see.text.detect import detect_kind
from seq2see.text.forms import choose_spelling, unseen_characters
from seq2see.text.jamo import SYLLABLE, SYLLABLES
from seq2see.text.subwords import STAND_IN
from seq2see.text.tokenizer import KINDS, Tokenizer, learn_tokenizer, load_tokenizer
from seq2see.text.vocabulary import SPECIALS, UNK, Vocabulary

TRAINING = [
    "I like soccer.",
    "Me gusta el fútbol, y el tenis.",
    "¿Te gusta?",
    "한국어를 배워요 ㅋㅋㅋ",
    "the cat sat on the mat and the rat sat on the cat",
    "a \\ b ▁ c <s> </s> x < y",
] * 3

# Characters that have broken tokenizers: markers, escapes, jamo of each sort, odd spaces.
AWKWARD = "ab.'’ \t\n\r\\▁▅_<s/>👩\u200d💻é\u0301\u0e49각각ㄱ\x00\x85\u2028\u3000\xa0\ufdd0"
texts = st.one_of(
    st.text(),
    st.text(alphabet=AWKWARD),
    st.lists(st.sampled_from([*TRAINING, *SPECIALS, "▁", "\\<s>", "\\\\</s>"])).map(" ".join),
).filter(lambda text: STAND_IN not in text)
ARGUMENTS = [
    {"kind": "chars"},
    {"kind": "words"},
    {"kind": "jamo"},
    {"kind": "symbols"},
    {"kind": "subwords", "model_type": "unigram", "size": 360},
    {"kind": "subwords", "model_type": "bpe", "size": 400},
    {"kind": "chars", "form": "NFD"},
]
TOKENIZERS = [learn_tokenizer(TRAINING, **arguments) for arguments in ARGUMENTS]
every_kind = pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda t: t.kind)
LOSSLESS = {"chars", "jamo"}


def restored(tokenizer: Tokenizer, text: str) -> str:
    """What a text is after a round trip, as the kind documents it."""
    if getattr(tokenizer, "form", "none") == "NFD":
        return unicodedata.normalize("NFC", text)
    return text if tokenizer.kind in LOSSLESS else " ".join(text.split())


@every_kind
@given(text=texts)
def test_joining_the_tokens_gives_the_text_back(tokenizer, text):
    assert tokenizer.join(tokenizer.split(text)) == restored(tokenizer, text)


@every_kind
@given(text=texts)
def test_ids_are_in_the_vocabulary_and_no_text_is_taken_for_a_special_token(tokenizer, text):
    ids = tokenizer.encode(text)
    assert all(i == UNK or len(SPECIALS) <= i < tokenizer.size for i in ids)


@every_kind
@given(text=texts)
def test_known_tokens_come_back_from_their_ids(tokenizer, text):
    tokens = tokenizer.split(text)
    ids = tokenizer.ids(tokens)
    for token, i, back in zip(tokens, ids, tokenizer.tokens(ids), strict=True):
        assert back == ("<unk>" if i == UNK else token)


@every_kind
@pytest.mark.parametrize("text", TRAINING[:6])
def test_training_text_survives_encoding_and_decoding(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == text


@every_kind
@given(text=texts)
def test_words_are_the_whitespace_separated_pieces_of_the_text(tokenizer, text):
    tokens = tokenizer.split(text)
    words = tokenizer.words(tokens)
    assert len(words) == len(tokens)
    assert all(b - a in (0, 1) for a, b in itertools.pairwise(words))
    pieces = restored(tokenizer, text).split()
    if pieces:
        assert sorted(set(words)) == list(range(len(pieces)))
        for index, piece in enumerate(pieces):
            own = [t for t, word in zip(tokens, words, strict=True) if word == index]
            assert tokenizer.join(own).strip() == piece
    else:
        assert not any(words)


@every_kind
@given(ids=st.lists(st.integers(0, 200)))
def test_any_ids_decode_and_their_words_are_those_of_the_joined_text(tokenizer, ids):
    tokens = tokenizer.tokens([i % tokenizer.size for i in ids])
    words = tokenizer.words(tokens)
    assert len(words) == len(tokens) == len(tokenizer.labels(tokens))
    if not any(t.startswith("<0x") for t in tokens):
        assert max(words, default=-1) + 1 in (len(tokenizer.join(tokens).split()), 1)


@every_kind
@given(text=texts)
def test_labels_show_something_and_no_marker(tokenizer, text):
    tokens = tokenizer.split(text)
    labels = tokenizer.labels(tokens)
    assert len(labels) == len(tokens)
    assert all(labels)
    if "▁" not in text:
        assert not any("▁" in label for label in labels)


@every_kind
@given(text=texts, seed=st.integers(0, 99))
def test_a_sampled_split_joins_to_the_same_text_and_is_reproducible(tokenizer, text, seed):
    first, again = (tokenizer.sample(text, np.random.default_rng(seed), 0.3) for _ in range(2))
    assert first == again
    assert tokenizer.join(first) == restored(tokenizer, text)


@pytest.mark.parametrize("tokenizer", TOKENIZERS[4:6], ids=["unigram", "bpe"])
def test_subwords_are_sampled_in_several_ways(tokenizer):
    rng = np.random.default_rng(0)
    splits = {tuple(tokenizer.sample(TRAINING[4], rng)) for _ in range(50)}
    assert len(splits) > 5


@every_kind
def test_a_saved_tokenizer_loads_as_itself(tokenizer, tmp_path):
    path = tokenizer.save(tmp_path, "source")
    assert path.parent == tmp_path
    assert path.stem == "source"
    loaded = load_tokenizer(tmp_path, "source")
    assert loaded == tokenizer
    assert hash(loaded) == hash(tokenizer)
    assert loaded.size == tokenizer.size
    for text in TRAINING:
        assert loaded.encode(text) == tokenizer.encode(text)


@every_kind
def test_learning_twice_gives_the_same_tokenizer(tokenizer):
    arguments = ARGUMENTS[TOKENIZERS.index(tokenizer)]
    assert learn_tokenizer(TRAINING, **arguments) == tokenizer


@every_kind
def test_controls_are_no_text_and_belong_to_no_word(tokenizer):
    tokens = ["<s>", *tokenizer.split("the cat"), "</s>", "<pad>"]
    assert tokenizer.join(tokens) == "the cat"
    words = tokenizer.words(tokens)
    assert (words[0], words[-2], words[-1]) == (-1, -1, -1)
    assert (words[1], words[-3]) == (0, 1)
    assert tokenizer.labels(tokens)[-2:] == ["</s>", "<pad>"]


@every_kind
def test_an_unknown_token_shows(tokenizer):
    assert "<unk>" in tokenizer.decode([UNK])


@every_kind
def test_an_id_outside_the_vocabulary_is_an_error(tokenizer):
    for wrong in (-1, tokenizer.size):
        with pytest.raises(IndexError):
            tokenizer.tokens([wrong])


def named(kind: str) -> Tokenizer:
    return TOKENIZERS[[t.kind for t in TOKENIZERS].index(kind)]


@pytest.mark.parametrize(
    ("kind", "text", "tokens"),
    [
        ("words", "I like soccer.", ["▁I", "▁like", "▁soccer", "."]),
        ("words", "¿Te gusta?", ["▁¿", "Te", "▁gusta", "?"]),
        ("words", "it's 'so-so'...", ["▁it's", "▁'", "so", "-", "so", "'", "..."]),
        ("words", "हिन्दी में।", ["▁हिन्दी", "▁में", "।"]),
        ("words", "▁x a▁b", ["▁\\▁", "x", "▁a", "\\▁", "b"]),
        ("chars", "a b▁", ["a", "▁", "b", "\\▁"]),
        ("jamo", "한 a", ["ᄒ", "ᅡ", "ᆫ", "▁", "a"]),
        ("jamo", "ᄒㅋ", ["\\ᄒ", "ㅋ"]),
        ("symbols", " HH AH0  L OW1 <s>", ["HH", "AH0", "L", "OW1", "\\<s>"]),
    ],
)
def test_examples_of_tokens(kind, text, tokens):
    assert named(kind).split(text) == tokens


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("words", "¿Te gusta?", [0, 0, 1, 1]),
        ("chars", " ab c ", [0, 0, 0, 1, 1, 1]),
        ("chars", "  ", [0, 0]),
        ("jamo", "가 각", [0, 0, 1, 1, 1, 1]),
        ("symbols", "HH AH0 L", [0, 1, 2]),
    ],
)
def test_examples_of_words(kind, text, words):
    assert named(kind).words(named(kind).split(text)) == words


@pytest.mark.parametrize(
    ("kind", "tokens", "labels"),
    [
        ("words", ["▁like", ".", "</s>"], ["like", ".", "</s>"]),
        ("chars", ["a", "▁", "\\▁"], ["a", "␣", "▁"]),
        ("jamo", ["ᄒ", "ᅡ", "ᆫ"], ["ㅎ", "ㅏ", "ㄴ"]),
        ("symbols", ["AH0", "\\<s>"], ["AH0", "<s>"]),
        ("subwords", ["▁", "▁so", "cc", "<0xE6>", "<0x41>"], ["␣", "so", "cc", "0xE6", "A"]),
    ],
)
def test_examples_of_labels(kind, tokens, labels):
    assert named(kind).labels(tokens) == labels


def test_every_hangul_syllable_comes_apart_and_together():
    jamo = named("jamo")
    for code in range(SYLLABLE, SYLLABLE + SYLLABLES):
        tokens = jamo.split(chr(code))
        assert "".join(tokens) == unicodedata.normalize("NFD", chr(code))
        assert jamo.join(tokens) == chr(code)
        assert all("ㄱ" <= label <= "ㅣ" for label in jamo.labels(tokens))


def test_jamo_that_make_no_syllable_are_left_as_they_are():
    assert named("jamo").join(["ᆨ", "ᄀ", "ᄀ", "ᅡ", "ᅡ"]) == "ᆨᄀ가ᅡ"


def test_nfd_reads_accents_apart_and_gives_nfc_back(tmp_path):
    tokenizer = learn_tokenizer(["é", "u"], kind="chars", form="NFD")
    assert tokenizer.split("ú") == ["u", "\u0301"]
    assert tokenizer.decode(tokenizer.encode("ú")) == "ú"
    tokenizer.save(tmp_path, "target")
    assert load_tokenizer(tmp_path, "target") == tokenizer
    assert tokenizer != learn_tokenizer(["é", "u"], kind="chars", form="NFC")


def test_a_vocabulary_holds_the_most_frequent_tokens():
    vocabulary = Vocabulary.learn({"b": 2, "a": 2, "c": 5, "d": 1, "<s>": 9}, limit=6)
    assert list(vocabulary) == [*SPECIALS, "c", "a"]
    assert "a" in vocabulary
    assert vocabulary.ids(["a", "b"]) == [5, UNK]
    assert len(Vocabulary.learn({"b": 2, "a": 1}, min_count=2)) == 5


def test_a_token_cannot_be_in_a_vocabulary_twice():
    with pytest.raises(ValueError, match="once"):
        Vocabulary(["a", "a"])


def test_a_small_text_has_fewer_subwords_than_asked_for():
    for model_type in ("unigram", "bpe"):
        for text in ("a", "x\0y", "日本語", "<s>"):
            tokenizer = learn_tokenizer([text], kind="subwords", model_type=model_type)
            assert tokenizer.size < 300
            assert tokenizer.join(tokenizer.split("anything 한")) == "anything 한"


def test_a_long_text_teaches_subwords():
    learn_tokenizer(["abc " * 2000], kind="subwords", size=300)


def test_nmt_nfkc_folds_wide_letters():
    tokenizer = learn_tokenizer(["ａｂ ½"], kind="subwords", normalization="nmt_nfkc")
    assert tokenizer.join(tokenizer.split("ａｂ")) == "ab"


def test_too_few_subwords_is_an_error_that_says_how_many_are_enough(capfd):
    with pytest.raises(ConfigError, match="Choose a size of 264 or more"):
        learn_tokenizer(["日本語"], kind="subwords", size=100)
    assert learn_tokenizer(["日本語"], kind="subwords", size=264).size == 264
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_is_an_error(kind):
    with pytest.raises(DataError, match="no text"):
        learn_tokenizer(["", ""], kind=kind)


def test_what_sentencepiece_refuses_is_our_error(capfd):
    with pytest.raises(DataError, match="chars or words"):
        learn_tokenizer(["▅"], kind="subwords")
    assert capfd.readouterr() == ("", "")


def test_a_misspelt_kind_is_told_with_the_nearest():
    with pytest.raises(ConfigError, match="Did you mean 'chars'"):
        learn_tokenizer(["a"], kind="char")


def test_a_missing_tokenizer_is_told_with_its_file(tmp_path):
    with pytest.raises(ModelError, match=r"source\.json.*missing"):
        load_tokenizer(tmp_path, "source")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '"text"',
        json.dumps({"kind": "signs", "options": {}, "tokens": [*SPECIALS]}),
        json.dumps({"kind": "chars", "options": {}, "tokens": ["a"]}),
        json.dumps({"kind": "chars", "options": {}, "tokens": [*SPECIALS, 1]}),
        json.dumps({"kind": "chars", "options": {}, "tokens": [*SPECIALS, "a", "a"]}),
        json.dumps({"kind": "chars", "options": {}, "tokens": 5}),
        json.dumps({"kind": "chars", "options": {"form": "NFX"}, "tokens": [*SPECIALS]}),
        json.dumps({"kind": "words", "options": {"form": "NFC"}, "tokens": [*SPECIALS]}),
        json.dumps({"kind": ["chars"], "options": {}, "tokens": [*SPECIALS]}),
        "\udcff",
    ],
)
def test_a_damaged_table_is_told_with_its_file(tmp_path, content):
    (tmp_path / "source.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ModelError, match=r"source\.json"):
        load_tokenizer(tmp_path, "source")


@pytest.mark.parametrize("keep", [0, 1, 10, 1000, -1])
def test_damaged_subwords_are_told_with_their_file(tmp_path, keep, capfd):
    path = named("subwords").save(tmp_path, "source")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ModelError, match=r"source\.model"):
        load_tokenizer(tmp_path, "source")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (["HH AH0 L OW1", "W ER1 L D"] * 3, "symbols"),
        (["hello", "world"], "chars"),
        (["안녕", "world"], "jamo"),
        (["Thursday, 3 May 2001", "12 June 1999"], "chars"),
        (["I like soccer.", "You like tennis."] * 20, "words"),
        (["I like soccer.", "You like tennis."], "subwords"),
        (["", "  "], "chars"),
        ([], "chars"),
    ],
)
def test_the_kind_is_guessed_from_the_text(lines, kind):
    assert detect_kind(lines) == kind


def test_unseen_characters_decide_how_letters_are_spelled():
    assert unseen_characters(["é"], ["e\u0301"], "none") == 2
    assert unseen_characters(["é"], ["e\u0301"], "NFD") == 0
    assert choose_spelling(["ab"], ["ba"]) == "none"
    assert choose_spelling(["ab"], ["cd"]) == "none"
    assert choose_spelling(["가 난"], ["간 나"]) == "jamo"
    assert choose_spelling(["é a"], ["e a"]) == "NFD"

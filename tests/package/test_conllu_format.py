"""Every kind of CoNLL-U file: documents, ids, spacing, entities, and whatever text may hold."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from whichlayer.corpora import CorpusFormatError, read_conllu, word_labels

GUM = "GRP-etype-infstat-salience-centering-minspan-link-identity"


@pytest.fixture
def read(tmp_path):
    def read(text, name="tales.conllu"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_conllu(path)

    return read


def sentence(*words, comments=()):
    """A block of CoNLL-U; each word is a form, or a form and what stands in MISC."""
    pairs = [word if isinstance(word, tuple) else (word, "_") for word in words]
    rows = [
        f"{i}\t{form}\t_\tX\t_\t_\t{int(i > 1)}\tdep\t_\t{misc}"
        for i, (form, misc) in enumerate(pairs, 1)
    ]
    return "\n".join([*(f"# {comment}" for comment in comments), *rows]) + "\n\n"


def test_each_newdoc_begins_a_document_with_or_without_an_id(read):
    text = "".join(
        sentence("a", comments=comments)
        for comments in ([], ["newdoc"], [], ["newdoc id = d"], [], ["newdoc"], ["newdoc id ="])
    )
    documents = [s.document_id for s in read(text)]
    assert documents == ["tales", "tales-1", "tales-1", "d", "d", "tales-3", "tales-4"]


def test_a_document_without_a_name_never_gets_that_of_another(read):
    text = "".join(
        sentence("a", comments=comments)
        for comments in ([], ["newdoc id = tales"], ["newdoc"], ["newdoc id = tales-2"])
    )
    assert [s.document_id for s in read(text)] == ["tales'", "tales", "tales-2'", "tales-2"]


def test_sentences_without_an_id_get_one_each_that_no_other_has(read):
    text = "".join(
        sentence("a", comments=c) for c in ([], ["sent_id = tales-3"], [], ["sent_id ="])
    )
    assert [s.id for s in read(text)] == ["tales-1", "tales-3", "tales-3'", "tales-4"]


def test_an_id_that_stands_twice_is_named_with_both_lines(read):
    text = sentence("a", "b", comments=["sent_id = 7"]) + sentence("c", comments=["sent_id = 7"])
    with pytest.raises(CorpusFormatError, match="line 5: the sent_id '7' .* at line 1 too"):
        read(text)


def test_text_is_put_together_where_the_file_has_none(read):
    rows = "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n" + sentence(
        "Do", "n't", ("go", "SpaceAfter=No"), "."
    )
    assert read(rows)[0].text == "Don't go."
    rows = rows.replace(
        "Don't\t_\t_\t_\t_\t_\t_\t_\t_", "Don't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No"
    )
    assert read(rows)[0].text == "Don'tgo."


def test_two_blanks_in_a_word_are_no_border_of_columns(read):
    (s,) = read(sentence("10  000", "euros"))
    assert s.words == ("10  000", "euros") and s.labels["upos"] == ("X", "X")


def test_a_byte_order_mark_is_no_part_of_the_file(read):
    plain = sentence("a", comments=["sent_id = 1"])
    assert read(b"\xef\xbb\xbf" + plain.encode()) == read(plain)
    assert read(b"\xef\xbb\xbf" + sentence("a").encode())[0].words == ("a",)


# The first word is named and an organization's, which stands in a place's that isn't named.
MENTION, ENTITY = ("organization", "place", "O"), ("organization", "O", "O")


@pytest.mark.parametrize(
    ("order", "outer", "inner"),
    [
        ("eid-etype-head-other", "(e1-place-2-nominal", "(e2-organization-1-named)"),
        ("eid-head-etype-other", "(e1-2-place-nominal", "(e2-1-organization-named)"),
        ("etype-eid-other", "(place-e1-nominal", "(organization-e2-named)"),
        ("eid-etype-head-minspan-other", "(e1-place-2-1,2", "(e2-organization-1-1-named)"),
        ("eid-etype-head-other", "(e1-place", "(e2-organization-1-x:y,form:named)"),
        ("eid-etype-named", "(e1-place-no", "(e2-organization-yes)"),
        ("eid-etype-head-other", "(e1[1/2]-place-2-nominal", "(e2-organization-1-named)"),
    ],
)
def test_entities_are_read_in_the_declared_order_of_attributes(read, order, outer, inner):
    close = "e1[1/2])" if "[" in outer else "e1)"
    text = sentence(
        ("Acme", f"Entity={outer}{inner}|SpaceAfter=No"), ("yard", f"Entity={close}"), "!",
        comments=[f"global.Entity = {order}"],
    )  # fmt: skip
    (s,) = read(text)
    assert s.labels["mention"] == MENTION and s.labels["entity"] == ENTITY


def test_eight_part_entities_and_a_corpus_that_marks_no_names(read):
    text = sentence(
        ("Jean", "Entity=(1-person-new-nnnnn-cf1*-1,2-coref-Jean-Paul_Sartre"), ("Paul", "Entity=1)"),
        ("sat", "_"), ("there", "Entity=(2-place-giv:act-nnnnn-cf2-1-ana)"),
        comments=["newdoc id = GUM_bio_x", f"global.Entity = {GUM}"],
    ) + sentence("So", "what", "?")  # fmt: skip
    first, second = read(text)
    assert first.labels["mention"] == ("person", "person", "O", "place")
    assert second.labels["mention"] == ("O", "O", "O")
    # No layer rather than one of nothing but "O".
    with pytest.raises(KeyError, match="no labels 'entity'; it has .*mention"):
        word_labels([first, second], "entity")


def test_gums_first_order_and_a_second_declaration(read):
    text = sentence(
        ("she", "Entity=(person-7-giv)"), comments=["global.Entity = entity-GRP-infstat"]
    ) + sentence(("it", "Entity=(8-object-named)"), comments=["global.Entity = eid-etype-other"])
    first, second = read(text)
    assert first.labels["mention"] == ("person",) and first.labels["entity"] == ("O",)
    assert second.labels["entity"] == ("object",)


def test_a_mention_that_opens_at_an_empty_node_and_one_without_a_type(read):
    rows = sentence(("goes", "_"), ("home", "Entity=e1)"), ("now", "Entity=(e2)")).split("\n")
    rows.insert(1, "1.1\tshe\tshe\tPRON\t_\t_\t_\t_\t1:nsubj\tEntity=(e1-person")
    (s,) = read("\n".join(["# global.Entity = eid-etype", *rows]))
    assert s.words == ("goes", "home", "now") and s.labels["mention"] == ("O", "person", "_")


@pytest.mark.parametrize(
    ("entity", "declared", "what"),
    [
        ("(e1-person)", False, "no line before it declares the order"),
        ("e1)", False, "no line before it declares the order"),
        ("e1)", True, "'e1' is closed but wasn't opened"),
        ("(e1-person", True, "'e1' isn't closed in its sentence"),
        ("(e1-person)e2", True, "the brackets don't match"),
        ("()", True, "the brackets don't match"),
    ],
)
def test_broken_entities_are_named_by_line(read, entity, declared, what):
    comments = ["global.Entity = eid-etype"] if declared else ["text = a"]
    with pytest.raises(CorpusFormatError, match=r"tales.conllu, line [12]: .*" + what):
        read(sentence(("a", f"Entity={entity}"), comments=comments))


def test_another_corpus_s_own_entity_and_role_are_let_be(read):
    (s,) = read(sentence(("Ada", "Entity=PER|Role=Agent"), ("codes", "Role=2:ARG0")))
    assert not {"entity", "mention", "role"} & set(s.labels)


# What CoNLL-U lets a column hold: anything but tabs and line ends, without blanks at its borders.
text_without_breaks = st.text(
    st.characters(exclude_characters="\t\n\r", exclude_categories=("Cs",)), min_size=1, max_size=12
)
form = text_without_breaks.map(lambda s: s.strip(" ")).filter(bool)
layer = st.text(st.characters(categories=("L", "N", "P", "S"), exclude_characters="|="), min_size=1)
word = st.tuples(form, layer, layer, st.booleans())
tree = st.lists(word, min_size=1, max_size=5)
ends = st.sampled_from(["\n", "\r\n"])


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(trees=st.lists(tree, min_size=1, max_size=3), end=ends, extra=st.booleans())
@example(trees=[[("#", "#", "_", True)]], end="\n", extra=True)
@example(
    trees=[[("a\u2028b", "\x85", "\x1c", False), ("\ufeff", "_", "\x0c", True)]],
    end="\r\n",
    extra=False,
)
@example(trees=[[("\xa0", "a", "a", True)]], end="\n", extra=True)
def test_what_is_written_is_read(read, trees, end, extra):
    """With multiword tokens, empty nodes and comments between, or without."""
    lines = []
    for words in trees:
        if extra:
            lines += ["#", "# a comment", "# text_en = = =", "0.1\t_\t_\t_\t_\t_\t_\t_\t_\t_"]
        for i, (form, lemma, upos, blank) in enumerate(words, 1):
            if extra and i + 1 <= len(words) and i % 2:
                lines.append(f"{i}-{i + 1}\t_\t_\t_\t_\t_\t_\t_\t_\t_")
            misc = "_" if blank else "Gloss=a=b|SpaceAfter=No"
            lines.append(f"{i}\t{form}\t{lemma}\t{upos}\t_\t_\t{i - 1}\tdep\t_\t{misc}")
            if extra:
                lines.append(f"{i}.1\tx\tx\tX\t_\t_\t_\t_\t{i}:dep\t_")
        lines.append("")
    read_trees = read(end.join(lines))
    assert [s.words for s in read_trees] == [tuple(w[0] for w in words) for words in trees]
    for s, words in zip(read_trees, trees, strict=True):
        assert s.labels["lemma"] == tuple(w[1] for w in words)
        assert s.labels["upos"] == tuple(w[2] for w in words)
        assert s.labels["head"] == tuple(range(len(words)))
        if not extra:
            written = "".join(w[0] + " " * w[3] for w in words).strip(" ")
            assert s.text == written
    assert len({s.id for s in read_trees}) == len(trees)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    columns=st.lists(st.text(max_size=6), min_size=8, max_size=12),
    entity=st.text("()e1-[]/", max_size=8),
)
def test_any_line_is_read_or_refused_by_name(read, columns, entity):
    text = "# global.Entity = eid-etype-other\n" + "\t".join(columns) + "\n"
    text += "\t".join(["1", *columns[:5], "0", "root", "_", f"Entity={entity}"])
    try:
        read(text.encode("utf-8", "surrogatepass"))
    except CorpusFormatError as error:
        assert "tales.conllu" in str(error)

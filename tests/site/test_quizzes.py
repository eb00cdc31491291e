"""Quizzes: whole, or the build stops; and answered wrongly and rightly by keyboard alone."""

import copy

import build_site
import pytest
import quizzes
import yaml
from sphinx.errors import ExtensionError

ROOT = build_site.ROOT
FILES = sorted((ROOT / "book" / "quizzes").glob("*.yml"))
QUESTIONS = [(path, question) for path in FILES for question in quizzes.read_quiz(path)]


def test_every_chapter_has_a_quiz_with_each_kind_of_question():
    chapters = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert [path.stem for path in FILES] == chapters
    for path in FILES:
        kinds = [question["kind"] for question in quizzes.read_quiz(path)]
        assert len(kinds) >= 4 and set(kinds) == {"single", "multiple", "number"}, path.name


def test_right_options_are_not_given_away():
    """Neither by their length nor by their place."""
    longest = first = 0
    choices = [q for _, q in QUESTIONS if q["kind"] != "number"]
    for question in choices:
        lengths = [len(option["text"]) for option in question["options"]]
        right = [bool(option.get("right")) for option in question["options"]]
        longest += right[lengths.index(max(lengths))]
        first += right[0]
    assert longest < 0.6 * len(choices) and first < 0.6 * len(choices)


SINGLE = {
    "id": "x", "kind": "single", "text": "Which?",
    "options": [
        {"text": "a", "why": "no"}, {"text": "b", "right": True, "why": "yes"}, {"text": "c", "why": "no"},
    ],
}  # fmt: skip
MULTIPLE = SINGLE | {
    "kind": "multiple",
    "options": [*SINGLE["options"], {"text": "d", "right": True, "why": "yes"}],
}
NUMBER = {
    "id": "n", "kind": "number", "text": "How many?", "answer": 13, "tolerance": 0, "unit": "",
    "why": "12 + 1", "otherwise": "count again",
    "mistakes": [{"value": 12, "why": "layer 0"}, {"value": 14, "why": "gamma"}],
}  # fmt: skip


def without(question, key):
    return {k: v for k, v in question.items() if k != key}


def changed(question, path, value):
    question = copy.deepcopy(question)
    node = question
    for step in path[:-1]:
        node = node[step]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return question


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (SINGLE, None),
        (MULTIPLE, None),
        (NUMBER, None),
        (SINGLE | {"kind": "essay"}, "its kind is one of"),
        (without(SINGLE, "text"), "missing: \\['text'\\]"),
        (SINGLE | {"text": " "}, "no text"),
        (SINGLE | {"hint": "x"}, "not known: \\['hint'\\]"),
        (changed(SINGLE, ["options", 0, "why"], None), "'a' doesn't explain itself"),
        (changed(SINGLE, ["options", 0, "why"], "  "), "'a' doesn't explain itself"),
        (changed(SINGLE, ["options", 0, "text"], ""), "an option has a text"),
        (changed(SINGLE, ["options", 0, "right"], True), "one right option, not 2"),
        (changed(SINGLE, ["options", 1, "right"], None), "one right option, not 0"),
        (changed(SINGLE, ["options", 2], None), "at least three options"),
        (changed(MULTIPLE, ["options", 3, "right"], None), "two right options or more"),
        (changed(NUMBER, ["answer"], "13"), "are numbers"),
        (changed(NUMBER, ["tolerance"], -1), "negative"),
        (changed(NUMBER, ["tolerance"], 1), "within the tolerance"),
        (changed(NUMBER, ["mistakes", 0], None), "at least two mistakes"),
        (changed(NUMBER, ["mistakes", 0, "why"], " "), "explain themselves"),
        (without(NUMBER, "otherwise"), "missing"),
    ],
)
def test_a_question_that_is_not_whole_is_refused(tmp_path, question, says):
    path = tmp_path / "quiz.yml"
    others = [SINGLE | {"id": f"other{k}"} for k in range(3)]
    path.write_text(yaml.safe_dump({"questions": [question, *others]}))
    if says is None:
        assert len(quizzes.read_quiz(path)) == 4
    else:
        with pytest.raises(ExtensionError, match=says):
            quizzes.read_quiz(path)


def question_of(kind):
    """The first question of this kind in the fourth chapter, with its file's stem."""
    path = FILES[3]
    return path.stem, next(q for q in quizzes.read_quiz(path) if q["kind"] == kind)


def told(form):
    return form.locator(".quiz-result").inner_text()


def plain(text):
    """A text of a file as the page shows it."""
    return " ".join(text.replace("`", "").replace("*", "").split())


def answer_by_keyboard(page, form, places):
    """Chooses options with Tab, arrows and Space, and checks with Tab and Enter."""
    inputs = form.locator("input")
    kind = inputs.first.get_attribute("type")
    if kind == "radio":
        inputs.first.focus()
        page.keyboard.press("Space")
        for _ in range(places[0]):
            page.keyboard.press("ArrowDown")
    else:
        inputs.first.focus()
        for place in range(inputs.count()):
            if inputs.nth(place).is_checked() != (place in places):
                page.keyboard.press("Space")
            if place < inputs.count() - 1:
                page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "submit":
            break
    page.keyboard.press("Enter")


@pytest.mark.parametrize("kind", ["single", "multiple"])
def test_a_choice_by_keyboard_alone(open_page, kind):
    stem, question = question_of(kind)
    page = open_page(f"notebooks/{stem}.html")
    form = page.locator(f"#quiz-{question['id']}")
    right = [k for k, option in enumerate(question["options"]) if option.get("right")]
    wrong = [k for k in range(len(question["options"])) if k not in right]
    answer_by_keyboard(page, form, wrong[:1])
    assert told(form).startswith("Not")
    assert plain(question["options"][wrong[0]]["why"]) in plain(told(form))
    # No other option's reason is given away.
    assert plain(question["options"][right[0]]["why"]) not in plain(told(form))
    if kind == "multiple":
        answer_by_keyboard(page, form, right[:1])
        assert told(form).startswith("Not yet") and "more that holds" in told(form)
    answer_by_keyboard(page, form, right)
    assert told(form).startswith("Right")
    for option in question["options"]:
        assert plain(option["why"]) in plain(told(form))
    assert form.locator(".quiz-result").get_attribute("role") == "status"
    assert page.complaints == []


def test_a_number_by_keyboard_alone(open_page):
    stem, question = question_of("number")
    page = open_page(f"notebooks/{stem}.html")
    form = page.locator(f"#quiz-{question['id']}")

    def answer(text):
        form.locator("input").focus()
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        return plain(told(form))

    mistake = question["mistakes"][0]
    assert plain(mistake["why"]) in answer(str(mistake["value"]))
    assert plain(question["otherwise"]) in answer("123456")
    assert "Write a number" in answer("many")
    said = answer(f" {question['answer']} ")
    assert said.startswith("Right") and plain(question["why"]) in said


@pytest.mark.parametrize("written", ["3072", "3,072", "3 072", "3072.0"])
def test_a_number_may_be_written_as_people_write_it(open_page, written):
    stem = "03_combining_layers"
    page = open_page(f"notebooks/{stem}.html")
    form = page.locator("form[data-kind=number]").first
    form.evaluate("form => { form.dataset.answer = '3072'; form.dataset.tolerance = '0'; }")
    form.locator("input").fill(written)
    form.locator("input").press("Enter")
    assert told(form).startswith("Right")


def test_an_empty_answer_is_asked_for(open_page):
    page = open_page(f"notebooks/{FILES[0].stem}.html")
    for form in page.locator("form.quiz-question").all():
        form.locator(".quiz-check").click()
        assert "first" in told(form)


def test_changing_an_answer_takes_the_verdict_back(open_page):
    stem, question = question_of("single")
    page = open_page(f"notebooks/{stem}.html")
    form = page.locator(f"#quiz-{question['id']}")
    answer_by_keyboard(page, form, [0])
    assert told(form)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowDown")
    assert told(form) == ""


def test_each_question_is_a_group_with_its_text_as_name(open_page):
    page = open_page(f"notebooks/{FILES[0].stem}.html")
    for number, question in enumerate(quizzes.read_quiz(FILES[0]), 1):
        form = page.locator(f"#quiz-{question['id']}")
        group = form.get_by_role("group")
        assert group.count() == 1
        assert form.locator("legend").inner_text().startswith(f"Question {number} of")
        kinds = {"single": "radio", "multiple": "checkbox", "number": "textbox"}
        assert form.get_by_role(kinds[question["kind"]]).count() >= 1


def test_without_javascript_the_answers_stand_in_a_folded_block(open_page):
    stem, question = question_of("single")
    page = open_page(f"notebooks/{stem}.html", java_script_enabled=False)
    form = page.locator(f"#quiz-{question['id']}")
    assert not form.locator(".quiz-check").is_visible()
    assert not form.locator(".quiz-solution li").first.is_visible()
    form.locator("summary").click()
    shown = plain(form.locator(".quiz-solution").inner_text())
    for option in question["options"]:
        assert plain(option["why"]) in shown


def test_with_javascript_the_answers_are_not_on_the_page(open_page):
    page = open_page(f"notebooks/{FILES[0].stem}.html")
    assert not any(block.is_visible() for block in page.locator(".quiz-solution").all())


def test_the_notebook_links_to_its_quiz():
    for path in FILES:
        text = (ROOT / "notebooks" / f"{path.stem}.ipynb").read_text(encoding="utf-8")
        assert f"/notebooks/{path.stem}.html#quiz" in text
        # as the notebook says
        assert "Five questions" in text and len(quizzes.read_quiz(path)) == 5

"""Quizzes: one file of questions a chapter, shown in the chapter's section "Quiz".

In the notebook that section holds a link to the page. Here it gets the questions of
`book/quizzes/<chapter>.yml`: forms that work by keyboard, each with its answers and explanations in a
folded block for those without JavaScript. A question that isn't whole stops the build. See
CONTRIBUTING.md for the format of the files; book/_static/quiz.mjs judges the answers.
"""

from __future__ import annotations

import html
from pathlib import Path

import yaml
from docutils import nodes
from markdown_it import MarkdownIt
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

SECTION = "Quiz"
MARKDOWN = MarkdownIt("commonmark", {"html": False})

KEYS = {
    "single": {"id", "kind", "text", "options"},
    "multiple": {"id", "kind", "text", "options"},
    "number": {"id", "kind", "text", "answer", "tolerance", "unit", "why", "mistakes", "otherwise"},
}


def read_quiz(path: Path) -> list[dict]:
    """The questions of a file. Raises ExtensionError where one lacks what its kind needs."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or set(content) != {"questions"}:
        raise ExtensionError(f"{path.name}: the file has one key, questions")
    questions = content["questions"]
    if len(questions) < 4:
        raise ExtensionError(f"{path.name}: a quiz has at least 4 questions")
    names = [question.get("id") for question in questions]
    if len(set(names)) != len(names):
        raise ExtensionError(f"{path.name}: two questions have the same id")
    for question in questions:
        fault = fault_of(question)
        if fault:
            raise ExtensionError(f"{path.name}, question {question.get('id')}: {fault}")
    return questions


def fault_of(question: dict) -> str | None:
    """What is wrong with a question, or None."""
    kind = question.get("kind")
    if kind not in KEYS:
        return f"its kind is one of {', '.join(KEYS)}"
    if set(question) != KEYS[kind]:
        missing, extra = KEYS[kind] - set(question), set(question) - KEYS[kind]
        return f"missing: {sorted(missing)}, not known: {sorted(extra)}"
    if not str(question["text"]).strip():
        return "it has no text"
    return _fault_of_number(question) if kind == "number" else _fault_of_choice(question)


def _fault_of_choice(question: dict) -> str | None:
    options = question["options"]
    for option in options:
        if not set(option) <= {"text", "right", "why"} or not str(option.get("text") or "").strip():
            return "an option has a text, a why, and right: true if it is"
        if not str(option.get("why") or "").strip():
            return (
                f"the option {str(option['text']).strip()!r} doesn't explain itself: it needs a why"
            )
    right = sum(option.get("right", False) is True for option in options)
    if len(options) < 3 or len(options) == right:
        return "it needs at least three options, and one that is wrong"
    if question["kind"] == "single" and right != 1:
        return f"a single choice has one right option, not {right}"
    if question["kind"] == "multiple" and right < 2:
        return f"a multiple choice has two right options or more, not {right}"
    return None


def _fault_of_number(question: dict) -> str | None:
    values = [question["answer"], question["tolerance"]]
    values += [mistake.get("value") for mistake in question["mistakes"]]
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return "answer, tolerance and each mistake's value are numbers"
    if question["tolerance"] < 0:
        return "the tolerance is negative"
    if len(question["mistakes"]) < 2:
        return "it names at least two mistakes that people make"
    if any(
        abs(mistake["value"] - question["answer"]) <= question["tolerance"]
        for mistake in question["mistakes"]
    ):
        return "one of the mistakes lies within the tolerance of the answer"
    whys = [question["why"], question["otherwise"], *(m.get("why") for m in question["mistakes"])]
    if not all(str(why or "").strip() for why in whys):
        return "the answer, each mistake and any other number explain themselves"
    return None


def render(questions: list[dict]) -> str:
    """The questions as HTML."""
    total = len(questions)
    return "".join(_question(q, number, total) for number, q in enumerate(questions, 1))


def _question(question: dict, number: int, total: int) -> str:
    name = f"quiz-{question['id']}"
    inputs = (
        _number_input(question, name) if question["kind"] == "number" else _options(question, name)
    )
    data = f'data-kind="{question["kind"]}"'
    if question["kind"] == "number":
        data += f' data-answer="{question["answer"]}" data-tolerance="{question["tolerance"]}"'
    return (
        f'<form class="quiz-question" id="{name}" {data} novalidate autocomplete="off"><fieldset>'
        f'<legend><span class="quiz-number">Question {number} of {total}.</span> '
        f"{_inline(question['text'])}</legend>{inputs}</fieldset>"
        '<button type="submit" class="quiz-check pst-js-only">Check</button>'
        '<div class="quiz-result" role="status"></div>'
        '<details class="quiz-solution"><summary>Answer and explanations</summary>'
        f"<ul>{_explanations(question)}</ul></details></form>"
    )


def _options(question: dict, name: str) -> str:
    kind = "radio" if question["kind"] == "single" else "checkbox"
    return "".join(
        f'<label class="quiz-option"><input type="{kind}" name="{name}" value="{place}"> '
        f"<span>{_inline(option['text'])}</span></label>"
        for place, option in enumerate(question["options"])
    )


def _number_input(question: dict, name: str) -> str:
    unit = html.escape(question["unit"])
    return (
        f'<label class="quiz-option">Your answer '
        f'<input type="text" inputmode="text" name="{name}" size="10"> {unit}</label>'
    )


def _explanations(question: dict) -> str:
    if question["kind"] != "number":
        return "".join(
            f'<li data-option="{place}"{" data-right" if option.get("right") else ""}>'
            f"<strong>{'Right' if option.get('right') else 'Wrong'}:</strong> "
            f'{_inline(option["text"])} <span class="why">{_inline(option["why"])}</span></li>'
            for place, option in enumerate(question["options"])
        )
    answer = f"{question['answer']:,} {question['unit']}".strip()
    rows = [
        f"<li data-right><strong>Right: {html.escape(answer)}.</strong> "
        f'<span class="why">{_inline(question["why"])}</span></li>'
    ]
    rows += [
        f'<li data-value="{mistake["value"]}"><strong>Wrong: {mistake["value"]:,}.</strong> '
        f'<span class="why">{_inline(mistake["why"])}</span></li>'
        for mistake in question["mistakes"]
    ]
    rows.append(
        f'<li data-otherwise><strong>Another number:</strong> <span class="why">'
        f"{_inline(question['otherwise'])}</span></li>"
    )
    return "".join(rows)


def _inline(text: str) -> str:
    return MARKDOWN.renderInline(" ".join(str(text).split()))


def show_quiz(app: Sphinx, doctree: nodes.document) -> None:
    page = app.env.docname
    if not page.startswith("notebooks/"):
        return
    path = Path(app.srcdir) / "book" / "quizzes" / f"{page.split('/')[-1]}.yml"
    app.env.note_dependency(str(path))
    if not path.is_file():
        raise ExtensionError(f"{page} has no quiz: write book/quizzes/{path.name}")
    sections = [s for s in doctree.findall(nodes.section) if s[0].astext() == SECTION]
    if len(sections) != 1:
        raise ExtensionError(f"{page} needs one section named {SECTION}")
    section = sections[0]
    container = nodes.container(classes=["quiz"])
    container += nodes.raw("", render(read_quiz(path)), format="html")
    section[1:] = [container]


def add_script(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    if pagename.startswith("notebooks/"):
        app.add_js_file("quiz.mjs", type="module")


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", show_quiz)
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

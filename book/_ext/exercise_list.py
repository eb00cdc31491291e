"""The directive `course-exercises`: every exercise with its difficulty, time and points, from the sources."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

HEADING = re.compile(
    r"^## Exercise (?P<number>[\d.]+): (?P<title>.+)\n\n"
    r"\*Difficulty (?P<difficulty>[123]) of 3 · (?P<minutes>\d+) minutes · (?P<points>\d+) points"
    r" · trains: (?P<trains>[^*]+)\*",
    re.M,
)


def exercises_of(path: Path) -> list[dict[str, str]]:
    """The exercises of a student notebook. Raises ExtensionError where one lacks its line of facts."""
    notebook = nbformat.read(path, 4)
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    found = [match.groupdict() for match in HEADING.finditer(text)]
    if len(found) != len(re.findall(r"^## Exercise", text, re.M)) or not found:
        raise ExtensionError(
            f"{path.name}: an exercise lacks its difficulty, time, points or purpose"
        )
    return found


class CourseExercises(SphinxDirective):
    """One table a chapter, with links that open the notebook, the chapter and the solutions."""

    def run(self) -> list[nodes.Node]:
        options = self.config.html_theme_options
        address, branch = options["repository_url"].rstrip("/"), options["repository_branch"]
        repository = address.removeprefix("https://github.com/")
        colab = options["launch_buttons"]["colab_url"]
        lines = []
        for path in sorted(Path(self.env.srcdir, "exercises", "student").glob("*.ipynb")):
            self.env.note_dependency(str(path))
            found = exercises_of(path)
            chapter = nbformat.read(Path(self.env.srcdir, "notebooks", path.name), 4)
            title = chapter.cells[0].source.partition("\n")[0].removeprefix("# ")
            minutes = sum(int(exercise["minutes"]) for exercise in found)
            points = sum(int(exercise["points"]) for exercise in found)
            lines += [
                f"### [{title}](../notebooks/{path.name})",
                "",
                f"{len(found)} exercises, {minutes} minutes, {points} points. "
                f"[Open in Colab]({colab}/github/{repository}/blob/{branch}/exercises/student/{path.name}) · "
                f"[solutions]({address}/blob/{branch}/exercises/solutions/{path.name})",
                "",
                "| exercise | difficulty | minutes | points | trains |",
                "|---|---|---|---|---|",
            ]
            lines += [
                f"| {e['number']} {e['title']} | {e['difficulty']} of 3 | {e['minutes']} | {e['points']} "
                f"| {' '.join(e['trains'].split())} |"
                for e in found
            ]
            lines.append("")
        node = nodes.section()
        self.state.nested_parse(StringList(lines, "exercises"), 0, node, match_titles=True)
        return node.children


def setup(app: Sphinx) -> dict:
    app.add_directive("course-exercises", CourseExercises)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

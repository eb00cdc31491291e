"""What comes out: the CSV of all points, and a page of feedback for each student.

Neither holds anything that the student's code has printed, nor anything of a hidden test but its known
messages.
"""

from __future__ import annotations

import csv
import html
import os
import shutil
from pathlib import Path

from whichlayer_grading import GradeError
from whichlayer_grading.course import Assignment
from whichlayer_grading.results import GRADED, PERSON, Graded, Row

COLUMNS = [
    "student", "exercise", "name", "points", "max_points", "status", "message", "manual_points",
    "answer", "file",
]  # fmt: skip
STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc}
pre{background:#f5f5f5;padding:.7rem;overflow-x:auto;white-space:pre-wrap}"""


def read_manual(path: Path) -> dict[tuple[str, str], tuple[float, str]]:
    """Points that a person wrote into the column manual_points of an earlier CSV.

    Returns:
        (points, fingerprint of the answer they were given to), by (student, exercise).
    """
    if not path.is_file():
        return {}
    found = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                text = (row.get("manual_points") or "").strip().replace(",", ".")
                if text:
                    points = float(text)
                    found[row["student"], row["exercise"]] = (points, row.get("answer") or "")
    except (OSError, UnicodeDecodeError, csv.Error, ValueError, KeyError) as error:
        raise GradeError(
            f"{path} is there already, and its column manual_points can't be read ({error}). Mend it, or "
            "name another file with --out."
        ) from None
    return found


def apply_manual(rows: list[Row], manual: dict[tuple[str, str], tuple[float, str]]) -> list[str]:
    """Give rows the points that a person wrote down. Returns what couldn't be given, in words."""
    lost = dict(manual)
    for row in rows:
        given = lost.pop((_cell(row.student), row.number), None)
        if given is None:
            continue
        points, fingerprint = given
        if fingerprint != row.fingerprint:
            row.message = (
                f"A person gave {points:g} points to an earlier answer; this is another. {row.message}"
            ).strip()
            if row.status != GRADED:
                row.status = PERSON
            continue
        row.points, row.manual, row.status = points, points, GRADED
    return [
        f"{student}, exercise {number}: {points:g} points given by a person"
        for (student, number), (points, _) in lost.items()
    ]


def write_csv(path: Path, rows: list[Row], *, keep_earlier: bool = False) -> Path | None:
    """Write a row per student and exercise. Returns where the earlier file was put, if it was kept."""
    path.parent.mkdir(parents=True, exist_ok=True)
    earlier = None
    if keep_earlier and path.is_file():
        earlier = path.with_name(f"{path.stem}.earlier{path.suffix}")
        shutil.copy2(path, earlier)
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow(
                [
                    _cell(row.student),
                    row.number,
                    row.name,
                    _number(row.points),
                    _number(row.max_points),
                    row.status,
                    _cell(row.message),
                    _number(row.manual),
                    row.fingerprint,
                    _cell(row.file),
                ]
            )
    os.replace(part, path)
    return earlier


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    text = " ".join(text.split())
    return "'" + text if text[:1] in ("=", "+", "-", "@") else text


def write_feedback(folder: Path, graded: Graded, assignment: Assignment) -> Path:
    """Write a student's page: points, messages and their own answers."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{graded.submission.id}.html"
    escape = html.escape
    rows = graded.rows
    lines = [
        "<!doctype html>", '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{escape(assignment.name)}: {escape(graded.submission.student)}</title>",
        f"<style>{STYLE}</style></head><body>", f"<h1>{escape(assignment.name)}</h1>",
        f"<p>{escape(graded.submission.student)} &middot; {escape(graded.submission.file)}</p>",
        f"<p><strong>{_total(rows)}</strong></p>",
        "<table><thead><tr><th>Exercise</th><th>Points</th><th>Status</th><th>What to look at</th></tr>"
        "</thead><tbody>",
    ]  # fmt: skip
    for row in rows:
        points = f"{_number(row.points)} of" if row.points is not None else "not yet, of"
        lines.append(
            f"<tr><td>{row.number} {escape(row.name)}</td><td>{points} {_number(row.max_points)}</td>"
            f"<td>{escape(row.status)}</td><td>{escape(row.message)}</td></tr>"
        )
    lines.append("</tbody></table>")
    for row in rows:
        if row.answer:
            lines += [f"<h2>{row.number} {escape(row.name)}: your answer</h2>"]
            lines += [f"<pre>{escape(row.answer)}</pre>"]
    lines.append("</body></html>\n")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _total(rows: list[Row]) -> str:
    points = sum(row.points or 0 for row in rows)
    total = sum(row.max_points for row in rows)
    open_rows = [row.number for row in rows if row.points is None]
    text = f"{points:g} of {total:g} points"
    return f"{text}, without {', '.join(open_rows)}" if open_rows else text


def summary(graded: Graded) -> str:
    """One line for the terminal."""
    statuses = [
        f"{row.number} {row.status}" for row in graded.rows if row.status not in (GRADED, PERSON)
    ]
    essays = [row.number for row in graded.rows if row.status == PERSON]
    if essays:
        statuses.append(f"{', '.join(essays)} {PERSON}")
    detail = f" ({'; '.join(statuses)})" if statuses else ""
    return f"{graded.submission.student}: {_total(graded.rows)}{detail}"

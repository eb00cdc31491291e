"""From a folder or a zip to one notebook a student: whose it is, and which file counts.

Whose a file is: what the mapping CSV says; else, where every notebook lies in a folder of its own student
(as a learning platform exports them), the folder's name; else the file's name without what a browser or
Colab added ("Copy of ", " (1)"). Nothing is unpacked: a zip is read in place.
"""

from __future__ import annotations

import csv
import re
import zipfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from whichlayer_grading import GradeError

# An executed notebook of this course has less than 1 MB.
LARGEST = 50_000_000
COPY_OF = re.compile(r"^(?:copy of|copie de|kopie von|copia de)\s+", re.I)
COPY_NUMBER = re.compile(
    r"(?:\s*\((\d+)\)|\s+-\s+copy|_copy|-copy(\d+)|\s+copy(?:\s+(\d+))?)$", re.I
)
UNSAFE = re.compile(r"[^\w.@-]+")


@dataclass
class Submission:
    """What one student handed in.

    Attributes:
        student: the name that the CSV shows.
        id: the same, safe as a folder's name.
        file: where the notebook was found, within the folder or zip.
        content: the notebook's bytes; None if there is nothing to run.
        problem: why there is nothing to run.
        notes: what a person should know about the choice of the file.
    """

    student: str
    id: str
    file: str
    content: bytes | None
    problem: str = ""
    notes: list[str] = field(default_factory=list)


@dataclass
class Found:
    """A file among the submissions, not yet given to a student."""

    path: PurePosixPath
    time: float
    size: int
    read: object

    @property
    def is_notebook(self) -> bool:
        return self.path.suffix.lower() == ".ipynb"


def collect(source: Path, assignment: str, names: Path | None = None) -> list[Submission]:
    """The submissions of a folder, a zip or a single notebook, one a student, sorted by name.

    Raises:
        GradeError: there is nothing to grade, or the zip or the mapping can't be read.
    """
    files = sorted(_files(source), key=lambda found: str(found.path))
    files = [found for found in files if not _is_litter(found.path)]
    mapping = _mapping(names) if names else {}
    if not any(found.is_notebook for found in files) and not mapping:
        what = f"{len(files)} other file(s)" if files else "nothing"
        raise GradeError(f"There is no notebook (.ipynb) in {source}: it holds {what}.")
    by_folder = _one_folder_a_student(files)
    grouped: dict[str, list[Found]] = defaultdict(list)
    for found in files:
        student = _mapped(found.path, mapping) or _student(found.path, assignment, by_folder)
        grouped[student].append(found)
    submissions = [_choose(student, found) for student, found in grouped.items()]
    submissions += _missing(mapping, files, grouped, names)
    _make_ids(submissions)
    return sorted(submissions, key=lambda s: s.student.lower())


def _is_litter(path: PurePosixPath) -> bool:
    """Files that a system or Jupyter wrote, not the student."""
    return any(
        part.startswith(".") or part in ("__MACOSX", "Thumbs.db", "desktop.ini", "__pycache__")
        for part in path.parts
    )


def _files(source: Path) -> list[Found]:
    if source.is_dir():
        return [_file(path, source) for path in source.rglob("*") if path.is_file()]
    if not source.exists():
        raise GradeError(f"There is no file or folder {source}.")
    if source.suffix.lower() == ".ipynb":
        status = source.stat()
        return [
            Found(PurePosixPath(source.name), status.st_mtime, status.st_size, source.read_bytes)
        ]
    return _zipped(source)


def _file(path: Path, top: Path) -> Found:
    status, read = path.lstat(), path.read_bytes
    if any(part.is_symlink() for part in (path, *path.parents) if top in part.parents):

        def read():
            # It could point at another student's work, or anywhere.
            raise GradeError("the file is a link, and links aren't followed")

    place = PurePosixPath(path.relative_to(top).as_posix())
    return Found(place, status.st_mtime, status.st_size, read)


def _zipped(source: Path) -> list[Found]:
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, OSError) as error:
        raise GradeError(
            f"{source} can't be read as a zip ({error}). Download it again, or unpack it and name the "
            "folder."
        ) from None
    found = []
    for info in archive.infolist():
        if info.is_dir():
            continue
        time = sum(part * unit for part, unit in zip(info.date_time, _UNITS, strict=True))

        def read(info=info):
            try:
                return archive.read(info)
            except (
                zipfile.BadZipFile,
                RuntimeError,
                NotImplementedError,
                OSError,
                EOFError,
            ) as error:
                raise GradeError(f"{info.filename} can't be read from the zip: {error}") from None
            except Exception as error:  # zlib.error has no common base with the others
                raise GradeError(f"{info.filename} is damaged in the zip: {error}") from None

        parts = PurePosixPath(info.filename.replace("\\", "/")).parts
        path = PurePosixPath(*[part for part in parts if part not in ("..", ".", "/")])
        found.append(Found(path, time, info.file_size, read))
    return found


# Only the order of two dates counts.
_UNITS = (12 * 31 * 86400, 31 * 86400, 86400, 3600, 60, 1)


def _mapping(path: Path) -> dict[str, str]:
    """The mapping CSV: file (its name or its path) to student."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise GradeError(f"The mapping {path} can't be read: {error}") from None
    if rows and not {"file", "student"} <= set(rows[0]):
        raise GradeError(
            f"The mapping {path} needs the columns `file` and `student`; it has {', '.join(rows[0])}."
        )
    mapping: dict[str, str] = {}
    for row in rows:
        file, student = (row["file"] or "").strip(), (row["student"] or "").strip()
        if not file or not student:
            continue
        if mapping.get(file, student) != student:
            raise GradeError(
                f"The mapping {path} gives {file} to {mapping[file]} and to {student}."
            )
        mapping[file] = student
    if not mapping:
        raise GradeError(f"The mapping {path} names no file.")
    return mapping


def _mapped(path: PurePosixPath, mapping: dict[str, str]) -> str | None:
    keys = (str(path), path.name, path.stem, path.parts[0])
    return next((mapping[key] for key in keys if key in mapping), None)


def _missing(mapping, files, grouped, names) -> list[Submission]:
    """The students of the mapping whose file isn't there: they get their rows too."""
    missing = {student: file for file, student in mapping.items() if student not in grouped}
    return [
        Submission(student, "", file, None, f"{file}, which {names.name} names, isn't there")
        for student, file in missing.items()
    ]


def _one_folder_a_student(files: list[Found]) -> int | None:
    """How deep the students' folders are, or None if the notebooks lie side by side."""
    notebooks = [found.path for found in files if found.is_notebook]
    if not notebooks:
        return None
    depth = 0
    # A zip often holds one folder that holds everything.
    while all(len(p.parts) > depth + 1 for p in notebooks) and len(notebooks) > 1:
        if len({p.parts[depth] for p in notebooks}) > 1:
            return depth
        depth += 1
    return None


def _student(path: PurePosixPath, assignment: str, folder_depth: int | None) -> str:
    if folder_depth is not None and len(path.parts) > folder_depth + 1:
        # As Moodle writes it: "Ada Lovelace_12345_assignsubmission_file_"
        return re.sub(r"_\d+_assignsubmission_\w+$", "", path.parts[folder_depth])
    stem = without_copy_marks(path.stem)
    # "ada_02_extracting_hidden_states" is Ada's.
    without = re.sub(rf"[\s_-]*{re.escape(assignment)}[\s_-]*", "", stem)
    return without or stem


def without_copy_marks(stem: str) -> str:
    """A file's name without "Copy of " and " (1)", however many there are."""
    while (shorter := COPY_NUMBER.sub("", COPY_OF.sub("", stem))) not in (stem, ""):
        stem = shorter
    return stem.strip()


def _copy_number(path: PurePosixPath) -> int:
    match = COPY_NUMBER.search(path.stem)
    return int(next((g for g in match.groups() if g), 1)) if match else 0


def _choose(student: str, files: list[Found]) -> Submission:
    """Of a student's notebooks, the one with the highest copy number; of those, the newest."""
    notebooks = [found for found in files if found.is_notebook]
    if not notebooks:
        listed = ", ".join(str(found.path) for found in files)
        return Submission(student, "", str(files[0].path), None, f"not a notebook: {listed}")
    ordered = sorted(notebooks, key=lambda f: (_copy_number(f.path), f.time, str(f.path)))
    chosen = ordered[-1]
    submission = Submission(student, "", str(chosen.path), None)
    if len(ordered) > 1:
        others = ", ".join(str(found.path) for found in ordered[:-1])
        submission.notes.append(
            f"{len(ordered)} notebooks: {chosen.path} counts (the highest copy number, then the newest), "
            f"not {others}; if they are of several students, say so with --names"
        )
    if chosen.size > LARGEST:
        submission.problem = (
            f"the file has {chosen.size // 1_000_000} MB; a notebook here has less than 50"
        )
        return submission
    try:
        submission.content = chosen.read()
    except (GradeError, OSError) as error:
        submission.problem = str(error)
    return submission


def _make_ids(submissions: list[Submission]) -> None:
    """Names of folders: safe, and no two the same, not even where case doesn't count."""
    taken: set[str] = set()
    for submission in sorted(submissions, key=lambda s: s.student):
        base = UNSAFE.sub("_", submission.student).strip("._-")[:80] or "student"
        id, count = base, 1
        while id.lower() in taken:
            count += 1
            id = f"{base}-{count}"
        taken.add(id.lower())
        submission.id = id

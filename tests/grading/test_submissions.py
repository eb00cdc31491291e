"""Whose a notebook is, which of several counts, and what is said about files that are none."""

import os
import zipfile

import pytest

from whichlayer_grading import GradeError, submissions

NAME = "02_extracting_hidden_states"


def put(folder, *names, data=b"{}"):
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    return folder


def chosen(folder, names=None):
    return {s.student: s.file for s in submissions.collect(folder, NAME, names)}


@pytest.mark.parametrize(
    ("file", "student"),
    [
        ("ada.ipynb", "ada"),
        ("ada lovelace.ipynb", "ada lovelace"),
        ("ps1 (1).ipynb", "ps1"),
        ("ps1 (1) (2).ipynb", "ps1"),
        ("Copy of ada.ipynb", "ada"),
        ("Kopie von ada (3).ipynb", "ada"),
        ("ada - Copy.ipynb", "ada"),
        ("ada-Copy1.ipynb", "ada"),
        (f"{NAME}_ada.ipynb", "ada"),
        (f"ada-{NAME} (1).ipynb", "ada"),
        (f"Copy of {NAME}.ipynb", NAME),
        ("Zoë Müller.IPYNB", "Zoë Müller"),
    ],
)
def test_the_name_comes_from_the_file(tmp_path, file, student):
    assert chosen(put(tmp_path, file)) == {student: file}


def test_a_folder_for_each_student_names_them(tmp_path):
    put(
        tmp_path,
        "ada/ps1.ipynb",
        "Bea Brown_1234_assignsubmission_file_/ps1.ipynb",
        "cem/x/ps1.ipynb",
    )
    assert set(chosen(tmp_path)) == {"ada", "Bea Brown", "cem"}


def test_a_zip_is_read_in_place_with_its_outer_folder(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("class/ada.ipynb", "class/bea (1).ipynb", "__MACOSX/class/._ada.ipynb"):
            archive.writestr(name, "{}")
        archive.writestr("../../outside.ipynb", "{}")
    found = submissions.collect(tmp_path / "all.zip", NAME)
    assert {s.student for s in found} == {"ada", "bea", "outside"}
    assert all(s.content == b"{}" and "/" not in s.id for s in found)
    assert [path.name for path in tmp_path.rglob("*")] == ["all.zip"]


def test_litter_is_left_out(tmp_path):
    put(tmp_path, "ada.ipynb", ".ipynb_checkpoints/ada-checkpoint.ipynb", ".DS_Store")
    assert set(chosen(tmp_path)) == {"ada"}


def test_of_two_notebooks_the_higher_copy_number_counts_and_is_named(tmp_path):
    put(tmp_path, "ps1 (2).ipynb", "ps1.ipynb", "ps1 (1).ipynb")
    (found,) = submissions.collect(tmp_path, NAME)
    assert found.file == "ps1 (2).ipynb"
    assert all(word in found.notes[0] for word in ("ps1.ipynb", "ps1 (1).ipynb", "--names"))


def test_of_two_notebooks_in_a_students_folder_the_newest_counts(tmp_path):
    put(tmp_path, "ada/b.ipynb", "ada/a.ipynb", "bea/a.ipynb")
    assert chosen(tmp_path)["ada"] == os.path.join("ada", "a.ipynb")


def test_a_mapping_names_students(tmp_path):
    put(tmp_path / "in", "ps1.ipynb", "ps1 (1).ipynb", "other.ipynb")
    names = tmp_path / "names.csv"
    names.write_text("file,student\nps1.ipynb,Ada\nps1 (1).ipynb,Bea\nlate.ipynb,Cem\n")
    found = {s.student: s for s in submissions.collect(tmp_path / "in", NAME, names)}
    assert set(found) == {"Ada", "Bea", "other", "Cem"}
    assert found["Cem"].content is None and "isn't there" in found["Cem"].problem


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "columns `file` and `student`"),
        ("file,student\n", "names no file"),
        ("file,student\na,Ada\na,Bea\n", "Ada and to Bea"),
    ],
)
def test_a_bad_mapping_is_refused(tmp_path, text, says):
    put(tmp_path / "in", "a.ipynb")
    (tmp_path / "names.csv").write_text(text)
    with pytest.raises(GradeError, match=says):
        submissions.collect(tmp_path / "in", NAME, tmp_path / "names.csv")


def test_other_files_of_a_student_are_not_lost(tmp_path):
    put(tmp_path, "ada.ipynb", "bea.pdf", "cem.py")
    found = {s.student: s for s in submissions.collect(tmp_path, NAME)}
    assert "not a notebook" in found["bea"].problem and "cem.py" in found["cem"].problem


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: folder, "no notebook .* nothing"),
        (lambda folder: put(folder, "a.pdf"), "no notebook .* 1 other"),
        (lambda folder: folder / "missing", "no file or folder"),
        (
            lambda folder: put(folder, "x.zip", data=b"PK broken") / "x.zip",
            "can't be read as a zip",
        ),
    ],
)
def test_nothing_to_grade_is_said_once(tmp_path, make, says):
    with pytest.raises(GradeError, match=says):
        submissions.collect(make(tmp_path), NAME)


def test_a_damaged_file_in_a_zip_is_one_students_problem(tmp_path):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ada.ipynb", "{}" * 50)
        archive.writestr("bea.ipynb", "{}")
    path.write_bytes(path.read_bytes().replace(b"{}" * 50, b"[]" * 50))
    found = {s.student: s for s in submissions.collect(path, NAME)}
    assert found["bea"].content and not found["ada"].content and "zip" in found["ada"].problem


def test_links_are_not_followed(tmp_path):
    secret = put(tmp_path / "secret", "bea.ipynb")
    folder = put(tmp_path / "in", "ada.ipynb")
    (folder / "eve.ipynb").symlink_to(secret / "bea.ipynb")
    (folder / "more").symlink_to(secret)
    found = {s.student: s for s in submissions.collect(folder, NAME)}
    assert set(found) == {"ada", "eve"}
    assert found["eve"].content is None and "link" in found["eve"].problem


def test_ids_are_safe_folder_names_and_differ(tmp_path):
    names = ["a b.ipynb", "a_b.ipynb", "A_B.ipynb", "...ipynb", "=1+1.ipynb", "ü.ipynb"]
    found = submissions.collect(put(tmp_path, *names), NAME)
    ids = [s.id.lower() for s in found]
    assert len(set(ids)) == len(ids) == len([n for n in names if not n.startswith(".")])
    assert all(id and id[0] not in ".-" and "/" not in id and " " not in id for id in ids)


def test_too_large_a_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "LARGEST", 10)
    (found,) = submissions.collect(put(tmp_path, "ada.ipynb", data=b"x" * 11), NAME)
    assert found.content is None and "MB" in found.problem

"""What is recorded was made by the code, from the data, that are here; nothing was typed in."""

import json

import pytest
import record


@pytest.mark.parametrize("name", record.RECORDS)
def test_a_record_is_up_to_date(name):
    assert record.faults(name) == [], f"python build_tools/record.py {name}"


def test_nothing_stands_recorded_that_nobody_makes():
    assert set(record.recorded()) == set(record.RECORDS)


CODE = '''"""What it does."""
import numpy  # the arrays


def f(x):
    """Returns: "x", 'é'."""
    # why
    return "# no comment é" + x  # é
'''


def test_code_is_what_decides_and_nothing_else(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(CODE, encoding="utf-8")
    code = record.code_of(path)
    assert code == 'importnumpydeff(x):return"#nocommenté"+x'
    path.write_text(
        CODE.replace("What it does", "Other words").replace("# why", "# because"), "utf-8"
    )
    assert record.code_of(path) == code
    path.write_text(CODE.replace("+ x", "+ 2 * x"), encoding="utf-8")
    assert record.code_of(path) != code


def test_the_makers_are_found_through_other_modules():
    recorder = record.ROOT / "build_tools" / "record_ewt_profiles.py"
    names = {path.relative_to(record.ROOT).as_posix() for path in record.makers(recorder)}
    assert {"build_tools/record_ewt_profiles.py", "whichlayer/probing.py"} <= names
    assert "whichlayer/storage.py" in names, "imported by what is imported"
    assert not any(name.startswith(("whichlayer/checks", "tests")) for name in names)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A record of its own, in a project of its own."""
    (tmp_path / "build_tools").mkdir()
    recorder = tmp_path / "build_tools" / "record_small.py"
    recorder.write_text("def record(target):\n    target.write_text('1')\n")
    (tmp_path / "data.txt").write_text("data")
    one = record.Record(
        "one", "record_small", tmp_path / "one.csv", (), (tmp_path / "data.txt",), 1
    )
    monkeypatch.setattr(record, "ROOT", tmp_path)
    monkeypatch.setattr(record, "MANIFEST", tmp_path / "records.json")
    monkeypatch.setattr(record, "RECORDS", {"small": one})
    monkeypatch.syspath_prepend(str(recorder.parent))
    return tmp_path


def test_a_change_of_code_data_or_file_is_told_apart(small):
    assert record.faults("small") == ["it was never made"]
    record.make("small")
    assert record.faults("small") == []
    (small / "one.csv").write_text("2")
    assert record.faults("small") == ["the file isn't the one that was recorded"]
    (small / "one.csv").write_text("1")
    (small / "data.txt").write_text("other data")
    assert record.faults("small") == ["the data that it was measured on has changed"]
    (small / "data.txt").write_text("data")
    (small / "build_tools" / "record_small.py").write_text("def record(target):\n    pass\n")
    assert record.faults("small") == ["the code that made it has changed"]


def test_records_of_one_command_leave_others_alone(small):
    (small / "records.json").write_text(json.dumps({"other": {"code": "x"}}))
    record.make("small")
    assert record.recorded()["other"] == {"code": "x"}

"""What is made for the live page when the site is built, and what the page says of it."""

import json
import re
from pathlib import Path

import build_live
import numpy as np
import pytest

PAGE = Path(__file__).parents[2] / "book" / "live" / "index.md"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return build_live.make_model(tmp_path_factory.mktemp("live") / "made")


def refuse():
    raise AssertionError("packed again")


def test_the_model_is_made_once_and_anew_when_a_file_is_damaged(made, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(build_live, "pack_minilm", refuse)
        build_live.make_model(made)
    manifest = json.loads((made / "manifest.json").read_text())
    file = made / manifest["neighbours"]["file"]
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    build_live.make_model(made)
    assert file.read_bytes() == whole


def test_a_files_name_holds_its_sum(made):
    manifest = json.loads((made / "manifest.json").read_text())
    for about in (manifest["model"], *manifest["examples"], manifest["neighbours"]):
        content = (made / about["file"]).read_bytes()
        assert build_live.sum_of(content) == about["sha256"] and len(content) == about["bytes"]
        assert about["sha256"][:16] in about["file"]


def test_rows_keep_their_numbers():
    rows = np.random.default_rng(0).normal(size=(5, 12)).astype(np.float32)
    for kind, error in ((np.int8, 2e-2), (np.int16, 1e-4)):
        back = build_live.from_rows(build_live.to_rows(rows, kind), 12, kind)
        assert np.abs(back - rows).max() < error


def test_every_number_of_the_text_is_measured_and_none_for_nothing(made):
    facts = build_live.facts(made)
    assert set(re.findall(r'data-live="(\w+)"', PAGE.read_text(encoding="utf-8"))) == set(facts)
    assert all(facts.values())
    # What the text says in words: six blocks, and the sentence's own word coming nearer.
    assert facts["blocks"] == "6"
    assert (facts["near_0"], facts["near_1"]) == ("river", "money")
    for which in "01":
        assert float(facts[f"near_{which}_last"]) > float(facts[f"near_{which}_0"]) + 0.1
    assert float(facts["bank_0"]) > float(facts["bank_last"])
    # Two sentences about the same bank pull its vectors less far apart.
    assert float(facts["same_bank_last"]) > float(facts["bank_last"]) + 0.05
    assert float(facts["within_0"]) < float(facts["within_last"])


def test_a_page_is_filled_in_and_may_be_filled_in_again():
    page = 'x <span data-live="a"></span> <!-- recorded --><!-- end of recorded -->'
    once = build_live.fill_in(page, {"a": "1 < 2"}, "<table></table>")
    assert '<span data-live="a">1 &lt; 2</span>' in once and "<table></table>" in once
    assert build_live.fill_in(once, {"a": "1 < 2"}, "<table></table>") == once
    assert "3" in build_live.fill_in(once, {"a": "3"}, "")


def test_a_site_without_the_page_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(build_live, "pack_minilm", refuse)
    build_live.build_live(tmp_path)
    assert not list(tmp_path.iterdir())

"""Place and progress, settings, and a chapter under hard conditions."""

import re

import build_site
import pytest
import yaml
from parsed import soup

CHAPTERS = [page for page in build_site.pages_of_contents() if page.startswith("notebooks/")]
CHAPTER = f"{CHAPTERS[1]}.html"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_has_objectives_time_take_aways_quiz_and_exercises(site, chapter):
    page = soup(site, chapter)
    text = page.select_one("article").get_text(" ")
    assert "After this chapter you can" in text
    stated = int(re.search(r"Time:\s+(\d+) minutes", text)[1])
    headings = [h2.get_text().rstrip("#") for h2 in page.select("article h2")]
    assert headings[-4:] == ["Take-aways", "Quiz", "Exercises", "Further reading"]
    place = page.select_one(".reading-place").get_text()
    assert place == f"{len(headings)} sections · about {stated} minutes"


def test_previous_and_next_say_the_question_they_answer(site):
    for number, chapter in enumerate(CHAPTERS):
        page = soup(site, chapter)
        sides = ["a.left-prev", "a.right-next"] if number < len(CHAPTERS) - 1 else ["a.left-prev"]
        for side in sides:
            assert page.select_one(f"{side} .question").get_text().endswith("?"), chapter


def test_the_first_page_names_the_same_questions_and_times(site):
    rows = {
        row.find("a")["href"].split("#")[0]: [
            cell.get_text().strip() for cell in row.find_all("td")
        ]
        for row in soup(site, "book/intro").select("table tr")
        if row.find("a", class_="reference")
    }
    pages = yaml.safe_load((build_site.ROOT / "book" / "pages.yml").read_text(encoding="utf-8"))
    for chapter in CHAPTERS:
        _, question, time = rows[f"../{chapter}.html"]
        assert question == pages[chapter]["question"]
        place = soup(site, chapter).select_one(".reading-place").get_text()
        assert place.endswith(f"about {time.removesuffix(' min')} minutes")


def test_the_place_follows_the_reader(open_page):
    page = open_page(CHAPTER)
    place = page.locator(".reading-place")
    total = page.locator("article section section > h2").count()
    assert place.inner_text().startswith(f"{total} sections")
    left = []
    for number in (3, total - 4):
        page.locator("article section section > h2").nth(number - 1).scroll_into_view_if_needed()
        page.evaluate(
            "n => document.querySelectorAll('article section section > h2')[n].scrollIntoView()",
            number - 1,
        )
        page.wait_for_function(
            "text => document.querySelector('.reading-place').textContent.startsWith(text)",
            arg=f"Section {number} of {total}",
        )
        left.append(int(re.search(r"about (\d+) minutes left", place.inner_text())[1]))
    assert left[0] > left[1] > 0
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_function(
        "() => document.querySelector('.reading-place').textContent.endsWith('read to the end')"
    )


def open_settings(page):
    page.locator(".reading-settings summary").click()


def test_what_was_read_is_kept_on_this_device_and_can_be_forgotten(open_page, address):
    page = open_page(CHAPTER)
    open_settings(page)
    assert not page.locator(".reading-forget").is_visible()
    page.locator(".reading-mark").click()
    assert page.locator(".reading-status").inner_text() == "Marked as read."
    page.goto(address + f"{CHAPTERS[2]}.html")
    read = page.locator(".bd-links a:has(.read-mark)")
    assert read.count() == 1 and "Extracting hidden states" in read.inner_text()
    assert read.inner_text().endswith("(read)")
    open_settings(page)
    page.locator(".reading-forget").click()
    assert page.locator(".read-mark").count() == 0
    page.reload()
    assert page.locator(".read-mark").count() == 0


def test_links_to_other_chapters_can_be_hidden(open_page, address):
    page = open_page("notebooks/04_probing_code.html")
    link = page.locator("article p > a", has_text="chapter 2").first
    assert link.get_attribute("href")
    open_settings(page)
    page.locator(".reading-links").uncheck()
    assert link.get_attribute("href") is None and link.is_visible()
    page.goto(address + "notebooks/04_probing_code.html")
    assert page.locator("article p > a", has_text="chapter 2").first.get_attribute("href") is None
    # next and previous stay
    assert page.locator(".prev-next-area a[href]").count() == 2
    open_settings(page)
    page.locator(".reading-links").check()
    assert page.locator("article p > a", has_text="chapter 2").first.get_attribute("href")


def test_the_settings_work_by_keyboard(open_page):
    page = open_page(CHAPTER)
    page.locator(".reading-settings summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.locator(".reading-settings input[value=intermediate]").is_checked()
    page.keyboard.press("Escape")
    assert not page.locator(".reading-settings-body").is_visible()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_where_storage_is_forbidden_everything_else_works(watched, address):
    with watched() as page:
        page.add_init_script(
            "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } })"
        )
        page.goto(address + CHAPTER)
        page.locator(".reading-settings summary").click()
        page.locator(".reading-settings input[value=off]").check()
        assert page.locator("a.term:any-link").count() == 0


def last_words(page):
    return page.locator("#further-reading").inner_text()


def test_without_javascript_a_chapter_can_be_read_to_its_end(open_page):
    page = open_page(CHAPTER, java_script_enabled=False)
    assert "Devlin et al. 2019" in last_words(page)
    assert (
        page.locator(".cell_output img").first.is_visible()
        or page.locator("table").first.is_visible()
    )
    assert page.locator(".reading-launch a", has_text="Colab").is_visible()
    # folded cells open without it, too
    page.locator("details.admonition summary, details.hide summary").first.click()


def test_with_the_network_cut_after_load_a_chapter_can_be_read_to_its_end(open_page):
    page = open_page(CHAPTER, until="networkidle")
    page.context.set_offline(True)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_timeout(300)
    assert "Devlin et al. 2019" in last_words(page)
    assert page.evaluate(
        "[...document.querySelectorAll('article img')].every(i => i.complete && i.naturalWidth > 0)"
    )
    form = page.locator("form.quiz-question").first
    form.locator(".quiz-check").click()
    assert form.locator(".quiz-result").inner_text()


def test_printed_a_chapter_is_whole(open_page):
    page = open_page(CHAPTER)
    page.emulate_media(media="print")
    assert not page.locator(".reading-bar").is_visible()
    assert "Devlin et al. 2019" in last_words(page)
    pdf = page.pdf(format="A4")
    # A cut-off print would have a page or two; this chapter has far more.
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 8


def test_formulas_are_mathml_that_can_be_copied(open_page):
    page = open_page("notebooks/05_inter_layer_similarity.html")
    formula = page.locator("math").last
    assert formula.get_attribute("alttext").startswith("\\lVert Y^\\top X")
    assert formula.locator("annotation[encoding='application/x-tex']").count() == 1
    assert formula.bounding_box()["height"] > 10
    assert page.evaluate(
        "[...document.scripts].every(script => !/mathjax|katex/i.test(script.src))"
    )


def test_figures_stand_on_white_and_undimmed_in_dark_mode(open_page):
    page = open_page("notebooks/05_inter_layer_similarity.html", color_scheme="dark")
    figure = page.locator(".cell_output img").first
    style = figure.evaluate(
        "i => { const s = getComputedStyle(i); return [s.filter, s.backgroundColor]; }"
    )
    assert style == ["none", "rgb(255, 255, 255)"]

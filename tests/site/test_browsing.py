"""Pages that share a context find nothing of each other's."""

LEAVE = """async () => {
    localStorage.left = sessionStorage.left = document.cookie = "left=1";
    await (await caches.open("left")).put("/left", new Response("left"));
    await new Promise((done) => { indexedDB.open("left").onsuccess = done; });
}"""
FIND = """async () => [
    localStorage.left, sessionStorage.left, document.cookie, await caches.keys(), (await indexedDB.databases()).length,
]"""


def test_what_one_page_keeps_the_next_does_not_find(watched, address):
    with watched() as page:
        page.goto(address + "book/setup.html")
        page.evaluate(LEAVE)
        assert page.evaluate(FIND) == ["left=1", "left=1", "left=1", ["left"], 1]
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        page.context.set_offline(True)
        first = page.context
    with watched() as page:
        assert page.context is first
        page.goto(address + "book/setup.html")
        assert page.evaluate(FIND) == [None, None, "", [], 0]
        ask = "matchMedia('(prefers-color-scheme: dark), (prefers-reduced-motion)').matches"
        assert page.evaluate(ask) is False
        assert page.viewport_size == {"width": 1280, "height": 900}


def test_a_page_with_wishes_of_its_own_is_alone(watched):
    with (
        watched() as page,
        watched(fresh=True) as fresh,
        watched(java_script_enabled=False) as plain,
    ):
        assert len({page.context, fresh.context, plain.context}) == 3

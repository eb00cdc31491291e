"""What axe finds on a page, asked for once: each rule where what it looks at may differ.

axe's rules fall into two. Those in OF_COLOURS compare colours, which differ between light and dark and
not with a page's width, and cost the most, since axe asks of every bit of text what lies behind it. All
others look at names, roles and order, which differ with the width, where scripts and styles show other
things, and with the theme only in what is shown in one of the two, such as an icon: see `remember`.
"""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT

# label-content-name-mismatch is off by default, and a real barrier for those who speak to their computer.
MORE = {"label-content-name-mismatch": {"enabled": True}}
OF_COLOURS = ("color-contrast", "link-in-text-block")
# Of what passed nothing is wanted; that is told in axe's default and takes half of its time.
QUICK = {"resultTypes": ["violations"], "preload": False}

# Marks what bears text of a kind that wasn't among `seen` and gives the kinds of all. A kind is all that
# decides whether text stands out: its element and classes, its colour, size and weight, whether it is
# underlined, its parent's colour (which a link must differ from), and what is painted behind it up to
# the first opaque ancestor. What is placed elsewhere may lie over something else and is a kind of its
# own each time, unless it brings its background with it.
KINDS = """([seen, mark]) => {
    const known = new Set(seen), found = [], behind = new Map();
    const clear = (colour) => colour === "transparent" || /^rgba\\(.*, 0\\)$/.test(colour);
    const below = (element) => {
        if (!element) return "";
        if (!behind.has(element)) {
            const style = getComputedStyle(element);
            let layer = style.opacity === "1" ? "" : `opacity ${style.opacity} `;
            if (style.backgroundImage !== "none") layer += style.backgroundImage;
            if (!clear(style.backgroundColor)) layer += style.backgroundColor;
            if (style.filter !== "none") layer += style.filter;
            const whole = layer === style.backgroundColor && layer.startsWith("rgb(");
            if (!whole && ["absolute", "fixed", "sticky"].includes(style.position)) layer += ` at ${behind.size}`;
            behind.set(element, whole ? layer : `${layer} ${below(element.parentElement)}`);
        }
        return behind.get(element);
    };
    for (const element of document.body.querySelectorAll("*")) {
        element.removeAttribute(mark);
        if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
            && !element.matches("input, textarea, select")) continue;
        if (!element.checkVisibility({ visibilityProperty: true })) continue;
        const style = getComputedStyle(element);
        const kind = [
            element.localName, element.className.baseVal ?? element.className, style.color, style.fontSize,
            style.fontWeight, style.textDecorationLine, style.textShadow, element.disabled ?? "",
            getComputedStyle(element.parentElement).color, below(element),
        ].join("|");
        if (known.has(kind) && !kind.includes(" at ")) continue;
        known.add(kind);
        found.push(kind);
        element.setAttribute(mark, "");
    }
    return found;
}"""
MARK = "data-text-of-a-new-kind"
ON_MARKED = [
    {"id": "color-contrast", "selector": f"[{MARK}]"},
    {"id": "link-in-text-block", "selector": f"a[href][{MARK}]"},
]
# Marks what is shown, or what is shown and wasn't when it was marked; gives how many.
SHOWN = """([before, mark]) => {
    const all = [...document.body.querySelectorAll("*")];
    const found = all.filter((one) =>
        one.checkVisibility({ visibilityProperty: true }) && (before === mark || !one.hasAttribute(before)));
    for (const one of all) one.removeAttribute(mark);
    for (const one of found) one.setAttribute(mark, "");
    return found.length;
}"""
REMEMBERED, NEW = "data-was-shown", "data-is-newly-shown"


def remember(page) -> int:
    """Remember what the page shows now; gives how many elements that are."""
    return page.evaluate(SHOWN, [REMEMBERED, REMEMBERED])


def of_everything(page, seen: set[str], context: str | None = None) -> list[str]:
    """What all rules find; of colours on text of kinds that aren't in `seen`, which learns them."""
    seen.update(page.evaluate(KINDS, [sorted(seen), MARK]))
    return _run(page, context, {"rules": MORE})


def of_colours(page, seen: set[str]) -> list[str]:
    """What the rules find that compare colours, on text of kinds that aren't in `seen`."""
    new = page.evaluate(KINDS, [sorted(seen), MARK])
    seen.update(new)
    return _run(page, None, {"runOnly": list(OF_COLOURS)}) if new else []


def of_structure(page, context: str | None = None) -> list[str]:
    """What all rules find that don't compare colours."""
    off = {rule: {"enabled": False} for rule in OF_COLOURS}
    return _run(page, context, {"rules": MORE | off})


def of_structure_of_what_is_new(page) -> list[str]:
    """The same, of the elements that are shown now and weren't when they were remembered."""
    new = page.evaluate(SHOWN, [REMEMBERED, NEW])
    return of_structure(page, f"[{NEW}]") if new else []


def _run(page, context, options) -> list[str]:
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_SCRIPT)
        page.evaluate("rules => axe.configure({ rules })", ON_MARKED)
    violations = page.evaluate(
        "async ([context, options]) => (await axe.run(context ?? document, options)).violations"
        ".map(({ id, nodes }) => [id, nodes.map((node) => node.html)])",
        [context, QUICK | options],
    )
    return [f"{rule}: {html[:200]}" for rule, nodes in violations for html in nodes]

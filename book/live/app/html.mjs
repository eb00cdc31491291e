// Elements from plain calls; text never becomes markup.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat());
  return made;
}

const isText = (cell) => cell instanceof HTMLTableCellElement && cell.classList.contains("live-text");

/**
 * A table in a box that scrolls by itself, with the keyboard too. The caption that is seen stands
 * outside the box, where it isn't cut.
 */
export function table(caption, head, rows, { highlighted = -1, name = "", wide = false } = {}) {
  const box = element("div", { class: "live-scroll", tabindex: "0", role: "region", "aria-label": name || caption },
    element("table", { class: "live-table" },
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, head.map((cell, i) =>
        element("th", { scope: "col", class: isText(rows[0]?.[i]) && "live-text" }, cell)))),
      element("tbody", {}, rows.map(([first, ...cells], i) =>
        element("tr", { class: i === highlighted && "live-here" },
          element("th", { scope: "row" }, first),
          cells.map((cell) => (cell instanceof HTMLTableCellElement ? cell : element("td", {}, cell))))))));
  return element("div", { class: wide ? "live-tabled live-wide" : "live-tabled" },
    element("p", { class: "live-caption", "aria-hidden": "true" }, caption),
    element("p", { class: "live-more", hidden: true }, "The table goes on to the right: scroll it sideways."),
    box);
}

/** Say of each table that is wider than its box that it goes on. */
export function markWide(root) {
  for (const box of root.querySelectorAll(".live-scroll")) {
    box.previousElementSibling.hidden = box.scrollWidth <= box.clientWidth + 1;
  }
}

export const two = (number) => {
  const rounded = number.toFixed(2);
  return rounded === "-0.00" ? "0.00" : rounded.replace("-", "−");
};
/** A share in whole percent; what isn't none or all isn't called so. */
export const percent = (share) => {
  if (share > 0 && share < 0.005) return "under 1%";
  if (share < 1 && share >= 0.995) return "over 99%";
  return `${(100 * share).toFixed(0)}%`;
};
export const unrelated = (mean) => `Two unrelated words are on average ${two(mean)} alike at this layer.`;

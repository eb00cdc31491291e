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

/** A table in a box that scrolls by itself, with the keyboard too. */
export function table(caption, head, rows, { highlighted = -1, name = "" } = {}) {
  return element("div", { class: "live-scroll", tabindex: "0", role: "region", "aria-label": name || caption },
    element("table", { class: "live-table" },
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, head.map((cell) => element("th", { scope: "col" }, cell)))),
      element("tbody", {}, rows.map(([first, ...cells], i) =>
        element("tr", { class: i === highlighted && "live-here" },
          element("th", { scope: "row" }, first),
          cells.map((cell) => (cell instanceof HTMLTableCellElement ? cell : element("td", {}, cell))))))));
}

export const two = (number) => {
  const rounded = number.toFixed(2);
  return rounded === "-0.00" ? "0.00" : rounded.replace("-", "−");
};
export const percent = (share) => `${(100 * share).toFixed(0)}%`;

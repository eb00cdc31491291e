// Shows a term's definition on hover, focus and first tap, for the levels that the reader chose.

// Who chooses "intermediate" doesn't need what only a beginner needs.
const LEVELS = ["beginner", "intermediate", "expert"];

const bubble = document.createElement("div");
bubble.id = "term-bubble";
bubble.className = "term-bubble";
// The definition is the term's description already; the bubble is for eyes.
bubble.setAttribute("aria-hidden", "true");
if (HTMLElement.prototype.hasOwnProperty("popover")) bubble.popover = "manual";
document.body.append(bubble);

let shown = null;
let closing = 0;

function explain(term) {
  clearTimeout(closing);
  if (shown === term) return;
  hide();
  const definition = document.getElementById(term.getAttribute("aria-describedby"));
  if (!definition) return;
  bubble.replaceChildren(...[...definition.childNodes].map((node) => node.cloneNode(true)));
  shown = term;
  if (bubble.popover) bubble.showPopover();
  bubble.classList.add("shown");
  place(term);
}

function place(term) {
  // The first of its boxes, where a term is broken over two lines.
  const box = term.getClientRects()[0];
  if (!box) return;
  const width = bubble.offsetWidth;
  const height = bubble.offsetHeight;
  const room = document.documentElement.clientWidth;
  bubble.style.left = `${Math.max(8, Math.min(box.left, room - width - 8))}px`;
  const above = box.top - height - 6;
  bubble.style.top = `${above > 60 ? above : box.bottom + 6}px`;
}

function hide() {
  clearTimeout(closing);
  if (!shown) return;
  shown = null;
  bubble.classList.remove("shown");
  if (bubble.popover) bubble.hidePopover();
}

function hideSoon() {
  // Time to move the pointer onto the definition, to read on or select it.
  clearTimeout(closing);
  closing = setTimeout(hide, 150);
}

let touched = false;
for (const term of document.querySelectorAll("a.term")) {
  term.dataset.href = term.getAttribute("href");
  term.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && active(term) && explain(term));
  term.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && hideSoon());
  term.addEventListener("focus", () => active(term) && !touched && explain(term));
  term.addEventListener("blur", hideSoon);
  term.addEventListener("pointerdown", (event) => (touched = event.pointerType === "touch"));
  term.addEventListener("click", (event) => {
    // The first tap explains, the second follows the link.
    if (touched && active(term) && shown !== term) {
      event.preventDefault();
      explain(term);
    }
    touched = false;
  });
}
bubble.addEventListener("pointerenter", () => clearTimeout(closing));
bubble.addEventListener("pointerleave", hideSoon);
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
document.addEventListener("pointerdown", (event) => {
  if (shown && !shown.contains(event.target) && !bubble.contains(event.target)) hide();
});
window.addEventListener("scroll", hide, { passive: true });
window.addEventListener("resize", hide);

const active = (term) => term.hasAttribute("aria-describedby");

/** Marks the terms that this level needs explained and makes plain text of the others. */
export function setLevel(level) {
  hide();
  const lowest = level === "off" ? LEVELS.length : LEVELS.indexOf(level);
  for (const term of document.querySelectorAll("a.term")) {
    if (LEVELS.indexOf(term.dataset.level) >= lowest) {
      term.setAttribute("href", term.dataset.href);
      term.setAttribute("aria-describedby", `explain-${term.dataset.term}`);
    } else {
      term.removeAttribute("href");
      term.removeAttribute("aria-describedby");
    }
  }
}

document.addEventListener("reading-level", (event) => setLevel(event.detail));
setLevel(document.documentElement.dataset.explain || "beginner");

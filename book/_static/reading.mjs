// Where the reader is on the page, what has been read on this device, and the reading settings.

const store = {
  // Storage may be forbidden; the settings then last as long as the page.
  get(key, otherwise) {
    try { return JSON.parse(localStorage.getItem(`which-layer-${key}`)) ?? otherwise; } catch { return otherwise; }
  },
  set(key, value) {
    try { localStorage.setItem(`which-layer-${key}`, JSON.stringify(value)); } catch { /* as above */ }
  },
  forget(key) {
    try { localStorage.removeItem(`which-layer-${key}`); } catch { /* as above */ }
  },
};

const bar = document.querySelector(".reading-bar");
const page = bar.dataset.page;

// ---- place

const minutes = JSON.parse(bar.dataset.minutes);
const sections = [...bar.parentElement.children].filter((child) => child.tagName === "SECTION");
const place = bar.querySelector(".reading-place");

function say() {
  if (sections.length < 2) return;
  const edge = bar.getBoundingClientRect().bottom + 40;
  const current = sections.filter((section) => section.getBoundingClientRect().top < edge).length;
  const ended = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  let left = 0;
  if (!ended) {
    const here = sections[current - 1];
    const box = here?.getBoundingClientRect();
    const unread = box ? Math.min(1, Math.max(0, (box.bottom - edge) / box.height)) : 1;
    const rest = minutes.sections.slice(current).reduce((sum, value) => sum + value, 0);
    left = rest + (here ? minutes.sections[current - 1] * unread : minutes.before);
  }
  const where = current ? `Section ${current} of ${sections.length}` : `${sections.length} sections`;
  const rounded = Math.ceil(left);
  const remains = rounded > 1 ? `about ${rounded} minutes left` : rounded === 1 ? "about a minute left" : "read to the end";
  const text = current ? `${where} · ${remains}` : `${where} · about ${minutes.total} minutes`;
  if (place.textContent !== text) place.textContent = text;
}

let waiting = false;
addEventListener("scroll", () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; say(); });
}, { passive: true });
addEventListener("resize", say);
say();

// ---- settings

const settings = document.createElement("details");
settings.className = "reading-settings";
settings.innerHTML = `
  <summary>Reading settings</summary>
  <div class="reading-settings-body">
    <fieldset class="reading-explain">
      <legend>Explain terms for</legend>
      ${[["beginner", "beginner"], ["intermediate", "intermediate"], ["expert", "expert"], ["off", "nobody (off)"]]
        .map(([value, text]) => `<label><input type="radio" name="reading-explain" value="${value}"> ${text}</label>`).join("")}
    </fieldset>
    <label><input type="checkbox" class="reading-links"> Links to other chapters</label>
    <p class="reading-read"><button type="button" class="reading-mark" aria-pressed="false">Mark this chapter as read</button>
      <button type="button" class="reading-forget">Forget what I have read</button></p>
    <p class="reading-note">Kept on this device only.</p>
    <p class="reading-status visually-hidden" role="status"></p>
  </div>`;
bar.querySelector(".reading-settings-place").replaceWith(settings);
settings.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && settings.open) {
    settings.open = false;
    settings.querySelector("summary").focus();
  }
});
document.addEventListener("pointerdown", (event) => {
  if (!settings.contains(event.target)) settings.open = false;
});
const status = settings.querySelector(".reading-status");

const level = store.get("explain", "beginner");
document.documentElement.dataset.explain = level;
for (const radio of settings.querySelectorAll("input[type=radio]")) {
  radio.checked = radio.value === level;
  radio.addEventListener("change", () => {
    store.set("explain", radio.value);
    document.documentElement.dataset.explain = radio.value;
    document.dispatchEvent(new CustomEvent("reading-level", { detail: radio.value }));
  });
}
document.dispatchEvent(new CustomEvent("reading-level", { detail: level }));

// Links inside the text that lead to another chapter; those in lists of contents stay.
const elsewhere = [...document.querySelectorAll("#main-content article a.reference, #main-content article p a")].filter((link) => {
  const url = new URL(link.href, location.href);
  return url.origin === location.origin && /\/notebooks\/[^/]+\.html$/.test(url.pathname)
    && url.pathname !== location.pathname && link.closest("p, li") && !link.closest("table, .prev-next-area, .reading-bar");
});
const links = settings.querySelector(".reading-links");
links.checked = store.get("links", true);
function showLinks() {
  for (const link of elsewhere) {
    link.dataset.href ??= link.getAttribute("href");
    if (links.checked) link.setAttribute("href", link.dataset.href);
    else link.removeAttribute("href");
  }
}
links.addEventListener("change", () => { store.set("links", links.checked); showLinks(); });
showLinks();

// ---- what has been read

const mark = settings.querySelector(".reading-mark");
const forget = settings.querySelector(".reading-forget");
const root = new URL(document.documentElement.dataset.content_root || "./", location.href);

function showRead() {
  const read = store.get("read", []);
  mark.hidden = !("chapter" in bar.dataset);
  mark.setAttribute("aria-pressed", String(read.includes(page)));
  mark.textContent = read.includes(page) ? "Read. Mark as unread" : "Mark this chapter as read";
  forget.hidden = read.length === 0;
  for (const link of document.querySelectorAll(".bd-links a.reference")) {
    const target = new URL(link.href, location.href).pathname.slice(root.pathname.length).replace(/\.html$/, "");
    link.querySelector(".read-mark")?.remove();
    if (read.includes(link.matches(".current > a, a.current") && link.getAttribute("href") === "#" ? page : target)) {
      const sign = document.createElement("span");
      sign.className = "read-mark";
      sign.innerHTML = '<span aria-hidden="true"> ✓</span><span class="visually-hidden"> (read)</span>';
      link.append(sign);
    }
  }
}
mark.addEventListener("click", () => {
  const read = store.get("read", []);
  const done = read.includes(page);
  store.set("read", done ? read.filter((name) => name !== page) : [...read, page]);
  status.textContent = done ? "Marked as unread." : "Marked as read.";
  showRead();
});
forget.addEventListener("click", () => {
  store.forget("read");
  status.textContent = "Forgotten.";
  showRead();
  (mark.hidden ? settings.querySelector("summary") : mark).focus();
});
showRead();

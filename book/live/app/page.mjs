// The live page: its controls, what they change, and when the views are drawn.

import { findWord, fromAddress, likelyWords, toAddress } from "./address.mjs";
import { copy, download } from "./csv.mjs";
import { element, markWide } from "./html.mjs";
import { Model } from "./model.mjs";
import * as data from "./recorded.mjs";
import { isKept, UNREACHABLE } from "./store.mjs";
import { draw as layers } from "./view_layers.mjs";
import { draw as nearest } from "./view_nearest.mjs";
import { draw as pair } from "./view_pair.mjs";
import { draw as speech } from "./view_speech.mjs";
import { draw as words } from "./view_words.mjs";

const VIEWS = { pair, words, layers, speech, nearest };
const STEP_MILLISECONDS = 1000;
const TOLD_MILLISECONDS = 4000;

const root = document.getElementById("live");
const part = (name) => root.querySelector(`#live-${name}`);
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

const state = { sentences: [], focus: 0, chosen: [0, 0], layer: 0, view: "pair", pairs: null, examples: [] };
let drawn = 0; // counts drawings, so that a slow one can't overwrite a later one
let rows = null; // the numbers of the view that is shown
let playing = null;
let telling = null;
let wanted = null; // sentences that wait for the model
let size = ""; // of the model, in words
let failed = false; // whether loading it did

/** What a button of the numbers has done, beside it. */
function tell(message) {
  part("told").textContent = message;
  clearTimeout(telling);
  telling = setTimeout(() => { part("told").textContent = ""; }, TOLD_MILLISECONDS);
}

const say = (message) => { part("status").textContent = message; };
function complain(message) {
  part("error").textContent = message;
  part("error").hidden = !message;
  markStale();
  // The slider at the lower edge of the screen must not cover it.
  if (message) part("error").scrollIntoView({ block: "nearest" });
}

// --- drawing ------------------------------------------------------------------------------------

function drawWords() {
  const many = state.sentences.length > 1;
  const rows = state.sentences.map((sentence, which) => {
    const id = `live-words-${which}`;
    const words = sentence.words.map((word, i) => wordButton(sentence, which, i));
    return element("div", { class: "live-sentence" },
      element("p", { id, class: "live-label" }, many ? `Sentence ${which + 1}: choose a word` : "Choose a word"),
      element("div", { role: "radiogroup", "aria-labelledby": id, class: "live-choice" }, words));
  });
  part("words").replaceChildren(...rows, ...wordNotes().map((note) => element("p", { class: "live-note" }, note)));
  markWords();
}

/** The subwords of a word, if they tell more than the word itself does. */
function subwordsOf(sentence, i) {
  const own = sentence.subwords.slice(...sentence.spans[i]).join(" ");
  return own === sentence.words[i].text.toLowerCase() ? "" : own;
}

function wordButton(sentence, which, i) {
  const subwords = subwordsOf(sentence, i);
  const button = element("button", {
    type: "button", role: "radio", class: "live-word", "data-sentence": which, "data-word": i,
  }, element("span", {}, sentence.words[i].text), ...(subwords ? [element("small", {}, subwords)] : []));
  button.addEventListener("click", () => choose(which, i));
  button.addEventListener("keydown", (event) => {
    const last = sentence.words.length - 1;
    const to = {
      ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(which, (to + last + 1) % (last + 1));
    buttonOf(which, state.chosen[which]).focus();
  });
  return button;
}

const buttonOf = (which, word) => root.querySelector(`.live-word[data-sentence="${which}"][data-word="${word}"]`);

function wordNotes() {
  const { sentences } = state;
  const notes = [];
  if (sentences.length > 1 && !likelyWords(sentences).shared) {
    notes.push("The two sentences share no word. Choose one in each.");
  }
  if (sentences.some((sentence) => sentence.words.some((_, i) => subwordsOf(sentence, i)))) {
    notes.push("Small letters: the pieces that the encoder knows.");
  }
  if (sentences.some(({ subwords }) => subwords.includes("[UNK]"))) {
    notes.push("The encoder doesn't know this ([UNK]); all unknown pieces look the same to it. It was made for English.");
  }
  return notes;
}

/** Mark what is chosen; each sentence is one stop of the tab key. */
function markWords() {
  for (const button of root.querySelectorAll(".live-word")) {
    const { sentence, word } = button.dataset;
    const here = state.chosen[sentence] === Number(word);
    button.setAttribute("aria-checked", String(here));
    button.tabIndex = here ? 0 : -1;
  }
  root.querySelectorAll(".live-sentence").forEach((row, which) => row.classList.toggle("live-focus", which === state.focus));
}

/** Whether what is shown is of what stands in the fields; if not, it says so and is greyed. */
function markStale() {
  const texts = typed();
  const same = Boolean(texts[0]) && isShown(texts);
  root.classList.toggle("live-stale", !same && state.sentences.length > 0);
  part("stale").hidden = same || !state.sentences.length;
  nameLoad();
}

const isShown = (texts) => texts.filter(Boolean).join("\n") === state.sentences.map(({ text }) => text).join("\n");

/** The button that loads also shows, where a sentence waits for it. */
function nameLoad() {
  const waits = typed()[0] && !exampleOf(typed().filter(Boolean));
  if (size) part("load").textContent = `${failed ? "Try again: load" : "Load"} the model${waits ? " and show" : ""} (${size})`;
}

async function drawView() {
  if (!state.sentences.length) return;
  const mine = ++drawn;
  const panel = part(`panel-${state.view}`).querySelector(".live-output");
  part("layer").value = state.layer;
  part("layer-name").textContent = state.layer;
  part("layer").setAttribute("aria-valuetext", `layer ${state.layer}`);
  try {
    const { summary, more, parts, rows: own } = await VIEWS[state.view](state);
    if (mine !== drawn) return;
    rows = own;
    panel.replaceChildren(
      ...(summary ? [element("p", { class: "live-summary" }, summary)] : []),
      ...(more ? [element("p", {}, more)] : []),
      element("div", { class: "live-parts" }, parts),
    );
    markWide(panel);
    if (summary) say(more ? `${summary} ${more}` : summary);
  } catch (error) {
    if (mine !== drawn) return;
    rows = null;
    panel.replaceChildren(element("p", {}, `What this view needs could not be loaded (${error.message}). Choose the view again to try once more.`));
  }
  for (const name of ["copy", "download"]) part(name).disabled = !rows;
  root.dataset.drawn = mine;
}

function show(sentences, source, { words: given = [], layer } = {}) {
  const likely = likelyWords(sentences).chosen;
  const first = findWord(sentences[0], given[0]) ?? likely[0];
  // Without another wish, the second sentence's word is the first one's.
  const same = findWord(sentences[1], sentences[0].words[first].text, { asText: true });
  Object.assign(state, {
    sentences, focus: 0,
    chosen: [first, findWord(sentences[1], given[1]) ?? same ?? likely[1] ?? 0],
  });
  if (layer !== undefined && layer !== null) state.layer = Math.max(0, Math.min(sentences[0].layers - 1, layer));
  const known = exampleOf(sentences.map(({ text }) => text));
  part("source").textContent =
    (source === "live" ? "Computed in your browser just now." : "A recorded example: the model isn't needed for it.") +
    (known ? ` ${known.note}${known.answer ? ` ${known.answer}` : ""}` : "");
  for (const [i, button] of part("examples").querySelectorAll("button").entries()) {
    button.setAttribute("aria-pressed", String(state.examples[i] === known));
  }
  part("fallback").hidden = true;
  part("stale").textContent = "Below: the previous sentence.";
  complain("");
  drawWords();
  return drawView();
}

// --- what the reader does -----------------------------------------------------------------------

const remember = () => history.replaceState(null, "", toAddress(state));

function choose(which, word) {
  state.focus = which;
  state.chosen[which] = word;
  const other = 1 - which;
  const { text } = state.sentences[which].words[word];
  const there = state.sentences[other]?.words[state.chosen[other]].text;
  // The other sentence's own occurrence goes with it, unless one is chosen there already.
  if (there !== undefined && there.toLowerCase() !== text.toLowerCase()) {
    state.chosen[other] = findWord(state.sentences[other], text, { asText: true }) ?? state.chosen[other];
  }
  markWords();
  drawView();
  remember();
}

function setLayer(layer) {
  state.layer = layer;
  drawView();
  remember();
}

function open(view) {
  state.view = view;
  for (const name of Object.keys(VIEWS)) {
    const tab = part(`tab-${name}`);
    const here = name === view;
    tab.setAttribute("aria-selected", String(here));
    tab.tabIndex = here ? 0 : -1;
    part(`panel-${name}`).hidden = !here;
  }
  return drawView();
}

function wireTabs() {
  const names = Object.keys(VIEWS);
  names.forEach((name, at) => {
    const tab = part(`tab-${name}`);
    tab.addEventListener("click", () => { open(name); remember(); });
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = names[(to + names.length) % names.length];
      part(`tab-${next}`).focus();
      open(next);
      remember();
    });
  });
}

function stop() {
  clearInterval(playing);
  playing = null;
  namePlay();
}

function namePlay() {
  // Whoever wants no motion steps by hand.
  part("play").textContent = still.matches ? "Next layer" : playing ? "Stop" : "Play";
}

function play() {
  const last = Number(part("layer").max);
  if (still.matches) return setLayer(state.layer === last ? 0 : state.layer + 1);
  if (playing) return stop();
  // On a small screen the picture may be far below the button, which stays in sight.
  const output = part(`panel-${state.view}`).querySelector(".live-output");
  if (output.getBoundingClientRect().top > window.innerHeight / 2) output.scrollIntoView({ block: "start" });
  setLayer(state.layer === last ? 0 : state.layer + 1);
  playing = setInterval(() => {
    if (state.layer >= last) return stop();
    setLayer(state.layer + 1);
    if (state.layer >= last) stop();
  }, STEP_MILLISECONDS);
  namePlay();
}

// --- sentences ----------------------------------------------------------------------------------

function typed() {
  return [part("first").value.trim(), part("second").value.trim()];
}

async function ask(texts, wish = {}, { focus = true } = {}) {
  complain("");
  if (!texts[0]) {
    model.forget();
    complain("There is no sentence: type one in the first field.");
    part("first").focus();
    return;
  }
  const used = texts.filter(Boolean);
  if (model.ready) {
    wanted = wish;
    say("Reading...");
    model.run(used);
    return;
  }
  // What was recorded can be shown without the model.
  const known = exampleOf(used);
  if (known) {
    let sentences;
    try {
      sentences = await data.example(state.examples.indexOf(known));
    } catch {
      complain("This example could not be loaded. Are you offline?");
      return;
    }
    await show(sentences, "recorded", { words: [known.word], ...wish });
    return;
  }
  wanted = wish;
  complain("This sentence isn't among the recorded examples: to read it, load the model first.");
  if (focus) part("load").focus({ preventScroll: true });
}

/** The example that consists of these texts, if there is one. */
function exampleOf(texts) {
  return state.examples.find(({ sentences }) =>
    sentences.length === texts.length && sentences.every(({ text }, i) => text === texts[i]));
}

async function useExample({ sentences, word, view }) {
  part("first").value = sentences[0].text;
  part("second").value = sentences[1]?.text ?? "";
  stop();
  model.forget();
  open(view);
  await ask([sentences[0].text, sentences[1]?.text], { words: [word] });
  if (!model.ready) remember();
}

// --- the model ----------------------------------------------------------------------------------

const model = new Model({
  progress({ received }) {
    part("progress").value = received;
    part("loading-text").textContent = `${(received / 1e6).toFixed(1)} of ${(part("progress").max / 1e6).toFixed(1)} MB`;
  },
  ready({ kept }) {
    part("loading").hidden = true;
    failed = false;
    for (const name of ["cost", "price"]) part(name).hidden = true;
    part("loaded").hidden = false;
    root.dataset.model = "ready";
    keepPage().catch(() => {}); // a convenience, which not every browser grants
    say(kept ? "The model is ready; it was kept in your browser." : "The model is ready. Type a sentence.");
    const texts = typed();
    if (texts[0]) ask(texts, wanted ?? keep());
  },
  failed({ message }) {
    part("loading").hidden = true;
    part("cost").hidden = false;
    failed = true;
    root.dataset.model = "failed";
    complain(`${message} The recorded examples work without it.`);
    say(message);
  },
  result({ sentences }) {
    show(sentences, "live", wanted ?? {});
    wanted = null;
    remember();
  },
  refused({ which, message }) {
    const field = part(which ? "second" : "first");
    complain(`${which ? "The second sentence" : "The sentence"}: ${message}`);
    field.setAttribute("aria-invalid", "true");
    field.focus();
  },
});

/** Whoever keeps the model wants the page to open without a connection, too. */
async function keepPage() {
  if (!navigator.serviceWorker) return;
  await navigator.serviceWorker.register(new URL("../offline.mjs", import.meta.url));
  const { active } = await navigator.serviceWorker.ready;
  const about = await data.manifest();
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  const all = [
    location.href,
    ...loaded.filter((name) => new URL(name).origin === location.origin && !name.includes(about.model.file)),
    ...about.app.map((file) => new URL(file, import.meta.url).href),
    data.inModel(about.neighbours.file).href,
  ];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { root.dataset.kept = "yes"; };
  active.postMessage({ keep: [...new Set(all)] }, [port2]);
}

/** The words and the layer that are shown, if the same sentences are computed anew. */
function keep() {
  return !isShown(typed()) ? {} : { words: state.chosen.map((at) => String(at + 1)), layer: state.layer };
}

async function loadModel() {
  complain("");
  let about, fits;
  try {
    [about, { words_that_fit: fits }] = await Promise.all([data.manifest(), data.recorded()]);
  } catch {
    model.on.failed({ message: UNREACHABLE });
    return;
  }
  part("progress").max = about.model.bytes;
  part("progress").value = 0;
  part("cost").hidden = true;
  part("loading").hidden = false;
  root.dataset.model = "loading";
  say("Loading the model.");
  model.load(data.inModel(about.model.file), { ...about.model, fits });
}

// --- begin --------------------------------------------------------------------------------------

function wire() {
  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    stop();
    for (const name of ["first", "second"]) part(name).removeAttribute("aria-invalid");
    ask(typed());
  });
  for (const name of ["first", "second"]) part(name).addEventListener("input", markStale);
  window.addEventListener("resize", () => markWide(root));
  part("load").addEventListener("click", loadModel);
  part("layer").addEventListener("input", (event) => { stop(); setLayer(Number(event.target.value)); });
  part("play").addEventListener("click", play);
  still.addEventListener("change", () => { stop(); });
  part("copy").addEventListener("click", async () => {
    try {
      await copy(rows);
      tell("Copied");
      say("The numbers are in the clipboard.");
    } catch {
      tell("This browser doesn't allow copying here: use Download.");
    }
  });
  part("download").addEventListener("click", () => download(rows, `which-layer-${state.view}.csv`));
  wireTabs();
  namePlay();
}

async function begin() {
  wire();
  const given = fromAddress(location.search);
  if (given.view in VIEWS) state.view = given.view;
  try {
    const [about, { examples, random_pairs: pairs }] = await Promise.all([data.manifest(), data.recorded()]);
    Object.assign(state, { pairs, examples });
    part("layer").max = about.layers - 1;
    size = `${(about.model.bytes / 1e6).toFixed(0)} MB`;
    part("examples").replaceChildren(...examples.map((example) => {
      const button = element("button", { type: "button", "aria-pressed": "false" }, example.name);
      button.addEventListener("click", () => useExample(example));
      return element("li", {}, button);
    }));
    const kept = await isKept(data.inModel(about.model.file));
    open(state.view);
    const first = examples[0].sentences.map((sentence) => sentence.text);
    const texts = given.texts ?? first;
    part("first").value = texts[0];
    part("second").value = texts[1] ?? "";
    await show(await data.example(0), "recorded", { words: [examples[0].word], layer: given.layer });
    part("stale").textContent = "Below: a recorded example.";
    await ask(texts, { words: given.texts ? given.words : [examples[0].word], layer: given.layer }, { focus: false });
    if (kept) await loadModel();
    root.dataset.page = "ready";
  } catch (error) {
    complain(`The page's data could not be loaded (${error.message}). Reload it when there is a connection.`);
  }
}

root.classList.add("live-running");
begin();

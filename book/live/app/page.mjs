// The live page: its controls, what they change, and when the views are drawn.

import { findWord, fromAddress, likelyWords, toAddress } from "./address.mjs";
import { copy, download } from "./csv.mjs";
import { element } from "./html.mjs";
import { Model } from "./model.mjs";
import * as data from "./recorded.mjs";
import { isKept } from "./store.mjs";
import { draw as layers } from "./view_layers.mjs";
import { draw as nearest } from "./view_nearest.mjs";
import { draw as pair } from "./view_pair.mjs";
import { draw as speech } from "./view_speech.mjs";
import { draw as words } from "./view_words.mjs";

const VIEWS = { pair, words, layers, speech, nearest };
const STEP_MILLISECONDS = 1000;

const root = document.getElementById("live");
const part = (name) => root.querySelector(`#live-${name}`);
const still = window.matchMedia("(prefers-reduced-motion: reduce)");

const state = { sentences: [], focus: 0, chosen: [0, 0], layer: 0, view: "pair", pairs: null, examples: [] };
let drawn = 0; // counts drawings, so that a slow one can't overwrite a later one
let rows = null; // the numbers of the view that is shown
let playing = null;
let wanted = null; // sentences that wait for the model

const say = (message) => { part("status").textContent = message; };
function complain(message) {
  part("error").textContent = message;
  part("error").hidden = !message;
}

// --- drawing ------------------------------------------------------------------------------------

function drawWords() {
  part("words").replaceChildren(...state.sentences.map((sentence, which) => {
    const buttons = sentence.words.map((word, i) => {
      const [from, to] = sentence.spans[i];
      const own = sentence.subwords.slice(from, to);
      const button = element("button", {
        type: "button", class: "live-word", "aria-pressed": String(state.chosen[which] === i),
        "data-sentence": which, "data-word": i,
      }, element("span", {}, word.text), element("small", {}, own.join(" ")));
      button.addEventListener("click", () => choose(which, i));
      return element("li", {}, button);
    });
    const title = state.sentences.length > 1 ? `Sentence ${which + 1}: choose a word` : "Choose a word";
    const id = `live-words-${which}`;
    return element("div", { class: which === state.focus ? "live-sentence live-focus" : "live-sentence" },
      element("p", { id, class: "live-label" }, title),
      element("ul", { "aria-labelledby": id }, buttons));
  }));
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
  const likely = likelyWords(sentences);
  const first = findWord(sentences[0], given[0]) ?? likely[0];
  // Without another wish, the second sentence's word is the first one's.
  const same = findWord(sentences[1], sentences[0].words[first].text);
  Object.assign(state, {
    sentences, focus: 0,
    chosen: [first, findWord(sentences[1], given[1]) ?? same ?? likely[1] ?? 0],
  });
  if (layer !== undefined && layer !== null) state.layer = Math.max(0, Math.min(sentences[0].layers - 1, layer));
  const known = exampleOf(sentences.map(({ text }) => text));
  part("source").textContent =
    (source === "live" ? "Computed in your browser just now." : "A recorded example: the model isn't needed for it.") +
    (known ? ` ${known.note}` : "");
  part("fallback").hidden = true;
  complain("");
  drawWords();
  return drawView();
}

// --- what the reader does -----------------------------------------------------------------------

const remember = () => history.replaceState(null, "", toAddress(state));

function choose(which, word) {
  state.focus = which;
  state.chosen[which] = word;
  const focused = document.activeElement?.dataset ?? {};
  drawWords();
  root.querySelector(`.live-word[data-sentence="${focused.sentence}"][data-word="${focused.word}"]`)?.focus();
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
    await show(await data.example(state.examples.indexOf(known)), "recorded", { words: [known.word], ...wish });
    return;
  }
  wanted = wish;
  complain("To read a sentence of your own, load the model first: press the button above. Below is the recorded example.");
  if (focus) part("load").focus();
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
    part("cost").hidden = true;
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
    part("load").textContent = "Try again";
    root.dataset.model = "failed";
    complain(`${message} The recorded examples below work without it.`);
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
  const same = typed().filter(Boolean).join("\n") === state.sentences.map(({ text }) => text).join("\n");
  return !same ? {} : { words: state.chosen.map((at) => String(at + 1)), layer: state.layer };
}

async function loadModel() {
  complain("");
  let about;
  try {
    about = await data.manifest();
  } catch {
    model.on.failed({ message: "The model can't be reached: it seems that there is no connection." });
    return;
  }
  part("progress").max = about.model.bytes;
  part("progress").value = 0;
  part("cost").hidden = true;
  part("loading").hidden = false;
  root.dataset.model = "loading";
  say("Loading the model.");
  model.load(data.inModel(about.model.file), about.model);
}

// --- begin --------------------------------------------------------------------------------------

function wire() {
  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    stop();
    for (const name of ["first", "second"]) part(name).removeAttribute("aria-invalid");
    ask(typed());
  });
  part("load").addEventListener("click", loadModel);
  part("layer").addEventListener("input", (event) => { stop(); setLayer(Number(event.target.value)); });
  part("play").addEventListener("click", play);
  still.addEventListener("change", () => { stop(); });
  part("copy").addEventListener("click", async () => {
    try {
      await copy(rows);
      say("The numbers are in the clipboard.");
    } catch {
      say("This browser doesn't allow copying here: use Download.");
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
    part("load").textContent = `Load the model (${(about.model.bytes / 1e6).toFixed(0)} MB)`;
    part("examples").replaceChildren(...examples.map((example) => {
      const button = element("button", { type: "button" }, example.name);
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
    await ask(texts, { words: given.texts ? given.words : [examples[0].word], layer: given.layer }, { focus: false });
    if (kept) await loadModel();
    root.dataset.page = "ready";
  } catch (error) {
    complain(`The page's data could not be loaded (${error.message}). Reload it when there is a connection.`);
  }
}

root.classList.add("live-running");
begin();

// Judges a quiz's answers and says why, in the words of the question's own explanations.

for (const form of document.querySelectorAll("form.quiz-question")) {
  const result = form.querySelector(".quiz-result");
  const solution = form.querySelector(".quiz-solution");
  // For those without this script; with it, an explanation comes when it has been earned.
  solution.hidden = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const verdict = (form.dataset.kind === "number" ? judgeNumber : judgeChoice)(form, solution);
    form.dataset.state = verdict.state;
    show(result, verdict);
  });
  form.addEventListener("input", () => {
    delete form.dataset.state;
    result.replaceChildren();
    for (const option of form.querySelectorAll(".quiz-option")) delete option.dataset.state;
  });
}

function judgeChoice(form, solution) {
  const inputs = [...form.querySelectorAll("input")];
  const rows = inputs.map((input) => solution.querySelector(`[data-option="${input.value}"]`));
  const isRight = rows.map((row) => "right" in row.dataset);
  const chosen = inputs.map((input) => input.checked);
  if (!chosen.includes(true)) return { state: "empty", says: "Choose an answer first.", reasons: [] };
  const rightChosen = chosen.filter((yes, at) => yes && isRight[at]).length;
  const wrongChosen = chosen.filter((yes, at) => yes && !isRight[at]).length;
  const allRight = isRight.filter(Boolean).length;
  const solved = rightChosen === allRight && wrongChosen === 0;
  inputs.forEach((input, at) => {
    if (chosen[at]) input.closest(".quiz-option").dataset.state = isRight[at] ? "right" : "wrong";
  });
  let says = solved ? "Right." : "Not right.";
  if (!solved && form.dataset.kind === "multiple") {
    says = `Not yet: of the ${rightChosen + wrongChosen} that you chose, ${rightChosen} hold${rightChosen === 1 ? "s" : ""}`
      + (wrongChosen === 0 ? ", and there is more that holds." : ".");
  }
  // Once it is solved, the others explain themselves, too.
  const told = rows.map((row, at) => ({ row, at })).filter(({ at }) => solved || chosen[at]);
  const reasons = told.map(({ row, at }) => ({
    about: isRight[at] ? "Holds:" : "Doesn't hold:",
    option: inputs[at].nextElementSibling,
    why: row.querySelector(".why"),
  }));
  return { state: solved ? "right" : "wrong", says, reasons };
}

function judgeNumber(form, solution) {
  const text = form.querySelector("input").value.trim();
  const value = parse(text);
  if (value === null) {
    const says = text ? "Write a number, such as 12, 0.5 or −3." : "Write a number first.";
    return { state: "empty", says, reasons: [] };
  }
  const tolerance = Number(form.dataset.tolerance) + 1e-9;
  const near = (other) => Math.abs(value - Number(other)) <= tolerance;
  if (near(form.dataset.answer)) {
    const why = solution.querySelector("[data-right] .why");
    return { state: "right", says: "Right.", reasons: [{ why }] };
  }
  const mistake = [...solution.querySelectorAll("[data-value]")].find((row) => near(row.dataset.value));
  const why = (mistake ?? solution.querySelector("[data-otherwise]")).querySelector(".why");
  return { state: "wrong", says: "Not right.", reasons: [{ why }] };
}

/** "3,072", "3 072" and "3072" are one number, and so are "0,5" and "0.5"; null if it is none. */
function parse(text) {
  let plain = text.replace(/[\s\u00a0\u202f]/g, "").replace(/−/g, "-").replace(/%$/, "");
  if (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain)) plain = plain.replaceAll(",", "");
  plain = plain.replace(",", ".");
  return /^-?(\d+\.?\d*|\.\d+)(e-?\d+)?$/i.test(plain) ? Number(plain) : null;
}

function show(result, { state, says, reasons }) {
  const verdict = document.createElement("p");
  verdict.className = `quiz-verdict quiz-${state}`;
  verdict.textContent = says;
  const list = reasons.map(({ about, option, why }) => {
    const item = document.createElement("p");
    if (about) {
      const head = document.createElement("strong");
      head.textContent = `${about} `;
      item.append(head, ...[...option.childNodes].map((node) => node.cloneNode(true)), " ");
    }
    const reason = document.createElement("span");
    reason.className = "why";
    reason.append(...[...why.childNodes].map((node) => node.cloneNode(true)));
    item.append(reason);
    return item;
  });
  result.replaceChildren(verdict, ...list);
}

// Which run it is, where it stands, and how it has ended.
const fact = (label, value) => el("span", {class: "fact"}, `${label} `, el("b", {}, value));

const endWords = (outcome) => {
  if (outcome.code === 0) return "done";
  return outcome.code === 130 ? "interrupted" : `ended with code ${outcome.code}`;
};
const isBad = (outcome) => outcome.code !== 0 && outcome.code !== 130;

const showPhase = (text, kind) => {
  byId("phase").textContent = text;
  byId("phase").className = kind ? `phase ${kind}` : "phase";
};

const showNote = (kind, ...lines) => {
  byId("end").hidden = lines.length === 0;
  byId("end").className = kind ? `end-note ${kind}` : "end-note";
  byId("end").replaceChildren(...lines.filter(Boolean).map((line) => el("p", {}, line)));
};

const drawLiveHead = (run) => {
  const {unit, done, total, left_s: left} = run.progress;
  const {outcome} = run;
  byId("graph").textContent = run.graph;
  showPhase(outcome ? endWords(outcome) : run.phase, outcome && isBad(outcome) ? "bad" : "");
  if (outcome)
    showNote(
        isBad(outcome) ? "bad" : "", outcome.code === 0 ? null : outcome.text, outcome.verdict,
        `Its report is in ${outcome.run_dir} (report.html, report.txt). What stands below is as it was at the end.`);
  else
    showNote("");
  byId("facts").replaceChildren(
      fact(unit, total ? `${wholeText(done)} of ${wholeText(total)}` : wholeText(done)),
      ...(run.activity && !outcome ? [fact("now", run.activity)] : []), fact("time", durationText(run.elapsed_s)),
      ...(left === null || outcome ? [] : [fact("left", durationText(left))]));
  byId("meter").hidden = !total;
  byId("meter").firstElementChild.style.width = `${total ? 100 * done / total : 0}%`;
  document.title = `${
      outcome ? `${endWords(outcome)}: ` :
          total ? `${percentText(done / total)} ` :
                  ""}${run.graph}, live`;
};

// Nobody answers any more. A run whose end was told needs no more than it has said.
const showGone = () => {
  const last = latest();
  if (last && last.outcome) return;
  showPhase(last ? "not reached" : "no run", "gone");
  if (last)
    showNote(
        "gone",
        `The program no longer answers, and has not said how the run ended. Last seen at ${last.progress.unit} ${
            wholeText(last.progress.done)}, after ${durationText(last.elapsed_s)}.`);
  else
    showNote("gone", "No run answers here.");
};

// Title line, verdict, gap to the bound.
const OUTCOMES = {
  0: "done",
  1: "a stage failed",
  2: "user's error",
  3: "deadlock or stall",
  130: "interrupted"
};

const fact = (label, value, hint) => el("span", {class: "fact", title: hint}, `${label} `, el("b", {}, value));

const titleLine = () => {
  const {code, text} = report.outcome;
  const words = OUTCOMES[code] || text;
  const throughput = report.throughput || {};
  const device = (report.provenance || {}).device;
  const training = report.training || {};
  return el(
      "div", {class: "title"}, el("h1", {}, report.graph || "run"),
      el("span", {class: `outcome ${code === 0 ? "good" : "bad"}`},
         code === 0 ? `✓ ${words}` : `✕ ${words} (exit code ${code})`),
      device ? fact("device", String(device)) : null,
      wall > 0 ? fact("wall", durationText(wall), "first firing to last") : null,
      fact("total", durationText(report.total_s), "with loading and evaluation"),
      report.steps > 0 ? fact("steps", wholeText(report.steps)) : null,
      throughput.unit && throughput.achieved > 0 ?
          fact("speed", `${rateText(throughput.achieved)} ${throughput.unit}`) :
          null,
      Number.isFinite(training.tokens_per_s) ? fact("training", `${rateText(training.tokens_per_s)} tokens/s`) : null);
};

const boundMeter = () => {
  const bound = report.throughput;
  if (!bound || !(bound.bound > 0)) return null;
  const share = ratio(bound.achieved, bound.bound);
  const meter = withHover(
      el("div", {class: "meter"}, el("i", {style: `width:${100 * share}%`})),
      () =>
          [`made: ${numberText(bound.achieved)} ${bound.unit}`, `bound: ${numberText(bound.bound)} ${bound.unit}`,
           `gap: ${(100 * bound.gap).toFixed(2)} %`]);
  return el(
      "div", {class: "bound"},
      el("span", {}, "made ", el("b", {}, rateText(bound.achieved)),
         ` of at most ${rateText(bound.bound)} ${bound.unit}`,
         bound.limit ? ` that ${bound.limit_kind} '${bound.limit}' allows` : ""),
      meter,
      el("span", {}, bound.limit ? `gap to the bound of '${bound.limit}' ` : "gap to bound ",
         el("b", {}, percentText(bound.gap))));
};

const drawHead = () => {
  const [first, ...rest] = report.verdict.text.split(/(?<=\.)\s+(?=[A-Z])/);
  const failed = report.outcome.code !== 0;
  page.append(
      el("header", {class: "head"}, titleLine(),
         failed ? el("p", {class: "failure"}, report.errors[0] || report.outcome.text) : null,
         el("p", {class: "verdict"}, first || "No verdict: nothing fired."),
         rest.length ? el("p", {class: "verdict-rest"}, rest.join(" ")) : null, boundMeter()));
};

// The figures of the run; the first ones as curves since its begin.
const CURVES = ["loss", "tokens_per_s"];

const metricText = (value) => {
  if (value === null || value === undefined) return "not finite";
  return Math.abs(value) >= 1000 ? rateText(value) : String(Number(value.toPrecision(4)));
};

// A few values far above all others, the first above all, would press the rest to the ground: they are cut.
const curveRange = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  const [low, high] = [at(0), at(1)];
  const usual = at(0.98) + 0.5 * (at(0.98) - low);
  return {low, high: high > usual && usual > low ? usual : high};
};

const curve = (name) => {
  const seen = points.filter((point) => Number.isFinite(point.metrics[name]));
  if (seen.length < 2) return null;
  const values = seen.map((point) => point.metrics[name]);
  const {low, high} = curveRange(values);
  const [first, last] = [seen[0].step, seen[seen.length - 1].step];
  const x = (step) => (100 * ratio(step - first, last - first)).toFixed(2);
  const y = (value) => (39 - 37 * ratio(Math.min(value, high) - low, high - low)).toFixed(2);
  const greatest = Math.max(...values);
  return el(
      "div", {class: "curve"},
      svg("svg", {viewBox: "0 0 100 40", preserveAspectRatio: "none", "aria-hidden": "true"},
          svg("polyline", {points: seen.map((point) => `${x(point.step)},${y(point.metrics[name])}`).join(" ")})),
      el("div", {class: "ends"},
         el("span", {title: greatest > high ? `cut; the greatest is ${metricText(greatest)}` : null},
            metricText(high) + (greatest > high ? " ↑" : "")),
         el("span", {}, metricText(low))),
      el("div", {class: "steps"}, el("span", {}, `step ${wholeText(first)}`), el("span", {}, wholeText(last))));
};

const drawMetrics = (run) => {
  const card = (name, ...below) =>
      el("div", {class: "card"}, el("div", {class: "label", title: name}, name),
         el("div", {class: "value"}, metricText(run.metrics[name])), below);
  const others = Object.keys(run.metrics).filter((name) => !CURVES.includes(name)).sort();
  byId("cards").replaceChildren(...CURVES.filter((name) => name in run.metrics).map((name) => card(name, curve(name))));
  byId("others").replaceChildren(...others.map((name) => card(name)));
};

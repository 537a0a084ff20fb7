// The figures of metrics.jsonl over the steps: losses, acceptance, speed.
const KNOWN_CURVES = [
  {title: "Loss", unit: "", names: ["loss"]},
  {
    title: "Acceptance length",
    unit: "tokens a round",
    names: ["accept_length", "tau", "sampled.tau", "replay.tau", "lower_overlap.tau"]
  },
  {title: "Accuracy", unit: "share", names: ["accuracy"]},
  {title: "Speed", unit: "tokens/s", names: ["tokens_per_s"]},
  {title: "Gradient norm", unit: "", names: ["grad_norm"]},
  {title: "Learning rate", unit: "", names: ["lr"]},
];
const CURVE_LABELS = {
  accept_length: "in training",
  tau: "evaluated, greedy",
  "sampled.tau": "evaluated, sampled",
  "replay.tau": "evaluated, replayed",
  "lower_overlap.tau": "evaluated, lower overlap"
};
const CURVE_COLOURS = [0, 6, 2, 8, 4, 1, 3, 5];
const MOST_CURVES = 8;  // in one picture
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3]];

const curveLabel = (series) => (CURVE_LABELS[series.name] || series.name) +
    (series.evaluation && !CURVE_LABELS[series.name] ? " (evaluation)" : "");

const points = (series, values) => series.step.map((step, i) => ({x: step, y: values[i]}));

// A line through the means; behind it the band from least to greatest where a point stands for several steps.
const curveSets = (series, index, list) => {
  const colour = partColour(CURVE_COLOURS[index % CURVE_COLOURS.length]);
  const dots = series.evaluation || series.mean.filter((value) => value !== null).length < 3;
  const line = {
    label: curveLabel(series),
    data: points(series, series.mean),
    borderColor: colour,
    backgroundColor: colour,
    borderWidth: 1.6,
    borderDash: series.evaluation ? DASHES[index % 5] : [],
    pointRadius: dots ? 3.5 : 0,
    pointStyle: ["circle", "rectRot", "triangle", "rect", "star"][index % 5],
    tension: 0,
    spanGaps: false,
    clip: 6
  };
  if (!series.least || list.filter((other) => !other.evaluation).length > 1) return [line];
  const edge = {borderWidth: 0, pointRadius: 0, tension: 0, isBand: true};
  return [
    line, {...edge, label: "least", data: points(series, series.least)},
    {...edge, label: "greatest", data: points(series, series.greatest), backgroundColor: `${colour}33`, fill: "-1"}
  ];
};

const curveTooltip = (point) => `${point.dataset.label}: ${numberText(point.parsed.y)}`;

const stepRange = (list) => {
  const steps = list.flatMap((series) => [series.step[0], series.step[series.step.length - 1]]);
  const [min, max] = [Math.min(...steps), Math.max(...steps)];
  return min < max ? {min, max} : {};
};

const curve = (unit, list) => chart(() => {
  const options = baseOptions();
  options.interaction = {mode: "nearest", axis: "x", intersect: false};
  options.scales = {
    x: axis("step", {
      type: "linear",
      ...stepRange(list),
      grid: {display: false},
      ticks: {precision: 0, callback: (value) => wholeText(value)}
    }),
    y: axis(unit, {
      ticks: {
        maxTicksLimit: 6,
        callback: (value) => (Math.abs(value) >= 1000 ? rateText(value) : String(Number(value.toPrecision(4))))
      }
    }),
  };
  options.plugins.legend.display = list.length > 1;
  options.plugins.legend.labels.filter = (item, data) => !data.datasets[item.datasetIndex].isBand;
  options.plugins.tooltip.callbacks = {
    title: ([point]) => (point ? `step ${wholeText(point.parsed.x)}` : ""),
    label: curveTooltip
  };
  return {type: "line", data: {datasets: list.flatMap(curveSets)}, options};
});

// "accuracy_1", "accuracy_2", ... belong into one picture.
const numberedGroups = (metrics) => {
  const groups = new Map();
  for (const series of metrics) {
    const match = /^(.*)_(\d+)$/.exec(series.name);
    if (match && !series.evaluation) groups.set(match[1], [...(groups.get(match[1]) || []), series]);
  }
  return [...groups].filter(([, list]) => list.length > 1);
};

const curveChart = (title, unit, list) => {
  const bad = sum(list.map((series) => series.not_finite));
  return el(
      "div", {class: "chart"},
      el("h3", {}, title, bad ? el("small", {class: "bad"}, `${countText(bad, "value")} not finite`) : null),
      curve(unit, list));
};

const drawCurves = () => {
  const shown = [];
  for (const {title, unit, names} of KNOWN_CURVES) {
    const list = names.flatMap((name) => run.metrics.filter((series) => series.name === name)).slice(0, MOST_CURVES);
    if (list.length) shown.push(curveChart(title, unit, list));
  }
  for (const [stem, list] of numberedGroups(run.metrics))
    shown.push(
        curveChart(`${stem.charAt(0).toUpperCase()}${stem.slice(1)}, by number`, "", list.slice(0, MOST_CURVES)));
  if (!shown.length) return;
  const grouped = run.metrics.some((series) => series.least);
  panel(
      "curves", "Learning curves",
      grouped ? "each point is the mean of some steps, the band their least and greatest" : "one point a step",
      el("div", {class: "charts wide"}, shown));
};

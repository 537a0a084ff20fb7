// What the page has seen of the run: the looks of the last seconds, and the metrics so far.
const KEPT_MS = 10000;     // for what a stage did lately
const MOST_POINTS = 1500;  // of a curve

const byId = (id) => document.getElementById(id);

const looks = [];   // {at, run}, the newest last
const points = [];  // {step, metrics}, by step

const latest = () => (looks.length ? looks[looks.length - 1].run : null);
// The look before the newest, and the one that is some seconds old; null where there is none yet.
const lookBefore = () => (looks.length > 1 ? looks[looks.length - 2].run : null);
const lookSecondsAgo = () => (looks.length > 1 ? looks[0].run : null);

const forgetRun = () => {
  looks.length = 0;
  points.length = 0;
};

const keepPoint = (step, metrics) => {
  const last = points[points.length - 1];
  if (last && step < last.step) return;
  if (last && step === last.step)
    last.metrics = metrics;
  else
    points.push({step, metrics});
  if (points.length > MOST_POINTS) points.splice(0, points.length, ...points.filter((_, index) => index % 2 === 0));
};

// Returns whether it is another run than before: its metrics so far are still to be had.
const keepLook = (run) => {
  const before = latest();
  const isNew = !before || run.wall_s < before.wall_s || run.graph !== before.graph;
  if (isNew) forgetRun();
  const at = performance.now();
  looks.push({at, run});
  while (looks.length > 2 && at - looks[1].at >= KEPT_MS) looks.shift();
  if (Object.keys(run.metrics).length) keepPoint(run.steps, run.metrics);
  return isNew;
};

// What the program has noted before the page was opened.
const keepHistory = (history) => {
  const names = Object.keys(history.metrics);
  const noted = history.step.map(
      (step, index) =>
          ({step, metrics: Object.fromEntries(names.map((name) => [name, history.metrics[name][index]]))}));
  const first = points.length ? points[0].step : Infinity;
  points.unshift(...noted.filter((point) => point.step < first));
};

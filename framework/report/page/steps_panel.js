// Where the time of the steps goes: what stages and their named parts did between one step's end and the next.
const MOST_PARTS = 9;

const partName = (part, hasSpans) => {
  const name = part.span ? `${part.stage}: ${part.span}` :
      hasSpans.has(part.stage) ? `${part.stage}: other` :
                                 part.stage;
  return part.clock === "device" ? `${name} (device)` : name;
};

// The largest parts in the order of the graph, and one for all the rest.
const chosenParts = (parts) => {
  const hasSpans = new Set(parts.filter((part) => part.span).map((part) => part.stage));
  const named = parts.map((part) => ({name: partName(part, hasSpans), seconds: part.seconds}));
  const largest = [...named].sort((a, b) => sum(b.seconds) - sum(a.seconds)).slice(0, MOST_PARTS);
  const chosen = named.filter((part) => largest.includes(part));
  const rest = named.filter((part) => !largest.includes(part));
  if (!rest.length) return chosen;
  const total = rest[0].seconds.map((_, group) => sum(rest.map((part) => part.seconds[group])));
  return [...chosen, {name: rest.length === 1 ? rest[0].name : `${rest.length} smaller parts`, seconds: total, rest}];
};

const colourIndex = (part, index) => (part.rest ? 9 : index);

const stepLabel = (steps, group) =>
    (steps.first[group] === steps.last[group] ?
         `step ${wholeText(steps.first[group])}` :
         `steps ${wholeText(steps.first[group])} to ${wholeText(steps.last[group])}, mean`);

// A few steps may be many times longer than the others, the first above all; they are cut at the top of the picture.
const stepsTop = (steps, parts) => {
  const totals = steps.wall_s.map((seconds, group) => Math.max(seconds, sum(parts.map((part) => part.seconds[group]))));
  const sorted = [...totals].sort((a, b) => a - b);
  const usual = 1.25 * sorted[Math.floor(0.95 * (sorted.length - 1))];
  const longest = sorted[sorted.length - 1];
  return {top: longest > 1.6 * usual ? usual : undefined, cut: totals.filter((total) => total > usual).length, longest};
};

const stepsChart = (steps, parts) => chart(() => {
  const options = baseOptions();
  options.scales = {
    x: axis(
        "step", {stacked: true, grid: {display: false}, ticks: {callback: (value) => wholeText(steps.last[value])}}),
    y: axis("time per step", {
      stacked: true,
      beginAtZero: true,
      max: stepsTop(steps, parts).top,
      ticks: {callback: (value) => durationText(value)}
    }),
  };
  options.plugins.tooltip.callbacks = {
    title: ([point]) => stepLabel(steps, point.dataIndex),
    label: (point) => `${point.dataset.label}: ${durationText(point.parsed.y)}`,
  };
  options.plugins.tooltip.itemSort = (a, b) => b.datasetIndex - a.datasetIndex;
  const bars = parts.map((part, index) => ({
                           type: "bar",
                           label: part.name,
                           data: part.seconds,
                           backgroundColor: partColour(colourIndex(part, index)),
                           maxBarThickness: 60,
                           barPercentage: 1,
                           categoryPercentage: steps.first.length > 60 ? 1 : 0.9,
                           stack: "parts",
                           order: 2
                         }));
  const line = {
    type: "line",
    label: "wall time of the step",
    data: steps.wall_s,
    borderColor: colourOf("--ink"),
    backgroundColor: colourOf("--ink"),
    borderWidth: 1.5,
    pointRadius: steps.first.length > 1 ? 0 : 4,
    stepped: "middle",
    stack: "wall",
    order: 1
  };
  return {type: "bar", data: {labels: steps.first.map((_, group) => group), datasets: [...bars, line]}, options};
});

const partsTable = (steps, parts) => {
  const counts = steps.first.map((first, group) => steps.last[group] - first + 1);
  const mean = (values) => ratio(sum(values.map((value, group) => value * counts[group])), sum(counts));
  const wallMean = mean(steps.wall_s);
  const rows = parts.map((part, index) => {
    const mark =
        el("span", {}, el("span", {class: "swatch part", "data-part": colourIndex(part, index)}),
           ` ${cutTo(part.name, 230, "600 12.5px")}`);
    const cell = part.rest ?
        withHover(mark, () => part.rest.map((one) => `${one.name}: ${durationText(mean(one.seconds))}`)) :
        mark;
    return [cell, durationText(mean(part.seconds)), percentText(ratio(mean(part.seconds), wallMean))];
  });
  return table(
      [{head: "mean of a step", kind: "left"}, {head: "time"}, {head: "of its wall"}],
      [...rows, [el("span", {}, "━ wall time of the step"), durationText(wallMean), percentText(1)]], true);
};

const paintSwatches = () => {
  for (const mark of document.querySelectorAll(".swatch.part"))
    mark.style.background = partColour(Number(mark.dataset.part));
};

const drawSteps = () => {
  const steps = run.steps;
  if (!steps || !steps.first.length || !steps.parts.length) return;
  const parts = chosenParts(steps.parts);
  const {top, cut, longest} = stepsTop(steps, parts);
  panel(
      "steps", "Where the time of a step goes",
      "work between the end of one step and the next; stages work at once, so it may sum to more than the wall",
      el("div", {class: "split"}, stepsChart(steps, parts), partsTable(steps, parts)),
      top ? el("p", {class: "note"},
               `${countText(cut, "bar")} higher than the picture ${cut === 1 ? "is" : "are"} cut; the highest is ${
                   durationText(longest)}.`) :
            null);
};

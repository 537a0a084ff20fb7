// Where the time of the steps goes: for each stage, which share of a step's wall time it worked, and with which parts.
// Stages work at once, so each has a row of its own, and a full row is all of the wall.
const restColour = (part, stage) => stage.parts.length > 1 ? "var(--rest)" :
    part.clock === "device"                                ? "var(--gpu)" :
                                                             "var(--busy)";

const partLabel = (part, stage) => part.span || (stage.parts.length > 1 ? "other" : "all of it");

// The stages that worked, in the order of the graph, each with its parts.
const stepStages = (steps) => {
  const byName = new Map();
  for (const part of steps.parts) {
    const stage = byName.get(part.stage) || {name: part.stage, clock: part.clock, parts: []};
    stage.parts.push(part);
    byName.set(part.stage, stage);
  }
  const slots = new Map(report.stages.map((stage) => [stage.name, Math.max(stage.slots, 1)]));
  return [...byName.values()].map((stage) => {
    const colours = partColours(stage.parts.map((part) => part.span).filter(Boolean));
    const parts = stage.parts.map((part) => ({
                                    label: partLabel(part, stage),
                                    colour: part.span ? colours.get(part.span) : restColour(part, stage),
                                    seconds: part.seconds
                                  }));
    return {...stage, parts, slots: slots.get(stage.name) || 1};
  });
};

const stepLabel = (steps, group) =>
    (steps.first[group] === steps.last[group] ?
         `step ${wholeText(steps.first[group])}` :
         `steps ${wholeText(steps.first[group])} to ${wholeText(steps.last[group])}, mean`);

const stepCounts = (steps) => steps.first.map((first, group) => steps.last[group] - first + 1);
const meanOfSteps = (steps, values) => {
  const counts = stepCounts(steps);
  return ratio(sum(values.map((value, group) => value * counts[group])), sum(counts));
};

const meanBar = (stage, steps) => {
  const whole = meanOfSteps(steps, steps.wall_s) * stage.slots;
  const lines = stage.parts.map((part) => {
    const mean = meanOfSteps(steps, part.seconds);
    return `${part.label}: ${durationText(mean)} a step, ${percentText(ratio(mean, whole))} of the wall`;
  });
  const parts = stage.parts.map(
      (part) => el("i", {
        style: `width:${Math.min(100, 100 * ratio(meanOfSteps(steps, part.seconds), whole))}%;background:${part.colour}`
      }));
  return withHover(el("div", {class: "bar wide"}, parts), () => [stage.name, ...lines]);
};

const stageSeconds = (stage, group) => sum(stage.parts.map((part) => part.seconds[group]));

// Of each step's wall; the top of the strip is all of it.
const stepStrip = (stage, steps) => {
  const base = new Array(steps.first.length).fill(0);
  const paths = stage.parts.map((part) => {
    const lower = base.slice();
    part.seconds.forEach((value, group) => {
      base[group] = Math.min(base[group] + ratio(value, steps.wall_s[group] * stage.slots), 1);
    });
    return svg("path", {d: bandPath(lower, base, 1), style: `fill:${part.colour}`});
  });
  return withCross(
      strip("", paths, steps.first.length), steps.first.length,
      (group) =>
          [`${stage.name}, ${stepLabel(steps, group)}`,
           `${durationText(stageSeconds(stage, group))} of ${durationText(steps.wall_s[group])}, ${
               percentText(ratio(stageSeconds(stage, group), steps.wall_s[group] * stage.slots))}`,
           ...stage.parts.map((part) => `${part.label}: ${durationText(part.seconds[group])}`)]);
};

// A few steps may be many times longer than the others, the first above all; they are cut at the top of the strip.
const wallTop = (walls) => {
  const sorted = [...walls].sort((a, b) => a - b);
  const usual = 1.25 * sorted[Math.floor(0.95 * (sorted.length - 1))];
  const longest = sorted[sorted.length - 1];
  return longest > usual ? {top: usual, cut: walls.filter((wall_) => wall_ > usual).length, longest} :
                           {top: longest, cut: 0, longest};
};

const wallStrip = (steps) => {
  const {top} = wallTop(steps.wall_s);
  const zero = steps.wall_s.map(() => 0);
  const path =
      svg("path",
          {d: bandPath(zero, steps.wall_s.map((seconds) => Math.min(seconds, top)), top), style: "fill:var(--muted)"});
  return withCross(
      strip("edge-strip", [path], steps.first.length), steps.first.length,
      (group) => [stepLabel(steps, group), `wall time: ${durationText(steps.wall_s[group])}`]);
};

const stepAxis = (steps) => {
  const end = steps.last.length - 1;
  return el(
      "div", {class: "axis"}, el("span", {style: "left:0"}, `step ${wholeText(steps.first[0])}`),
      el("span", {style: "left:100%"}, wholeText(steps.last[end])));
};

const stageStepRow = (stage, steps) => {
  const mean = meanOfSteps(steps, steps.wall_s.map((_, group) => stageSeconds(stage, group)));
  const share = ratio(mean, meanOfSteps(steps, steps.wall_s) * stage.slots);
  const where = stage.clock === "device" ? " on its device" : stage.slots > 1 ? ` ×${stage.slots}` : "";
  return [
    el("div", {class: "label stage-label", title: stage.name + where}, stage.name, el("small", {}, where)),
    meanBar(stage, steps), el("div", {class: "value"}, `${durationText(mean)}, ${percentText(share)}`),
    stepStrip(stage, steps)
  ];
};

const stepRows = (steps, list) => {
  const ends =
      el("div", {class: "axis"}, el("span", {style: "left:0"}, "0"), el("span", {style: "left:100%"}, "the wall"));
  return [
    el("div", {}), ends, el("div", {}), stepAxis(steps), list.map((stage) => stageStepRow(stage, steps)),
    el("div", {class: "label edge-label"}, "wall time of a step"), el("div", {}),
    el("div", {class: "value"}, durationText(meanOfSteps(steps, steps.wall_s))), wallStrip(steps)
  ];
};

// The parts of the stages that name some, as far as they are not next to nothing.
const partLegends = (steps, list) => list.filter((stage) => stage.parts.length > 1).flatMap((stage) => {
  const wallMean = meanOfSteps(steps, steps.wall_s) * stage.slots;
  const parts = stage.parts.map((part) => ({...part, mean: meanOfSteps(steps, part.seconds)}))
                    .filter((part) => part.mean > 0.002 * wallMean);
  return parts.length ? legend([
    [el("b", {}, stage.name), ""],
    ...parts.map(
        (part) =>
            [`${part.colour}`, `${part.label} ${durationText(part.mean)}, ${percentText(ratio(part.mean, wallMean))}`])
  ]) :
                        [];
});

const drawSteps = () => {
  const steps = run.steps;
  if (!steps || !steps.first.length || !steps.parts.length) return;
  const list = stepStages(steps).filter((stage) => !bufferNames.has(stage.name));
  const {cut, longest, top} = wallTop(steps.wall_s);
  const grid = el("div", {class: "strips steps"}, stepRows(steps, list), el("div", {class: "cross", hidden: ""}));
  panel(
      "steps", "Where the time of a step goes",
      "left the mean, right step by step; stages work at once, so each is measured against the whole wall: one near 100 % hardly pauses",
      el("div", {class: "scroll"}, grid),
      cut ? el("p", {class: "note"},
               `Of the wall times ${countText(cut, "bar")} higher than ${durationText(top)} ${
                   cut === 1 ? "is" : "are"} cut; the longest is ${durationText(longest)}.`) :
            null,
      partLegends(steps, list));
};

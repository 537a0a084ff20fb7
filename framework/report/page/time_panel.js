// Strips over time: what each stage did, and how full each edge and buffer was.
const time = run.time;

const stackedPaths = (series, bins) => {
  const base = new Array(bins).fill(0);
  return STATES.filter((state) => series[state.series]).map((state) => {
    const lower = base.slice();
    series[state.series].forEach((value, bin) => {
      base[bin] = Math.min(base[bin] + value, 1000);
    });
    return svg("path", {d: bandPath(lower, base, 1000), style: `fill:var(${state.colour})`});
  });
};

const binTime = (bin) => time.begin_s + ((time.end_s - time.begin_s) * bin) / time.bins;
const binLine = (bin) => `${durationText(binTime(bin))} to ${durationText(binTime(bin + 1))}`;

const stageStrip = (stage, series) =>
    [el("div", {class: "label stage-label", title: stage.name}, stage.name),
     withCross(
         strip("", stackedPaths(series, time.bins), time.bins), time.bins,
         (bin) =>
             [stage.name, binLine(bin),
              ...STATES.filter((state) => series[state.series])
                  .map((state) => `${state.label}: ${percentText(series[state.series][bin] / 1000)}`)]),
     el("div", {class: "value"}, `busy ${percentText(busyShare(stage))}`),
];

const edgeStrip = (edge, series) => {
  const capacity = Math.max(edge.capacity_items, 1);
  const zero = new Array(time.bins).fill(0);
  const paths = [["--fill-most", series.max], ["--fill", series.mean]].map(
      ([colour, values]) => svg("path", {
        d: bandPath(zero, values.map((value) => Math.min(value, capacity)), capacity),
        style: `fill:var(${colour})`
      }));
  const inner = edge.is_buffer ? `[${edge.name}]` : edge.name.replace("->", " → ");
  const label =
      inner.startsWith(`${edge.from}.`) ? inner.slice(edge.from.length + 1) : inner;  // it stands below that stage
  return [
    el("div", {class: "label edge-label", title: inner}, label),
    withCross(
        strip("edge-strip", paths, time.bins), time.bins,
        (bin) =>
            [inner, binLine(bin),
             `holds ${series.mean[bin].toFixed(2)} on average, at most ${series.max[bin]}, of ${
                 countText(edge.capacity_items, "item")}`]),
    el("div", {class: "value"}, `${fillText(edge.mean_fill)} of ${edge.capacity_items}`),
  ];
};

const timeAxis = () => {
  const length = time.end_s - time.begin_s;
  // As far from the ends as their labels reach where the strips are narrowest.
  const marks = timeTicks(time.begin_s, time.end_s)
                    .filter((tick) => (time.end_s - tick) / length > 0.15 && (tick - time.begin_s) / length > 0.08);
  const at = (tick, text) => el("span", {style: `left:${(100 * (tick - time.begin_s)) / length}%`}, text);
  return [
    el("div", {}),
    el("div", {class: "axis"}, at(time.begin_s, timeText(time.begin_s, length)),
       marks.map((tick) => at(tick, timeText(tick, length))), at(time.end_s, timeText(time.end_s, length))),
    el("div", {})
  ];
};

// Stages in order, each before the edges that leave it; a buffer's content stands for the buffer.
const stripRows = () => {
  const stageSeries = new Map(time.stages.map((series) => [series.name, series]));
  const edgeSeries = new Map(time.edges.map((series) => [series.name, series]));
  const rows = [];
  for (const stage of report.stages) {
    if (bufferNames.has(stage.name)) {
      if (edgeSeries.has(stage.name)) rows.push(edgeStrip(edgeByName.get(stage.name), edgeSeries.get(stage.name)));
    } else if (stageSeries.has(stage.name))
      rows.push(stageStrip(stage, stageSeries.get(stage.name)));
    for (const edge of report.edges) {
      if (edge.from === stage.name && !edge.is_buffer && edgeSeries.has(edge.name))
        rows.push(edgeStrip(edge, edgeSeries.get(edge.name)));
    }
  }
  return rows;
};

const drawTime = () => {
  if (!time) return;
  const partial = time.begin_s > 0 ?
      `the last ${durationText(time.end_s - time.begin_s)} of ${durationText(wall)}; earlier events are not kept` :
      "the whole run";
  const rows = stripRows();
  const grid = el("div", {class: "strips"}, timeAxis(), rows, el("div", {class: "cross", hidden: ""}));
  panel(
      "time", "Over time", `${partial}; each part is ${durationText(binTime(1) - binTime(0))} long`,
      el("div", {class: "scroll"}, grid), legend([
        ...stateLegend(), ["var(--fill)", "mean fill of an edge, of its capacity"], ["var(--fill-most)", "most at once"]
      ]),
      heldPlacesNote());
};

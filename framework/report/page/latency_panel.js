// How the times of the firings spread, a small histogram for each stage.
const MOST_HISTOGRAMS = 24;

const quantileLines = (stage, bounds, clock) => ({
  id: "quantiles",
  afterDatasetsDraw(drawn) {
    if (clock !== "host") return;
    const {ctx, chartArea, scales} = drawn;
    for (const [name, seconds] of [["p50", stage.p50_s], ["p99", stage.p99_s]]) {
      const bucket = bounds.findIndex((bound) => bound > seconds) - 1;
      if (bucket < 0) continue;
      const within = Math.log(seconds / bounds[bucket]) / Math.log(bounds[bucket + 1] / bounds[bucket]);
      const x = scales.x.getPixelForValue(bucket + within);
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = colourOf("--ink");
      ctx.setLineDash(name === "p50" ? [] : [3, 3]);
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
      ctx.restore();
    }
  },
});

const histogram = (data, stage) => chart(() => {
  const options = baseOptions();
  options.scales = {
    x: axis("", {
      type: "linear",
      offset: false,
      min: 0,
      max: data.counts.length,
      grid: {display: false, offset: false},
      ticks: {
        stepSize: Math.ceil(data.counts.length / 5),
        autoSkipPadding: 24,
        includeBounds: false,
        callback: (value) => durationText(data.bounds_s[value])
      }
    }),
    y: axis("", {ticks: {maxTicksLimit: 4, precision: 0}}),
  };
  options.plugins.tooltip.displayColors = false;
  options.plugins.tooltip.callbacks = {
    title: ([point]) =>
        `${durationText(data.bounds_s[point.dataIndex])} to ${durationText(data.bounds_s[point.dataIndex + 1])}`,
    label: (point) => `${countText(point.parsed.y, "firing")} of ${wholeText(sum(data.counts))}`,
  };
  return {
    type: "bar",
    data: {
      datasets: [{
        data: data.counts.map((count, bucket) => ({x: bucket + 0.5, y: count})),
        backgroundColor: colourOf(data.clock === "device" ? "--gpu" : "--busy"),
        barPercentage: 1,
        categoryPercentage: 0.94
      }]
    },
    options,
    plugins: [quantileLines(stage, data.bounds_s, data.clock)],
  };
});

const drawLatency = () => {
  const byName = new Map(stages.map((stage) => [stage.name, stage]));
  const all = (run.latency || []).filter((data) => byName.has(data.stage));
  const busiest = [...all]
                      .sort((a, b) => serviceTime(byName.get(b.stage)) - serviceTime(byName.get(a.stage)))
                      .slice(0, MOST_HISTOGRAMS);
  const shown = all.filter((data) => busiest.includes(data));
  if (!shown.length) return;
  const left = all.length - shown.length;
  const kept = time.begin_s > 0 ? "the newest firings, " : "";
  panel(
      "latency", "Time of a firing",
      `${kept}firings by duration, which grows by a factor from bar to bar; line: p50, dashed: p99 of the whole run`,
      el("div", {class: "charts"},
         shown.map(
             (data) =>
                 el("div", {class: "chart"},
                    el("h3", {title: data.stage}, data.stage,
                       el("small", {},
                          `${data.clock === "device" ? "on the device" : "body"}, ${
                              countText(sum(data.counts), "firing")}`)),
                    histogram(data, byName.get(data.stage))))),
      left ? el("p", {class: "note"}, `${left} more, of stages that work less, are not drawn.`) : null);
};

// Devices: how busy, how much overlap, memory, and how often the host waited.
const deviceColumns = [
  {head: "device", kind: "name"},
  {head: "firings"},
  {head: "busy", hint: "work of at least one firing under way, share of the wall"},
  {head: "overlap", hint: "sum of the firings' spans over the busy time: 1 is none"},
  {head: "memory: most"},
  {head: "allocations", hint: "calls that asked the driver for memory"},
  {head: "frees", hint: "calls that gave memory back to the driver"},
  {head: "maps", hint: "of memory into reserved addresses"},
  {head: "unmaps"},
  {head: "host waits", hint: "times that a body made the host wait for the device"},
  {head: "a step"},
];

const deviceRow = (device) =>
    [device.name, wholeText(device.firings), percentText(ratio(device.busy_s, wall)),
     ratio(device.span_s, device.busy_s).toFixed(2), bytesText(device.memory_high_bytes), wholeText(device.allocations),
     wholeText(device.frees ?? 0), wholeText(device.maps ?? 0), wholeText(device.unmaps ?? 0),
     wholeText(device.host_waits), report.steps > 0 ? rateText(device.host_waits / report.steps) : "-"];

// A whole power of two, for four ticks or so.
const bytesStep = (values) => 2 ** Math.ceil(Math.log2(Math.max(...values, 4) / 5));

const usageChart = (usage, sets, valueText) => chart(() => {
  const options = baseOptions();
  options.interaction = {mode: "nearest", axis: "x", intersect: false};
  options.scales = {
    x: axis("time since the run began", {
      type: "linear",
      min: 0,
      max: wall,
      grid: {display: false},
      ticks: {stepSize: timeStep(wall), callback: (value) => timeText(value, wall)}
    }),
    y: axis("", {
      beginAtZero: true,
      ticks: {
        maxTicksLimit: 6,
        stepSize: valueText === bytesText ? bytesStep(usage.memory_bytes) : undefined,
        callback: valueText
      }
    }),
  };
  options.plugins.legend.display = sets.length > 1;
  options.plugins.tooltip.callbacks = {
    title: ([point]) => (point ? durationText(point.parsed.x) : ""),
    label: (point) => `${point.dataset.label}: ${valueText(point.parsed.y)}`
  };
  return {
    type: "line",
    data: {
      datasets: sets.map(([label, key], index) => ({
                           label,
                           data: usage.at_s.map((x, i) => ({x, y: usage[key][i]})),
                           borderColor: partColour([0, 6, 2, 8, 4][index % 5]),
                           backgroundColor: partColour([0, 6, 2, 8, 4][index % 5]),
                           borderWidth: 1.6,
                           borderDash: DASHES[index % 5],
                           pointRadius: usage.at_s.length < 3 ? 3 : 0,
                           stepped: "after"
                         }))
    },
    options
  };
});

const usageCharts = (usage) => {
  const counts = [
    ["allocations", "allocations"], ["frees", "frees"], ["maps", "maps"], ["unmaps", "unmaps"],
    ["host waits", "host_waits"]
  ].filter(([, key]) => usage[key].some((value) => value > 0));
  const drawn = [];
  if (usage.memory_bytes.some((bytes) => bytes > 0))
    drawn.push(
        el("div", {class: "chart"}, el("h3", {}, usage.name, el("small", {}, "memory that is allocated")),
           usageChart(usage, [["memory", "memory_bytes"]], bytesText)));
  if (counts.length)
    drawn.push(
        el("div", {class: "chart"}, el("h3", {}, usage.name, el("small", {}, "calls so far")),
           usageChart(usage, counts, wholeText)));
  return drawn;
};

const drawDevices = () => {
  if (!report.devices.length) return;
  const drawn = (run.devices || []).filter((device) => device.at_s.length).flatMap(usageCharts);
  panel(
      "devices", "Devices and memory",
      "busy: work of at least one firing under way; overlap: sum of the firings' spans over that",
      table(deviceColumns, report.devices.map(deviceRow)),
      drawn.length ? el("div", {class: "charts two"}, drawn) : null);
};

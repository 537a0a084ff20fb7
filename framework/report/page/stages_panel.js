// The tables of stages, of their named parts, and of edges.
const stageColumns = (onDevice) =>
    [{head: "stage", kind: "name"},
     {head: "type", kind: "clip"},
     {head: "firings"},
     {head: "per s"},
     {head: "p50", hint: "of the time in the body"},
     {head: "p90"},
     {head: "p99"},
     {head: "max"},
     ...(onDevice ?
             [
               {head: "launch", hint: "mean time of the host in the body"},
               {head: "queued", hint: "mean time from the begin of the body to that of its work on the device"},
               {head: "on device", hint: "mean time from the begin of its work there to its end"}
             ] :
             []),
     {head: "busy"},
     {head: "waits"},
     {head: "state of its time", kind: "left"},
];

const stageRow = (stage, onDevice) => {
  const mean = (seconds) => (stage.device_firings > 0 ? durationText(seconds / stage.device_firings) : "-");
  return [
    `${stage.name}${stage.slots > 1 ? ` ×${stage.slots}` : ""}${stage.planted ? " (planted)" : ""}`, stage.type,
    wholeText(stage.firings), rateText(ratio(stage.firings, wall)), durationText(stage.p50_s),
    durationText(stage.p90_s), durationText(stage.p99_s), durationText(stage.max_s),
    ...(onDevice ?
            [
              stage.device_firings > 0 ? durationText(ratio(stage.launch_s, stage.firings)) : "-",
              mean(stage.gpu_queue_s), mean(stage.gpu_span_s)
            ] :
            []),
    percentText(busyShare(stage)), percentText(waitShare(stage)), stateBar(stage)
  ];
};

const spanColumns = (onDevice) =>
    [{head: "stage", kind: "name"}, {head: "part", kind: "left"}, {head: "total"}, {head: "mean of a firing"},
     {head: "of the busy time"}, ...(onDevice ? [{head: "on the device"}, {head: "mean of a firing"}] : [])];

const spanRows = (onDevice) => stages.flatMap((stage) => Object.entries(stage.spans || {}).map(([name, seconds]) => {
  const there = (stage.gpu_spans || {})[name];
  return [
    stage.name, name, durationText(seconds), durationText(ratio(seconds, stage.firings)),
    percentText(ratio(seconds, stage.busy_s)),
    ...(onDevice ? [durationText(there), durationText(there && ratio(there, stage.device_firings))] : [])
  ];
}));

const edgeRow = (edge) => {
  const left = [[edge.drops, "dropped"], [edge.abandoned, "abandoned"], [edge.oversize, "oversize"]].filter(
      ([count]) => count > 0);
  return [
    edge.is_buffer ? `[${edge.name}]` : edge.name.replace("->", " → "), wholeText(edge.items), bytesText(edge.bytes),
    fillText(edge.mean_fill), wholeText(edge.max_fill), wholeText(edge.capacity_items),
    edge.capacity_bytes ? bytesText(edge.capacity_bytes) : "-", percentText(ratio(edge.full_s, wall)),
    percentText(ratio(edge.empty_s, wall)), durationText(edge.residence_p50_s), durationText(edge.residence_p99_s),
    left.map(([count, what]) => `${wholeText(count)} ${what}`).join(", ")
  ];
};

// Along the flow, a buffer's content behind the edge that fills it.
const edgesInOrder = () => {
  const place = new Map(report.stages.map((stage, index) => [stage.name, index]));
  return [...report.edges].sort((a, b) => place.get(a.to) - place.get(b.to) || a.is_buffer - b.is_buffer);
};

// What was planted to see what happens: such a run is slower, or fails, on purpose.
const plantedNote = () => {
  const planted = report.stages.filter((stage) => stage.planted);
  return planted.length ?
      el("p", {class: "note planted"},
         planted.map((stage) => `Planted into stage '${stage.name}': ${stage.planted}.`).join(" ")) :
      null;
};

const drawEdgeTable = () => {
  if (!report.edges.length) return;
  const columns = [
    {head: "edge, or [what a buffer holds]", kind: "name"}, {head: "items"}, {head: "bytes"}, {head: "fill: mean"},
    {head: "max"}, {head: "of items"}, {head: "of bytes"}, {head: "full"}, {head: "empty"},
    {head: "stay: p50", hint: "how long an item stays inside"}, {head: "p99"}, {head: "left", kind: "left"}
  ];
  const rows = edgesInOrder().map(edgeRow);
  const used = columns.map(
      (column, index) =>
          !["of bytes", "left"].includes(column.head) || rows.some((row) => row[index] && row[index] !== "-"));
  const chosen = (row) => row.filter((_, index) => used[index]);
  panel(
      "edges", "Edges and buffers", "full and empty: share of the wall time", table(chosen(columns), rows.map(chosen)),
      heldPlacesNote());
};

const drawStages = () => {
  if (!stages.length) return;
  const onDevice = stages.some((stage) => stage.device_firings > 0);
  const spans = spanRows(onDevice);
  const section = panel(
      "stages", "Stages", "times of a firing's body on the host",
      table(stageColumns(onDevice), stages.map((stage) => stageRow(stage, onDevice))), plantedNote(),
      legend(stateLegend()));
  if (spans.length) {
    section.append(el("h3", {}, "Named parts of a firing"), table(spanColumns(onDevice), spans, true));
  }
};

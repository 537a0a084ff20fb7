// What waits on the edges, and what the devices do.
const shareBar = (share, colour) =>
    el("div", {class: "bar"}, el("i", {style: `width:${100 * Math.min(1, share)}%;background:var(${colour})`}));

const liveEdgeRow = (edge, run, before) => {
  const was = before && before.edges.find((other) => other.name === edge.name);
  const colour = edge.is_full && !edge.is_buffer ? "--blocked" : "--fill";
  return [
    edge.is_buffer ? `[${edge.name}]` : edge.name.replace("->", " → "),
    shareBar(ratio(edge.fill, edge.capacity_items), colour), `${edge.fill} of ${edge.capacity_items}`,
    wholeText(edge.items), was ? rateText(ratio(edge.items - was.items, run.wall_s - before.wall_s)) : "-",
    wholeText(edge.drops)
  ];
};

const drawLiveEdges = (run, before) => {
  drawTable(
      "edges", "Edges and buffers", "items that wait on them now; [what a buffer holds]",
      [
        {head: "edge", kind: "name"}, {head: "fill", kind: "left"}, {head: "items"}, {head: "sent"}, {head: "items/s"},
        {head: "drops"}
      ],
      run.edges.map((edge) => liveEdgeRow(edge, run, before)),
      run.edges.some((edge) => edge.is_full && !edge.is_buffer) ? legend([
        ["var(--blocked)", "full: its stage waits for room (what a device works on holds its place until it is done)"]
      ]) :
                                                                  "");
};

const liveDeviceRow = (device, run, before) => {
  const was = before && before.devices.find((other) => other.name === device.name);
  const busy = was ? ratio(device.busy_s - was.busy_s, run.wall_s - before.wall_s) : null;
  return [
    device.name, busy === null ? "-" : shareBar(busy, "--gpu"), busy === null ? "-" : percentText(Math.min(busy, 1)),
    percentText(ratio(device.busy_s, run.wall_s)), bytesText(device.memory_bytes), bytesText(device.memory_high_bytes),
    wholeText(device.allocations), wholeText(device.host_waits)
  ];
};

const drawLiveDevices = (run, before) => {
  drawTable(
      "devices", "Devices", "busy: work of at least one firing under way",
      [
        {head: "device", kind: "name"}, {head: "last second", kind: "left"}, {head: "busy"}, {head: "since the start"},
        {head: "memory"}, {head: "most"}, {head: "allocations"}, {head: "host waits"}
      ],
      run.devices.map((device) => liveDeviceRow(device, run, before)));
};

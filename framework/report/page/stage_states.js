// What the report says of stages and edges, as several panels need it.
const wall = report.wall_s || 0;
const bufferNames = new Set(report.edges.filter((edge) => edge.is_buffer).map((edge) => edge.name));
const edgeByName = new Map(report.edges.map((edge) => [edge.name, edge]));
const stages = report.stages;
const slotTime = (stage) => wall * Math.max(stage.slots, 1);
// Of the time in which it could fire, on the host or on its device: as the verdict has it.
const openTime = (stage) => slotTime(stage) - stage.ended_s;
const busyShare = (stage) => Math.min(
    1, ratio(stage.device_firings > 0 ? stage.gpu_in_work_s + stage.between_steps_s : stage.busy_s, openTime(stage)));
const waitShare = (stage) => openTime(stage) > 0 ? 1 - busyShare(stage) : 0;

// Time that the stage's own work took: on its device where it has one, else in its bodies.
const serviceTime = (stage) => Math.max(stage.busy_s, stage.gpu_span_s || 0) / Math.max(stage.slots, 1);

const dominantState = (stage) =>
    STATES.slice(0, 5).reduce((most, state) => (stage[state.seconds] > stage[most.seconds] ? state : most));

// A device works on after the host has taken an item, whose place on the edge is held until it is done.
const isFullByHeldPlaces = (edge) => {
  const taker = report.stages.find((stage) => stage.name === edge.to);
  return !edge.is_buffer && taker && taker.device_firings > 0 && edge.full_s > 0.05 * wall &&
      edge.mean_fill < 0.9 * edge.capacity_items;
};
const heldPlacesNote = () => {
  const names = report.edges.filter(isFullByHeldPlaces).map((edge) => edge.name.replace("->", " → "));
  return names.length ? el("p", {class: "note"},
                           `What a device works on holds its place on the edge until it is done: ${names.join(", ")} ${
                               names.length === 1 ? "is" : "are"} full with fewer items waiting.`) :
                        null;
};

const usedStates = () =>
    STATES.filter((state) => stages.some((stage) => stage[state.seconds] > 0.0005 * slotTime(stage)));

const stateLegend = () => usedStates().map((state) => [`var(${state.colour})`, state.label]);

const stateLines = (stage) => STATES.filter((state) => stage[state.seconds] > 0)
                                  .map(
                                      (state) => `${state.label}: ${durationText(stage[state.seconds])}, ${
                                          percentText(ratio(stage[state.seconds], slotTime(stage)))}`);

const stateBar = (stage) => {
  const parts =
      STATES.filter((state) => stage[state.seconds] > 0)
          .map((state) => el("i", {
                 style: `width:${100 * ratio(stage[state.seconds], slotTime(stage))}%;background:var(${state.colour})`
               }));
  return withHover(el("div", {class: "bar"}, parts), () => [stage.name, ...stateLines(stage)]);
};

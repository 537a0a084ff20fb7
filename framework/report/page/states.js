// What the slots of a stage do with their time. `seconds` is the key of report.json, `series` that of the strips.
const STATES = [
  {seconds: "busy_s", series: "busy", label: "busy", colour: "--busy"},
  {seconds: "gpu_wait_s", series: "gpu_wait", label: "waits for the device", colour: "--gpu"},
  {seconds: "blocked_out_s", series: "blocked_out", label: "blocked by a full edge", colour: "--blocked"},
  {seconds: "starved_in_s", series: "starved_in", label: "starved of input", colour: "--starved"},
  {seconds: "dispatch_s", series: "dispatch", label: "ready, no worker", colour: "--dispatch"},
  {seconds: "unaccounted_s", series: "unaccounted", label: "unaccounted", colour: "--unaccounted"},
  {seconds: "ended_s", series: "ended", label: "not begun or ended", colour: "--ended"},
];

const wall = report.wall_s || 0;
const bufferNames = new Set(report.edges.filter((edge) => edge.is_buffer).map((edge) => edge.name));
const edgeByName = new Map(report.edges.map((edge) => [edge.name, edge]));
const stages = report.stages.filter((stage) => !bufferNames.has(stage.name));
const slotTime = (stage) => wall * Math.max(stage.slots, 1);

// Time that the stage's own work took: on its device where it has one, else in its bodies.
const serviceTime = (stage) => Math.max(stage.busy_s, stage.gpu_span_s || 0) / Math.max(stage.slots, 1);

const dominantState = (stage) =>
    STATES.slice(0, 5).reduce((most, state) => (stage[state.seconds] > stage[most.seconds] ? state : most));

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

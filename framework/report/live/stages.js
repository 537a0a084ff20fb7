// What the slots of the stages do with their time.
const CHARGED_TO = {
  input: "starved_in_s",
  room: "blocked_out_s",
  device: "gpu_wait_s",
  worker: "dispatch_s"
};
const LIVE_STATES = STATES.filter((state) => state.series !== "unaccounted");  // is known at the end only

// Seconds of a stage's slots by state, since the begin; a wait under way counts for what is lacking now.
const stateSeconds = (stage, wall) => {
  const seconds = Object.fromEntries(LIVE_STATES.map((state) => [state.seconds, stage[state.seconds] || 0]));
  const lack = CHARGED_TO[stage.lacks];
  if (lack) seconds[lack] += stage.waiting_s;
  seconds.ended_s = Math.max(0, stage.slots * wall - sum(Object.values(seconds)));
  return seconds;
};

const stageOf = (run, name) => run.stages.find((stage) => stage.name === name);

// The same since an earlier look; null where that knows nothing of the stage.
const stateSecondsSince = (stage, run, before) => {
  const was = before && stageOf(before, stage.name);
  if (!was) return null;
  const earlier = stateSeconds(was, before.wall_s);
  return Object.fromEntries(
      Object.entries(stateSeconds(stage, run.wall_s)).map(([state,
                                                            value]) => [state, Math.max(0, value - earlier[state])]));
};

const busyShare = (seconds) => ratio(seconds.busy_s, sum(Object.values(seconds)));

const liveStateBar = (seconds) => {
  const whole = sum(Object.values(seconds));
  const shares = LIVE_STATES.map((state) => ({state, share: ratio(seconds[state.seconds], whole)}));
  const words =
      shares.filter(({share}) => share >= 0.005).map(({state, share}) => `${state.label}: ${percentText(share)}`);
  return el(
      "div", {class: "bar", title: words.join("\n"), role: "img", "aria-label": words.join(", ")},
      shares.map(({state, share}) => el("i", {style: `width:${100 * share}%;background:var(${state.colour})`})));
};

const nowText = (stage) => {
  const slots = stage.slots > 1 ? ` ${stage.firing_slots}/${stage.slots}` : "";
  if (stage.firing_slots > 0) return `fires${slots} for ${durationText(stage.longest_s)}`;
  const words =
      {input: "waits for input", room: "waits for room", device: "waits for the device", worker: "waits for a worker"};
  return stage.waiting_slots > 0 ? words[stage.lacks] || "waits" : "has ended";
};

// By a longer time than that of a look, or it would be another stage each second.
const busiestLately = (run) => {
  const ago = lookSecondsAgo();
  if (run.phase !== "running" || !ago || run.wall_s - ago.wall_s < 3) return null;
  const shares = run.stages.map((stage) => {
    const seconds = stateSecondsSince(stage, run, ago);
    return {name: stage.name, share: seconds ? busyShare(seconds) : 0};
  });
  return shares.reduce((most, one) => (one.share > most.share ? one : most), {name: "", share: 0});
};

const STAGE_COLUMNS = [
  {head: "stage", kind: "name"}, {head: "last second", kind: "left"}, {head: "busy"},
  {head: "since the start", kind: "left"}, {head: "busy"}, {head: "firings"}, {head: "firings/s"},
  {head: "now", kind: "left"}
];

const liveStageRow = (stage, run, before, busiest) => {
  const whole = stateSeconds(stage, run.wall_s);
  const lately = stateSecondsSince(stage, run, before);
  const mark = busiest && busiest.name === stage.name ?
      el("small", {title: "which need not be what limits the run: the report tells that"},
         ` busiest, last ${Math.round(run.wall_s - lookSecondsAgo().wall_s)} s`) :
      null;
  const fired = before ? stage.firings - (stageOf(before, stage.name) || stage).firings : 0;
  return [
    el("span", {title: stage.name}, stage.name, mark), lately ? liveStateBar(lately) : "-",
    lately ? percentText(busyShare(lately)) : "-", liveStateBar(whole), percentText(busyShare(whole)),
    wholeText(stage.firings), lately ? rateText(ratio(fired, run.wall_s - before.wall_s)) : "-", nowText(stage)
  ];
};

const drawTable = (id, title, note, columns, rows, ...below) => {
  byId(id).hidden = rows.length === 0;
  byId(id).replaceChildren(el("h2", {}, title, el("small", {}, note)), table(columns, rows), ...below);
};

const drawLiveStages = (run, before) => {
  const busiest = busiestLately(run);
  drawTable(
      "stages", "Stages", "what their slots do with their time", STAGE_COLUMNS,
      run.stages.map((stage) => liveStageRow(stage, run, before, busiest)),
      legend(LIVE_STATES.map((state) => [`var(${state.colour})`, state.label])));
};

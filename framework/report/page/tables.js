// Lanes, counters, what stages say of themselves, self-checks, errors, provenance.
const MOST_ERRORS = 50;

const laneStages = (lane) =>
    report.stages.filter((stage) => stage.lane === lane.name).map((stage) => stage.name).join(", ");

const drawLanes = (into) => {
  if (!report.lanes.length) return;
  const rows = report.lanes.map(
      (lane) =>
          [lane.name, wholeText(lane.workers), percentText(ratio(lane.busy_s, wall * Math.max(lane.workers, 1))),
           durationText(lane.dispatch_s), {value: laneStages(lane), kind: "text"}]);
  into.push([
    "lanes", "Lanes", "busy: share of the workers' time",
    table(
        [
          {head: "lane", kind: "name"}, {head: "workers"}, {head: "busy"},
          {head: "waited for", hint: "time that firings were ready and found no worker"}, {head: "stages", kind: "left"}
        ],
        rows)
  ]);
};

const drawCounters = (into) => {
  const rows = report.stages.flatMap(
      (stage) => Object.entries(stage.counters || {}).map(([name, count]) => [stage.name, name, wholeText(count)]));
  if (rows.length)
    into.push([
      "counters", "Counters", "",
      table([{head: "stage", kind: "name"}, {head: "counter", kind: "left"}, {head: "count"}], rows)
    ]);
};

const OWN_KEYS = new Set([
  "schema", "graph", "outcome", "wall_s", "total_s", "steps", "verdict", "throughput", "stages", "edges", "paths",
  "devices", "lanes", "what_if", "self_checks", "instrumentation", "errors", "provenance"
]);

const drawSummaries = (into) => {
  for (const [section, values] of Object.entries(report)) {
    const empty = values === null || typeof values !== "object" || Object.keys(values).length === 0;
    if (!OWN_KEYS.has(section) && !empty)
      into.push([`summary-${section}`, section.charAt(0).toUpperCase() + section.slice(1), "", factList(values)]);
  }
};

const drawChecks = (into) => {
  const checks = report.self_checks;
  if (!checks.length) return;
  const failed = checks.filter((check) => !check.ok);
  const say = failed.length ? el("b", {class: "bad"}, `${failed.length} of ${checks.length} failed`) :
                              el("b", {class: "good"}, `all ${checks.length} passed`);
  const marks =
      el("div", {class: "checks"},
         checks.map(
             (check) => withHover(
                 el("i", {class: check.ok ? null : "failed"}),
                 () =>
                     [check.name, check.ok ? "passed" : "failed",
                      `off by ${numberText(check.value)}, limit ${numberText(check.limit)}`])));
  const rows = failed.map((check) => [check.name, numberText(check.value), numberText(check.limit)]);
  const cost = report.instrumentation || {};
  into.push([
    "checks", "Self-checks", "laws that a true account obeys", say, marks,
    cost.firings ?
        el("p", {class: "note"},
           `Measuring ${countText(cost.firings, "firing")} cost about ${
               durationText(cost.firings * cost.stamp_cost_s)}, ${smallShareText(cost.share)} of the wall time.`) :
        null,
    rows.length ? table([{head: "failed", kind: "name"}, {head: "off by"}, {head: "limit"}], rows) : null
  ]);
};

const drawErrors = () => {
  if (!report.errors.length) return;
  const left = report.errors.length - MOST_ERRORS;
  panel(
      "errors", "Errors", "the first is the cause",
      el("ol", {class: "errors"}, report.errors.slice(0, MOST_ERRORS).map((error) => el("li", {}, error))),
      left > 0 ? el("p", {class: "note"}, `${wholeText(left)} more stand in report.json.`) : null);
};

const drawPair = (parts) => {
  if (!parts.length) return;
  const pair =
      el("div", {class: "pair"}, parts.map(([id, title, note, ...content]) => panel(id, title, note, ...content)));
  page.append(pair);
};

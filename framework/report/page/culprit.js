// What the verdict names: a stage, all stages of a lane, or an edge.
const {verdict} = report;

const isCulpritStage = (stage) => verdict.kind === "lane" ? stage.lane === verdict.stage :
                                                            verdict.kind !== "capacity" && stage.name === verdict.stage;

const isCulpritEdge = (edge) => verdict.kind === "capacity" && edge.name === verdict.stage;

const flagText = () => {
  if (verdict.kind === "balanced") return "largest cause";
  return verdict.kind === "lane" ? `bottleneck: lane ${verdict.stage}` : "bottleneck";
};

const flag = (x, y) => {
  const text = cutTo(flagText(), 150, "700 10px");
  return [
    svg("rect", {class: "flag", x, y: y - 16, width: measured(text, "700 10px") + 14, height: 16, rx: 4}),
    svg("text", {class: "flag-text", x: x + 7, y: y - 4.5}, text)
  ];
};

// Above the box that works most of those named; for an edge above the boxes beside it, with a line down to its gauge.
const flags = (layout) => {
  const named = layout.boxes.filter((box) => isCulpritStage(box.stage));
  if (named.length) {
    const box = named.reduce((most, other) => (serviceTime(other.stage) > serviceTime(most.stage) ? other : most));
    return flag(box.x + 8, box.y);
  }
  const route = layout.routes.find((one) => isCulpritEdge(edgeByName.get(one.edge.name)));
  if (!route) return [];
  const top = Math.min(route.from.y, route.to.y, route.y - 12);
  return [
    svg("line", {class: "flag-line", x1: route.x, x2: route.x, y1: top, y2: route.y - 7}), flag(route.x - 20, top)
  ];
};

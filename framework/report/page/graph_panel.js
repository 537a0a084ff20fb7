// The graph as it ran: boxes are stages, wider the longer they work, with the share of their states; capsules are
// queues.
const GAUGE = {
  width: 26,
  height: 13
};

const edgeLines = (edge) =>
    [edge.name.replace("->", " → "),
     `holds on average ${fillText(edge.mean_fill)}, at most ${edge.max_fill}, of ${
         countText(edge.capacity_items, "item")}`,
     edge.capacity_bytes ? `of ${bytesText(edge.capacity_bytes)}` : null,
     `full ${percentText(ratio(edge.full_s, wall))} of the time, empty ${percentText(ratio(edge.empty_s, wall))}`,
     isFullByHeldPlaces(edge) ? "what was taken holds its place until the device is done with it" : null,
     `${countText(edge.items, "item")}, ${bytesText(edge.bytes)}`,
     `an item stays ${durationText(edge.residence_p50_s)} (p50), ${durationText(edge.residence_p99_s)} (p99)`,
     edge.drops ? `${wholeText(edge.drops)} dropped` : null,
     edge.abandoned ? `${wholeText(edge.abandoned)} left inside at the end` : null,
];

const stageLines = (stage) =>
    [`${stage.name} (${stage.type})`,
     `${countText(stage.firings, "firing")}, ${rateText(ratio(stage.firings, wall))}/s, ${
         countText(stage.slots, "slot")}`,
     `body: ${durationText(stage.p50_s)} p50, ${durationText(stage.p99_s)} p99, ${durationText(stage.max_s)} max`,
     stage.planted ? `planted: ${stage.planted}` : null,
     stage.gpu_span_s ? `on the device: ${durationText(ratio(stage.gpu_span_s, stage.device_firings))} mean` : null,
     ...stateLines(stage),
];

const gaugeFill = (x, y, width, height, edge) => {
  const capacity = Math.max(edge.capacity_items, 1);
  const mean = Math.min(edge.mean_fill / capacity, 1);
  const most = x + width * Math.min(edge.max_fill / capacity, 1);
  return [
    svg("rect",
        {class: edge.full_s > 0.5 * wall ? "gauge-full" : "gauge-fill", x, y, width: width * mean, height, rx: 2}),
    svg("line", {class: "gauge-most", x1: most, x2: most, y1: y, y2: y + height}),
  ];
};

const drawEdge = (route) => {
  const edge = edgeByName.get(route.edge.name);
  const x = route.x - GAUGE.width / 2;
  const y = route.y - GAUGE.height / 2;
  const perSecond = ratio(edge.bytes, wall);
  const thickness = 1.5 + 0.5 * Math.max(0, Math.log10(Math.max(perSecond, 1)) - 4);
  return withHover(
      svg("g", {class: isCulpritEdge(edge) ? "item culprit" : "item"}, svg("path", {
            class: route.feedback ? "edge feedback" : "edge",
            d: route.path,
            "stroke-width": thickness.toFixed(1),
            "marker-end": "url(#arrow)"
          }),
          svg("path", {d: route.path, fill: "none", stroke: "transparent", "stroke-width": 14}),
          svg("rect", {class: "gauge", x, y, width: GAUGE.width, height: GAUGE.height, rx: 4}),
          gaugeFill(x + 2, y + 2, GAUGE.width - 4, GAUGE.height - 4, edge)),
      () => edgeLines(edge));
};

const stateSegments = (stage, x, y, width) => {
  let at = x;
  return STATES.filter((state) => stage[state.seconds] > 0).map((state) => {
    const part = width * Math.min(ratio(stage[state.seconds], slotTime(stage)), 1);
    at += part;
    return svg("rect", {x: at - part, y, width: part, height: 9, style: `fill:var(${state.colour})`});
  });
};

const boxText = (box, line, text, kind, font) =>
    svg("text", {x: box.x + 11, y: box.y + line, class: kind}, cutTo(text, box.width - 18, font));

const boxFrame = (box, colour, rounding) =>
    [svg("rect", {class: "box", x: box.x, y: box.y, width: box.width, height: box.height, rx: rounding}),
     svg("rect", {
       x: box.x + 0.5,
       y: box.y + 0.5,
       width: box.width - 1,
       height: box.height - 1,
       rx: rounding,
       style: `fill:var(${colour});fill-opacity:0.13;pointer-events:none`
     }),
];

const boxContent = (box) => {
  const buffer = bufferNames.has(box.stage.name) ? edgeByName.get(box.stage.name) : null;
  const gauge = () =>
      [svg("rect", {class: "gauge", x: box.x + 11, y: box.y + 59, width: box.width - 22, height: 13, rx: 4}),
       gaugeFill(box.x + 13, box.y + 61, box.width - 26, 9, buffer)];
  return [
    boxText(box, 20, boxName(box.stage), "box-name", "700 13px"), boxText(box, 36, box.stage.type, "muted", "11px"),
    boxText(box, 52, boxFigures(box.stage), "", "11px"),
    buffer ? gauge() : stateSegments(box.stage, box.x + 11, box.y + 61, box.width - 22)
  ];
};

const drawBox = (box) => {
  const {stage} = box;
  const buffer = bufferNames.has(stage.name) ? edgeByName.get(stage.name) : null;
  const frame = boxFrame(box, buffer ? "--fill" : dominantState(stage).colour, buffer ? 18 : 6);
  return withHover(
      svg("g", {class: isCulpritStage(stage) ? "item culprit" : "item"}, frame, boxContent(box)),
      () => (buffer ? [stage.type, ...edgeLines(buffer)] : stageLines(stage)));
};

const arrowHead = () =>
    svg("defs", {},
        svg("marker", {
          id: "arrow",
          viewBox: "0 0 8 8",
          refX: 8,
          refY: 4,
          markerWidth: 8,
          markerHeight: 8,
          markerUnits: "userSpaceOnUse",
          orient: "auto"
        },
            svg("path", {d: "M0 0.5 L8 4 L0 7.5 Z", style: "fill:var(--muted)"})));

const gaugeMark = () =>
    svg("svg", {width: 30, height: 13, viewBox: "0 0 30 13"},
        svg("rect", {x: 0.5, y: 0.5, width: 29, height: 12, rx: 4, style: "fill:none;stroke:var(--muted)"}),
        svg("rect", {x: 2, y: 2.5, width: 14, height: 8, rx: 2, style: "fill:var(--fill)"}),
        svg("line", {x1: 22, x2: 22, y1: 2.5, y2: 10.5, style: "stroke:var(--ink);stroke-width:1.5"}));

const drawGraph = () => {
  if (!report.stages.length || !(wall > 0)) return;
  const layout = graphLayout(report.stages, run.graph);
  const right = Math.max(...layout.boxes.map((box) => box.right)) + 14;
  const width = Math.max(right, 900);
  const picture =
      svg("svg", {
        viewBox: `0 0 ${width} ${layout.height}`,
        role: "img",
        style: `max-width:${Math.round(width * 1.15)}px;min-width:${Math.round(Math.min(0.8 * width, 1100))}px`
      },
          arrowHead(), layout.routes.map(drawEdge), layout.boxes.map(drawBox), flags(layout));
  const section = panel(
      "graph", "Graph",
      "time of a firing (p50; on a device the mean) and firings a second; a box is wider the longer its stage works, tinted by the state that it is in most",
      el("div", {class: "scroll"}, picture), plantedNote(), legend([
        ...stateLegend(), [gaugeMark(), "a queue: mean fill of its capacity, line: most"],
        ...(report.edges.some((edge) => edge.full_s > 0.5 * wall) ?
                [["var(--blocked)", "a queue that is full most of the time"]] :
                [])
      ]));
  section.classList.add("graph");
};

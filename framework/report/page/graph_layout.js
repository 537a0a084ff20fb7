// Where boxes and edges of the graph go. Columns come from the run's data; they fill a line of the picture from left to
// right, and those that find no room begin a new line below.
const BOX_HEIGHT = 78;
const ROW_GAP = 22;
const COLUMN_GAP = 44;
const LANE_HEIGHT = 20;  // of an edge that runs below its line
const FLAG_HEIGHT = 20;  // above a box

const boxName = (stage) => (stage.slots > 1 ? `${stage.name} ×${stage.slots}` : stage.name);

const boxFigures = (stage) => {
  if (bufferNames.has(stage.name))
    return `holds ${fillText(edgeByName.get(stage.name).mean_fill)} of ${edgeByName.get(stage.name).capacity_items}`;
  const time = stage.gpu_span_s ? ratio(stage.gpu_span_s, stage.device_firings) : stage.p50_s;
  return `${durationText(time)} · ${rateText(ratio(stage.firings, wall))}/s`;
};

const boxWidth = (stage, largest) => {
  const text = Math.max(
      measured(boxName(stage), "700 13px"), measured(stage.type || "", "11px"), measured(boxFigures(stage), "11px"),
      64);
  return Math.min(text, 150) + 22 + 70 * ratio(serviceTime(stage), largest);
};

// Columns as lists of boxes {stage, index, width, height}, topmost first.
const columnsOf = (stageList, places) => {
  const largest = Math.max(...stageList.map(serviceTime), 0);
  const columns = [];
  stageList.forEach((stage, index) => {
    const {layer, row} = places[index];
    columns[layer] = columns[layer] || [];
    columns[layer].push({stage, index, row, width: boxWidth(stage, largest), height: BOX_HEIGHT});
  });
  for (const column of columns) column.sort((a, b) => a.row - b.row);
  return columns;
};

// Lines of columns, each {columns, height}; boxes get x, and y within their line.
const linesOf = (columns, room) => {
  const lines = [];
  let x = Infinity;
  for (const column of columns) {
    const width = Math.max(...column.map((box) => box.width));
    if (x + width > room) {
      lines.push({columns: [], height: 0, lanes: 0});
      x = lines.length > 1 ? 26 : 4;
    }
    const line = lines[lines.length - 1];
    const height = column.length * (BOX_HEIGHT + ROW_GAP) - ROW_GAP;
    for (const box of column)
      Object.assign(box, {x: x + (width - box.width) / 2, left: x, right: x + width, line: lines.length - 1});
    line.columns.push({boxes: column, height});
    line.height = Math.max(line.height, height);
    x += width + COLUMN_GAP;
  }
  return lines;
};

const routeKind = (from, to, layerOf) => from.line === to.line && layerOf(to) === layerOf(from) + 1 ? "direct" : "lane";

// One line where the picture need not shrink much for it.
const lineRoom = (columns) => {
  const whole = sum(columns.map((column) => Math.max(...column.map((box) => box.width)))) + COLUMN_GAP * columns.length;
  return whole <= 1560 ? whole : 1320;
};

const graphLayout = (stageList, graph) => {
  const columns = columnsOf(stageList, graph.stages);
  const lines = linesOf(columns, lineRoom(columns));
  const boxes = [];
  for (const line of lines)
    for (const column of line.columns)
      for (const box of column.boxes) boxes[box.index] = box;
  const layerOf = (box) => graph.stages[box.index].layer;
  const routes = graph.edges.map((edge) => {
    const from = boxes[edge.from];
    const to = boxes[edge.to];
    const kind = routeKind(from, to, layerOf);
    const lane = kind === "lane" ? lines[from.line].lanes++ : 0;
    return {edge, from, to, kind, lane, feedback: edge.from >= edge.to};
  });
  let y = 0;
  for (const line of lines) {
    line.y = y + FLAG_HEIGHT;
    for (const column of line.columns) {
      column.boxes.forEach((box, row) => {
        box.y = line.y + (line.height - column.height) / 2 + row * (BOX_HEIGHT + ROW_GAP);
      });
    }
    line.bottom = line.y + line.height;
    y = line.bottom + 10 + line.lanes * LANE_HEIGHT;
  }
  return {boxes, routes: spread(routes).map((route) => traced(route, lines)), height: y};
};

// Several edges at one side of a box begin and end beside each other.
const spread = (routes) => {
  for (const [end, key] of [["from", "out"], ["to", "in"]]) {
    const groups = new Map();
    for (const route of routes) groups.set(route[end], [...(groups.get(route[end]) || []), route]);
    for (const [box, group] of groups) {
      const other = end === "from" ? "to" : "from";
      group.sort((a, b) => a[other].line - b[other].line || a[other].y - b[other].y);
      group.forEach((route, i) => {
        route[key] = box.y + (box.height * (i + 1)) / (group.length + 1);
      });
    }
  }
  return routes;
};

// The path of an edge, and the middle of its gauge.
const traced = (route, lines) => {
  const x1 = route.from.x + route.from.width;
  const x2 = route.to.x;
  const [y1, y2] = [route.out, route.in];
  if (route.kind === "direct") {
    const middle = (route.from.right + route.to.left) / 2;
    return {...route, path: `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`, x: middle, y: (y1 + y2) / 2};
  }
  const lane = lines[route.from.line].bottom + 12 + route.lane * LANE_HEIGHT;
  const turn = 5;
  const down = route.from.right + 5;
  const up = route.to.left - 8;
  const side = Math.sign(up - down) || 1;
  const vertical = Math.sign(y2 - lane) || 1;
  const path = [
    `M${x1} ${y1} L${down - turn} ${y1} Q${down} ${y1} ${down} ${y1 + turn}`,
    `L${down} ${lane - turn} Q${down} ${lane} ${down + side * turn} ${lane} L${up - side * turn} ${lane}`,
    `Q${up} ${lane} ${up} ${lane + vertical * turn} L${up} ${y2 - vertical * turn} Q${up} ${y2} ${up + turn} ${y2} L${
        x2} ${y2}`
  ];
  return {...route, path: path.join(" "), x: (down + up) / 2, y: lane};
};

const drawTables = () => {
  const first = [];
  drawLanes(first);
  drawCounters(first);
  drawSummaries(first);
  drawChecks(first);
  drawPair(first);
};

const drawProvenance = () => {
  if (report.provenance && Object.keys(report.provenance).length)
    panel("provenance", "Provenance", "", factList(report.provenance));
};

page.replaceChildren();
drawHead();
for (const draw
         of [drawGraph, drawTime, drawStages, drawEdgeTable, drawPaths, drawGains, drawLatency, drawSteps, drawCurves,
             drawDevices, drawTables, drawErrors, drawProvenance])
  draw();
drawCharts();
watchColours();
document.documentElement.dataset.drawn = String(document.querySelectorAll(".panel").length);

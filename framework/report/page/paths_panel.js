// How long items take from a source to a sink, and where.
const PATH_KINDS = {
  firing: {colour: "--busy", label: "in a body"},
  device: {colour: "--gpu", label: "on the device after it"},
  waiting: {colour: "--starved", label: "waiting on an edge, or for room on one"},
};
const MOST_PATHS = 4;

const pathBar = (path) => {
  const total = sum(path.parts.map((part) => part.mean_s));
  const segments = path.parts.filter((part) => part.mean_s > 0).map((part) => {
    const share = ratio(part.mean_s, total);
    const name = part.name.replace("->", " → ");
    const text = share > 0.12 ? `${name} ${durationText(part.mean_s)}` : share > 0.05 ? durationText(part.mean_s) : "";
    return withHover(
        el("i", {class: part.kind, style: `flex-grow:${share.toFixed(5)}`}, text),
        () =>
            [name, PATH_KINDS[part.kind].label,
             `${durationText(part.mean_s)} on average, ${percentText(share)} of the way`]);
  });
  return el("div", {class: "way"}, segments);
};

// Each part in words too: many are too short to be written on.
const pathList = (path) => {
  const total = sum(path.parts.map((part) => part.mean_s));
  const parts = path.parts.filter((part) => part.mean_s > 0.0005 * total);
  return el("ul", {class: "legend way-list"}, parts.map((part) => {
    const where = part.kind === "device" ? " (device)" : "";
    return el(
        "li", {}, el("span", {class: "swatch", style: `background:var(${PATH_KINDS[part.kind].colour})`}),
        `${part.name.replace("->", " → ")}${where} ${durationText(part.mean_s)}`);
  }));
};

const drawPaths = () => {
  const paths = (report.paths || []).filter((path) => path.items > 0);
  if (!paths.length) return;
  const used =
      Object.entries(PATH_KINDS)
          .filter(([kind]) => paths.some((path) => path.parts.some((part) => part.kind === kind && part.mean_s > 0)));
  panel(
      "paths", "From source to sink", "mean times of an item on its way, along the input that came last",
      paths.slice(0, MOST_PATHS)
          .map(
              (path) =>
                  [el("h3", {}, path.stages.join(" → "),
                      el("small", {},
                         ` p50 ${durationText(path.p50_s)}, p99 ${durationText(path.p99_s)}, ${
                             countText(path.items, "item")}`)),
                   pathBar(path), pathList(path)]),
      paths.length > MOST_PATHS ?
          el("p", {class: "note"}, `${paths.length - MOST_PATHS} more, that fewer items took, stand in report.json.`) :
          null,
      legend(used.map(([, kind]) => [`var(${kind.colour})`, kind.label])));
};

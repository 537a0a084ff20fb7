// Charts by Chart.js, drawn anew where the colours of the page change: light, dark, or paper.
const charts = [];

const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const PARTS = 9;
const partColour = (index) => colourOf(`--part-${index % PARTS}`);

const axis = (title, extra) => ({
  title: {display: Boolean(title), text: title, color: colourOf("--muted"), font: {size: 11}, padding: 2},
  grid: {color: colourOf("--line"), drawTicks: false},
  border: {display: false},
  ...extra,
  ticks: {
    color: colourOf("--muted"),
    font: {size: 10.5},
    maxRotation: 0,
    autoSkipPadding: 14,
    padding: 4,
    ...(extra || {}).ticks
  },
});

const baseOptions = () => ({
  animation: false,
  responsive: true,
  maintainAspectRatio: false,
  interaction: {mode: "index", intersect: false},
  plugins: {
    legend: {
      display: false,
      labels: {color: colourOf("--ink"), usePointStyle: true, boxWidth: 8, boxHeight: 6, font: {size: 11}}
    },
    tooltip: {
      backgroundColor: colourOf("--ink"),
      titleColor: colourOf("--card"),
      bodyColor: colourOf("--card"),
      boxPadding: 4,
      titleFont: {size: 12},
      bodyFont: {size: 12}
    },
  },
});

// `make()` returns the configuration in the colours of the moment.
const chart = (make) => {
  const canvas = el("canvas", {role: "img"});
  charts.push({canvas, make, drawn: null});
  return el("div", {class: "canvas"}, canvas);
};

const drawCharts = () => {
  for (const entry of charts) {
    if (entry.drawn) entry.drawn.destroy();
    entry.drawn = new Chart(entry.canvas, entry.make());
  }
};

const watchColours = () => {
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
  window.addEventListener("beforeprint", () => {
    document.documentElement.setAttribute("data-print", "");
    drawCharts();
  });
  window.addEventListener("afterprint", () => {
    document.documentElement.removeAttribute("data-print");
    drawCharts();
  });
};

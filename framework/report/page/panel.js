// The run that the page tells of, and the panels that it is made of.
const run = JSON.parse(document.getElementById("run").textContent);
const report = run.report;
const page = document.getElementById("page");

// A panel of the page, with what it is called and what must be known to read it.
const panel = (id, title, note, ...children) => {
  const heading = el("h2", {}, title, note ? el("small", {}, note) : null);
  const section = el("section", {class: "panel", id}, heading, children);
  page.append(section);
  return section;
};

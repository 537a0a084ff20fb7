// Elements are made from values only, never from HTML text, so no name of a user's can become markup.
const filledIn = (element, attributes, children) => {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null) element.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
};

const el = (tag, attributes, ...children) => filledIn(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
    filledIn(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// Columns: {head, kind, hint}; kind "name", "clip", "left", "text" or nothing for a number. Cells: text, an element,
// or {value, kind}.
const table = (columns, rows, narrow) => {
  const head = el("tr", {}, columns.map((column) => {
    const left = ["name", "clip", "left", "text"].includes(column.kind);
    return el("th", {class: left ? "left" : null, title: column.hint}, column.head);
  }));
  const cell = (value, column) => {
    const own = value !== null && typeof value === "object" && "value" in value && !(value instanceof Node);
    const content = own ? value.value : value;
    const clips = column.kind === "name" || column.kind === "clip";
    const kind = [column.kind, own ? value.kind : null].filter(Boolean).join(" ");
    return el("td", {class: kind || null, title: clips && typeof content === "string" ? content : null}, content);
  };
  const body = rows.map((row) => el("tr", {}, row.map((value, index) => cell(value, columns[index]))));
  return el(
      "div", {class: "scroll"},
      el("table", {class: narrow ? "narrow" : null}, el("thead", {}, head), el("tbody", {}, body)));
};

const legend = (entries) =>
    el("ul", {class: "legend"},
       entries.map(
           ([mark, text]) =>
               el("li", {},
                  typeof mark === "string" ? el("span", {class: "swatch", style: `background:${mark}`}) : mark, text)));

// Text cut to a width in pixels, as the page's font has it.
const measured = (() => {
  const context = document.createElement("canvas").getContext("2d");
  return (text, font) => {
    context.font = `${font} system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`;
    return context.measureText(text).width;
  };
})();

const cutTo = (text, width, font) => {
  if (measured(text, font) <= width) return text;
  const letters = Array.from(text);
  while (letters.length > 1 && measured(`${letters.join("")}…`, font) > width) letters.pop();
  return `${letters.join("")}…`;
};

// Values of no known shape, as stages say them of themselves: by name, one a line.
const LONGEST_FACT = 600;  // letters

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

const cutLong = (text) =>
    (text.length > LONGEST_FACT ?
         `${text.slice(0, LONGEST_FACT)}… (${wholeText(text.length)} letters, all in report.json)` :
         text);

const factText = (value) => {
  if (value === null) return "-";
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value) && !value.some((item) => item !== null && typeof item === "object")) {
    return value.length ? value.map(factText).join(", ") : "none";
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

const cellText = (value) =>
    (typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(4))) : factText(value));

// A list of objects with the same few plain members is a table.
const isTable = (value) => Array.isArray(value) && value.length > 0 && value.length <= 40 && value.every(isObject) &&
    Object.keys(value[0]).length <= 6 &&
    value.every(
        (item) => Object.keys(item).join() === Object.keys(value[0]).join() &&
            Object.values(item).every((member) => typeof member !== "object"));

const factValue = (value) => {
  if (!isTable(value)) return cutLong(factText(value));
  return table(
      Object.keys(value[0]).map((key) => ({head: key})), value.map((item) => Object.values(item).map(cellText)));
};

// Objects inside objects by dotted names.
const factList = (object) => {
  const rows = [];
  const walk = (value, name, depth) => {
    if (isObject(value) && depth < 3) {
      for (const [key, inner] of Object.entries(value)) walk(inner, name ? `${name}.${key}` : key, depth + 1);
    } else {
      rows.push(el("dt", {}, name), el("dd", {class: isTable(value) ? "wide" : null}, factValue(value)));
    }
  };
  walk(object, "", 0);
  return el("dl", {class: "facts"}, rows);
};

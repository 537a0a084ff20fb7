// Strips: areas side by side over bins, stretched to the width that there is.
// The area between two step lines; 0 is the bottom of the strip, `top` its top.
const bandPath = (lower, upper, top) => {
  const y = (value) => (100 - (100 * value) / top).toFixed(1);
  const along = (values, order) => order.map((bin) => values[bin]);
  const forward = upper.map((value, bin) => `L${bin} ${y(value)}L${bin + 1} ${y(value)}`).join("");
  const order = Array.from(lower.keys()).reverse();
  const back = along(lower, order).map((value, i) => `L${order[i] + 1} ${y(value)}L${order[i]} ${y(value)}`).join("");
  return `M0 ${y(lower[0] || 0)}${forward}${back}Z`;
};

const strip = (kind, paths, bins) =>
    svg("svg", {class: `strip ${kind}`, viewBox: `0 0 ${bins} 100`, preserveAspectRatio: "none"}, paths);

const binAt = (event, element, bins) => {
  const {left, width} = element.getBoundingClientRect();
  return Math.min(bins - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bins)));
};

// The line that follows the pointer over all strips.
const withCross = (element, bins, lines) => {
  withHover(element, (event) => {
    const grid = element.closest(".strips");
    const cross = grid.querySelector(".cross");
    cross.hidden = false;
    cross.style.left = `${event.clientX - grid.getBoundingClientRect().left}px`;
    return lines(binAt(event, element, bins));
  });
  element.addEventListener("pointerleave", () => {
    element.closest(".strips").querySelector(".cross").hidden = true;
  });
  return element;
};

// Colours by name, so that a part has the same one in all reports; of those that would share one the later takes the
// next.
const partColours = (names) => {
  const colours = new Map();
  const taken = new Set();
  for (const name of [...names].sort()) {
    let index = Array.from(name).reduce((hash, letter) => (31 * hash + letter.codePointAt(0)) % 9973, 7) % 9;
    while (taken.has(index) && taken.size < 9) index = (index + 1) % 9;
    taken.add(index);
    colours.set(name, `var(--part-${index})`);
  }
  return colours;
};

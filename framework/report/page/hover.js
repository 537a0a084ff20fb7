// One box beside the pointer that says exact values.
const hoverBox = document.getElementById("hover");

const placeHover = (event) => {
  const {width, height} = hoverBox.getBoundingClientRect();
  const right = event.clientX + 14 + width < window.innerWidth;
  const below = event.clientY + 16 + height < window.innerHeight;
  hoverBox.style.left = `${Math.max(4, right ? event.clientX + 14 : event.clientX - 14 - width)}px`;
  hoverBox.style.top = `${Math.max(4, below ? event.clientY + 16 : event.clientY - 16 - height)}px`;
};

// `lines(event)` returns what to say as a list of lines; nothing hides the box.
const withHover = (element, lines) => {
  const show = (event) => {
    const text = lines(event);
    hoverBox.hidden = !text;
    if (!text) return;
    hoverBox.textContent = text.filter(Boolean).join("\n");
    placeHover(event);
  };
  element.addEventListener("pointermove", show);
  element.addEventListener("pointerleave", () => {
    hoverBox.hidden = true;
  });
  return element;
};

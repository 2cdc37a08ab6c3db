// What the theme lacks: copy buttons, and names for screen readers and the keyboard.
for (const caption of document.querySelectorAll("p.caption[role=heading]")) {
  caption.setAttribute("aria-level", "2");
}
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Site");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
const scrolling = {
  ".table-wrapper": "Table",
  "div.highlight pre": "Code",
  "div.formula": "Formula",
  "figure.lesson": "Figure",
};
for (const [selector, name] of Object.entries(scrolling)) {
  for (const element of document.querySelectorAll(selector)) {
    if (element.scrollWidth > element.clientWidth) {
      element.tabIndex = 0;
      element.setAttribute("role", "group");
      element.setAttribute("aria-label", name);
    }
  }
}

// Of a console block only the commands are copied, without prompts and output.
const commands = (text) => {
  const lines = text.split("\n");
  if (!lines.some((line) => line.startsWith("$ "))) return text;
  let continued = false;
  return lines
    .filter((line) => {
      const kept = continued || line.startsWith("$ ");
      continued = kept && line.endsWith("\\");
      return kept;
    })
    .map((line) => line.replace(/^\$ /, ""))
    .join("\n");
};
// Browsers have a clipboard for pages from https and from the disk only.
for (const block of navigator.clipboard ? document.querySelectorAll("div.highlight") : []) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy the code");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(commands(block.querySelector("pre").textContent.trimEnd()));
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  block.append(button);
}

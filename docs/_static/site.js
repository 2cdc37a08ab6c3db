// What the theme lacks for screen readers and the keyboard.
for (const caption of document.querySelectorAll("p.caption[role=heading]")) {
  caption.setAttribute("aria-level", "2");
}
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Site");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
for (const element of document.querySelectorAll(".table-wrapper, div.highlight pre")) {
  if (element.scrollWidth > element.clientWidth) {
    element.tabIndex = 0;
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", element.matches("pre") ? "Code" : "Table");
  }
}

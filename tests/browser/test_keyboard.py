"""The viewer is fully usable with the keyboard."""

from __future__ import annotations

import pytest

SHOWN = ("transformer", "found", "sutskever", "image", "together")
ROVING = "[role=tab], [data-row], [role=treeitem], .word, [data-position]"

# Tab stops: one in each group of words, cells or nodes, and each control.
STOPS = """(root) => {
  const stops = Array.from(root.querySelectorAll("*")).filter(
    (each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility());
  stops.forEach((each, i) => { each.stop = i; });
  return stops.length;
}"""
FOCUSED = "(root) => root.activeElement && (root.activeElement.stop ?? -1)"

# Groups with one tab stop, and their items.
GROUPS = {
    "[role=tablist]": "[role=tab]",
    "[role=tree]": "[role=treeitem]",
    ".text[data-side=rows]": ".word[role=button]",
    ".text[data-side=columns]": ".word[role=button]",
    "[data-testid=positions]": "[data-position]",
}
PRESS = """const press = (key, ctrlKey = false) => {
    root.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, composed: true }));
    return root.host.updateComplete;
  };"""
REACHED = f"""async (root, which) => {{
  {PRESS}
  const all = () => Array.from(root.querySelectorAll(which));
  const first = all().findIndex((each) => each.tabIndex === 0);
  const known = new Set([first]);
  for (const at of known)
    for (const key of ["ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight"]) {{
      if (known.size === all().length) return Array.from(known);
      all()[at].click();
      await root.host.updateComplete;
      all()[at].focus();
      await root.host.updateComplete;
      for (let before = 0; before < known.size; ) {{  // continue while it finds new items
        before = known.size;
        await press(key);
        const to = all().indexOf(root.activeElement);
        if (to >= 0) known.add(to);
      }}
    }}
  return Array.from(known);
}}"""
SWEPT = f"""async (root) => {{
  {PRESS}
  const name = ({{ dataset }}) => `${{dataset.row}} ${{dataset.column}}`;
  const all = Array.from(root.querySelectorAll("[data-row]"), name);
  const [rows, columns] = all.at(-1).split(" ").map((last) => Number(last) + 1);
  root.querySelector("[data-row][tabindex='0']").focus();
  await press("Home", true);
  const found = [name(root.activeElement)];
  for (let row = 0; row < rows; row++) {{
    for (let column = 1; column < columns; column++) {{
      await press(row % 2 ? "ArrowLeft" : "ArrowRight");
      found.push(name(root.activeElement));
    }}
    if (row < rows - 1) {{
      await press("ArrowDown");
      found.push(name(root.activeElement));
    }}
  }}
  return [found, all];
}}"""
CONTROLS = f"""(root) => Array.from(root.querySelectorAll(
    ".panel button, .panel select, .panel input, .panel summary, .panel a[href]"))
  .filter((each) => !each.disabled && each.tabIndex >= 0 && !each.matches("{ROVING}"))
  .map((each, i) => {{ each.control = i;
    return [i, each.type ?? each.localName, each.dataset.testid ?? each.textContent.trim()]; }})"""
FOCUS = """(root, name, i) => {
  const all = Array.from(root.querySelectorAll(".panel button, .panel select, .panel input"));
  const it = all.find((each) => each.control === i && each.isConnected);
  it?.focus();
  return Boolean(it);
}"""
STATE = """(root) => [root.querySelector("[role=tabpanel]").outerHTML,
  ...Array.from(root.querySelectorAll("select, input"), (each) => `${each.value} ${each.checked}`)
].join("\\n").replaceAll(/<!--.*?-->/g, "")"""
KEYS = {"select-one": "ArrowDown", "checkbox": "Space", "range": "ArrowRight"}


def tabbed(viewer) -> list[int]:
    """The tab stops of the viewer in order; −1: a scrollable region."""
    viewer.page.mouse.click(1, 1)
    stops: list[int] = []
    for _ in range(300):
        viewer.page.keyboard.press("Tab")
        stop = viewer.evaluate(FOCUSED)
        if stop is None and stops:
            return stops
        if stop is not None:
            stops.append(stop)
    raise AssertionError("Tab does not leave the viewer")


@pytest.mark.parametrize("name", SHOWN)
def test_tab_stops_at_every_control(new_viewer, pages, name) -> None:
    viewer = new_viewer().open(pages[name])
    for view in viewer.views:
        wanted = viewer.show(view).evaluate(STOPS)
        found = [stop for stop in tabbed(viewer) if stop >= 0]
        assert found == list(range(wanted)), view
    assert viewer.errors == []


@pytest.mark.parametrize("name", SHOWN)
def test_arrow_keys_reach_all_items_of_a_group(new_viewer, pages, name) -> None:
    viewer = new_viewer().open(pages[name])
    for view in viewer.views:
        for group, item in GROUPS.items():
            if group == "[role=tablist]" and view != viewer.views[0]:
                continue
            viewer.show(view)
            wanted = viewer.evaluate(
                "(root, group, item) => root.querySelectorAll(`${group} ${item}`).length",
                group,
                item,
            )
            if wanted:
                assert len(reached(viewer, group, item)) == wanted, f"{view}: {group}"


def reached(viewer, group: str, item: str) -> set[int]:
    """All items that arrow keys reach."""
    return set(viewer.evaluate(REACHED, f"{group} {item}"))


@pytest.mark.parametrize("name", ["found", "image"])
def test_arrow_keys_reach_every_matrix_cell(new_viewer, pages, name) -> None:
    viewer = new_viewer().open(pages[name], "matrix")
    found, wanted = viewer.evaluate(SWEPT)
    assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize("name", ["found", "transformer", "image", "together"])
def test_every_control_works_with_a_key(new_viewer, pages, name) -> None:
    viewer = new_viewer().open(pages[name])
    failures = []
    for view in viewer.views:
        for i, kind, control in viewer.show(view).evaluate(CONTROLS):
            if not viewer.show(view).evaluate(FOCUS, control, i):
                continue  # another control removed it
            before = viewer.evaluate(STATE)
            pressed = viewer.evaluate("(root) => root.activeElement.getAttribute('aria-pressed')")
            single = viewer.evaluate("(root) => root.activeElement.options?.length === 1")
            viewer.page.keyboard.press(KEYS.get(kind, "Enter"))
            if viewer.evaluate(STATE) == before:
                viewer.page.keyboard.press("ArrowUp" if kind == "select-one" else "Enter")
            if viewer.evaluate(FOCUSED) is None:
                failures.append(f"{view}: {control} loses the focus")
            no_effect = pressed == "true" or single or control in ("csv", "picture", "back")
            if not no_effect and viewer.evaluate(STATE) == before:
                failures.append(f"{view}: {control} does nothing")
            if viewer.at("numbers").count():  # a dialog: the other controls are inert
                viewer.page.keyboard.press("Escape")
                viewer.at("numbers").wait_for(state="detached")
    assert failures == [] and viewer.errors == []


def test_matrix_navigation_keys(new_viewer, pages) -> None:
    viewer = new_viewer().open(pages["transformer"], "matrix")
    viewer.evaluate("(root) => root.querySelector('[data-row][tabindex=\"0\"]').focus()")
    for key in ("Control+Home", "ArrowDown", "ArrowDown", "ArrowRight"):
        viewer.page.keyboard.press(key)
    at = "(root) => [root.activeElement.dataset.row, root.activeElement.dataset.column].map(Number)"
    rows, columns = (
        viewer.evaluate(f"(root) => root.querySelectorAll('[data-{which}=\"0\"]').length")
        for which in ("column", "row")
    )
    cells = viewer.evaluate(
        "(root) => Array.from(root.querySelectorAll('[data-testid=cell]'), (c) => +c.dataset.value)"
    )
    row = cells[2 * columns : 3 * columns]
    for key, wanted in {
        "End": [2, columns - 1],
        "Home": [2, 0],
        "PageUp": [2, row.index(max(row))],
        "Control+End": [rows - 1, columns - 1],
        "Control+Home": [0, 0],
        "PageDown": [max(range(rows), key=lambda r: cells[r * columns]), 0],
    }.items():
        viewer.page.keyboard.press(key)
        assert viewer.evaluate(at) == wanted, key


def test_arrow_keys_change_the_stage(new_viewer, pages) -> None:
    viewer = new_viewer().open(pages["transformer"], "trace")
    viewer.at("forward").focus()
    stages = []
    for key in ("ArrowRight",) * 7 + ("ArrowLeft",) * 2:
        viewer.page.keyboard.press(key)
        stages.append(
            viewer.evaluate("(root) => root.querySelector('[data-testid=stage]').innerText[6]")
        )
    assert stages == list("234561216")

"""The whole tour by keyboard alone: everything is reached, and everything answers."""

from __future__ import annotations

import pytest

SHOWN = ("transformer", "found", "sutskever", "image", "together")
ROVING = "[role=tab], [data-row], [role=treeitem], .word, [data-position]"

# What the Tab key must stop at: one of each group of words, cells or nodes, and each control.
STOPS = """(root) => {
  const stops = Array.from(root.querySelectorAll("*")).filter(
    (each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility());
  stops.forEach((each, i) => { each.stop = i; });
  return stops.length;
}"""
FOCUSED = "(root) => root.activeElement && (root.activeElement.stop ?? -1)"

# Of each group that one stop stands for: what can be chosen in it.
GROUPS = {
    "[role=tablist]": "[role=tab]",
    "[role=tree]": "[role=treeitem]",
    ".text[data-side=rows]": ".word[role=button]",
    ".text[data-side=columns]": ".word[role=button]",
    "[data-testid=answers]": "[data-position]",
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
      for (let before = 0; before < known.size; ) {{  // on, as long as it leads to something new
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
    """The stops of the Tab key within the viewer, in turn; −1: a region that scrolls."""
    viewer.page.mouse.click(1, 1)
    stops: list[int] = []
    for _ in range(300):
        viewer.page.keyboard.press("Tab")
        stop = viewer.ask(FOCUSED)
        if stop is None and stops:
            return stops
        if stop is not None:
            stops.append(stop)
    raise AssertionError("the Tab key never leaves the viewer")


@pytest.mark.parametrize("name", SHOWN)
def test_the_tab_key_stops_at_every_control_of_every_view(look, pages, name) -> None:
    viewer = look().open(pages[name])
    for view in viewer.views:
        wanted = viewer.turn(view).ask(STOPS)
        found = [stop for stop in tabbed(viewer) if stop >= 0]
        assert found == list(range(wanted)), view
    assert viewer.trouble == []


@pytest.mark.parametrize("name", SHOWN)
def test_arrow_keys_reach_all_that_shares_one_stop(look, pages, name) -> None:
    viewer = look().open(pages[name])
    for view in viewer.views:
        for group, item in GROUPS.items():
            if group == "[role=tablist]" and view != viewer.views[0]:
                continue
            viewer.turn(view)
            wanted = viewer.ask(
                "(root, group, item) => root.querySelectorAll(`${group} ${item}`).length",
                group,
                item,
            )
            if wanted:
                assert len(reached(viewer, group, item)) == wanted, f"{view}: {group}"


def reached(viewer, group: str, item: str) -> set[int]:
    """All that arrows lead to, from wherever they have led before."""
    return set(viewer.ask(REACHED, f"{group} {item}"))


@pytest.mark.parametrize("name", ["found", "image"])
def test_arrow_keys_reach_every_cell_of_the_matrix(look, pages, name) -> None:
    viewer = look().open(pages[name], "matrix")
    found, wanted = viewer.ask(SWEPT)
    assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize("name", ["found", "transformer", "image", "together"])
def test_every_control_answers_to_a_key(look, pages, name) -> None:
    viewer = look().open(pages[name])
    wrong = []
    for view in viewer.views:
        for i, kind, control in viewer.turn(view).ask(CONTROLS):
            if not viewer.turn(view).ask(FOCUS, control, i):
                continue  # another control took it away
            before = viewer.ask(STATE)
            pressed = viewer.ask("(root) => root.activeElement.getAttribute('aria-pressed')")
            single = viewer.ask("(root) => root.activeElement.options?.length === 1")
            viewer.page.keyboard.press(KEYS.get(kind, "Enter"))
            if viewer.ask(STATE) == before:
                viewer.page.keyboard.press("ArrowUp" if kind == "select-one" else "Enter")
            if viewer.ask(FOCUSED) is None:
                wrong.append(f"{view}: {control} loses the focus")
            quiet = pressed == "true" or single or control in ("csv", "back")
            if not quiet and viewer.ask(STATE) == before:
                wrong.append(f"{view}: {control} does nothing")
    assert wrong == [] and viewer.trouble == []


def test_a_cell_is_found_by_the_keys_of_a_table(look, pages) -> None:
    viewer = look().open(pages["transformer"], "matrix")
    viewer.ask("(root) => root.querySelector('[data-row][tabindex=\"0\"]').focus()")
    for key in ("Control+Home", "ArrowDown", "ArrowDown", "ArrowRight"):
        viewer.page.keyboard.press(key)
    at = "(root) => [root.activeElement.dataset.row, root.activeElement.dataset.column].map(Number)"
    rows, columns = (
        viewer.ask(f"(root) => root.querySelectorAll('[data-{which}=\"0\"]').length")
        for which in ("column", "row")
    )
    cells = viewer.ask(
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
        assert viewer.ask(at) == wanted, key


def test_the_walk_goes_on_and_back_by_arrows(look, pages) -> None:
    viewer = look().open(pages["transformer"], "walk")
    viewer.at("forward").focus()
    stages = []
    for key in ("ArrowRight",) * 7 + ("ArrowLeft",) * 2:
        viewer.page.keyboard.press(key)
        stages.append(
            viewer.ask("(root) => root.querySelector('[data-testid=stage]').innerText[6]")
        )
    assert stages == list("234561216")

"""A saved page is self-contained."""

from __future__ import annotations

import pytest

SHOWN = ("transformer", "sutskever", "found", "together", "image", "hostile", "wide")


@pytest.mark.parametrize("name", SHOWN)
def test_page_makes_no_requests_and_has_no_errors(new_viewer, pages, name) -> None:
    viewer = new_viewer()
    viewer.context.route(
        "**/*", lambda route: route.abort() if _is_remote(route) else route.continue_()
    )
    viewer.open(pages[name])
    for view in viewer.views:
        viewer.show(view)
    assert [url.split("#")[0] for url in viewer.requests] == [pages[name].as_uri()]
    assert viewer.errors == []
    policy = viewer.page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute(
        "content"
    )
    assert policy.startswith("default-src 'none'")


def test_policy_blocks_requests_and_scripts(new_viewer, pages) -> None:
    viewer = new_viewer().open(pages["transformer"])
    attempts = """async () => {
      const refused = [];
      document.addEventListener("securitypolicyviolation", (event) =>
        refused.push(event.effectiveDirective));
      await fetch("https://example.org").catch(() => {});
      const script = document.createElement("script");
      script.textContent = "window.pwned = true";
      document.body.append(script);
      const image = document.createElement("img");
      image.src = "https://example.org/a.png";
      document.body.append(image);
      await new Promise((done) => setTimeout(done, 200));
      return [refused.sort(), window.pwned ?? false];
    }"""
    assert viewer.page.evaluate(attempts) == [["connect-src", "img-src", "script-src-elem"], False]


def _is_remote(route) -> bool:
    return not route.request.url.startswith(("file:", "data:"))

"""A saved page needs nothing but itself."""

from __future__ import annotations

import pytest

SHOWN = ("transformer", "sutskever", "found", "together", "image", "hostile", "wide")


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_asks_the_network_for_nothing_and_complains_of_nothing(look, pages, name) -> None:
    viewer = look()
    viewer.context.route(
        "**/*", lambda route: route.abort() if _abroad(route) else route.continue_()
    )
    viewer.open(pages[name])
    for view in viewer.views:
        viewer.turn(view)
    assert [url.split("#")[0] for url in viewer.requests] == [pages[name].as_uri()]
    assert viewer.trouble == []
    policy = viewer.page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute(
        "content"
    )
    assert policy.startswith("default-src 'none'")


def test_the_policy_is_in_force(look, pages) -> None:
    """What a page may not do fails, so that no request is more than good manners."""
    viewer = look().open(pages["transformer"])
    tried = """async () => {
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
    assert viewer.page.evaluate(tried) == [["connect-src", "img-src", "script-src-elem"], False]


def _abroad(route) -> bool:
    return not route.request.url.startswith(("file:", "data:"))

"""The pages of the server: one to translate on, and one that describes the interface to programs.

Both are HTML without text of users, and load their own files only. The scripts of the first are
built from `web/`; it loads the viewer's script when a user opens the step-by-step view.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Awaitable, Callable
from hashlib import sha256
from importlib import resources
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from regard.explain.page import viewer_script
from regard.serve.settings import ServerSettings

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]

# -- the page to translate on ----------------------------------------------------------------------


_STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; background: #ffffff; color: #1c2430;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
@media (prefers-color-scheme: dark) { body { background: #14181e; color: #e6eaf0; } }
"""
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Crect width='16' height='16' rx='3.5' fill='%231f5fa8'/%3E%3Cpath d='M4 5h8M4 11h8M5 5l6 6"
    "' stroke='white' stroke-width='1.5' stroke-linecap='round'/%3E%3C/svg%3E"
)
_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        # The page and the viewer adopt their own styles by script.
        f"style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types lit-html 'allow-duplicates'",  # Lit is a part of both scripts
    ]
)
_HEADERS = {"Content-Security-Policy": _POLICY, "Referrer-Policy": "no-referrer"}


def page_script() -> str:
    """The script of the page, built from `web/`."""
    return resources.files("regard.serve").joinpath("page.js").read_text(encoding="utf-8")


def translation_page(settings: ServerSettings) -> str:
    """Return the HTML of the page."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<title>regard · translate</title>\n<link rel="icon" href="{_ICON}">\n'
        f"<style>{_STYLE}</style></head>\n<body>"
        f'<regard-translator data-max-characters="{settings.max_characters}" '
        f'data-max-texts="{settings.max_texts}" data-max-beam-size="{settings.max_beam_size}" '
        f'data-viewer="view.js?v={_version(viewer_script())}"></regard-translator>\n'
        "<noscript>This page needs JavaScript. Programs can use the interface that "
        '<a href="openapi.json">openapi.json</a> describes.</noscript>\n'
        f'<script type="module" src="page.js?v={_version(page_script())}"></script>'
        "</body></html>\n"
    )


# -- the page of the interface ---------------------------------------------------------------------
# Swagger UI, which lists the operations of openapi.json and sends requests to this server.


_DOCUMENTATION = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>regard · interface</title>
<link rel="icon" href="{_ICON}">
<link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The interface is described in
<a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body></html>
"""
_START = """SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
"""
_DOCUMENTATION_HEADERS = {
    "Content-Security-Policy": "; ".join(
        [
            "default-src 'none'",
            "script-src 'self'",
            "connect-src 'self'",
            "style-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
    ),
    "Referrer-Policy": "no-referrer",
}


def _packed_handler(name: str, media_type: str) -> Handler:
    """Return the handler of a file of Swagger UI, which the package holds as gzip."""
    packed = resources.files("regard.serve").joinpath("swagger_ui", f"{name}.gz").read_bytes()
    headers = {
        "ETag": f'"{sha256(packed).hexdigest()[:16]}"',
        "Cache-Control": "no-cache",
        "Vary": "Accept-Encoding",
    }

    async def handle(request: Request) -> Response:
        if headers["ETag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            encoded = headers | {"Content-Encoding": "gzip"}
            return Response(packed, headers=encoded, media_type=media_type)
        return Response(gzip.decompress(packed), headers=headers, media_type=media_type)

    return handle


# -- routes ----------------------------------------------------------------------------------------


def page_routes(settings: ServerSettings) -> dict[str, Handler]:
    """Return the handlers of the pages and their scripts, by path."""
    return {
        "/": _handler(translation_page(settings), "text/html", _HEADERS),
        "/page.js": _handler(page_script(), "text/javascript", {}),
        "/view.js": _handler(viewer_script(), "text/javascript", {}),
        "/docs": _handler(_DOCUMENTATION, "text/html", _DOCUMENTATION_HEADERS),
        "/docs/start.js": _handler(_START, "text/javascript", {}),
        "/docs/swagger-ui-bundle.js": _packed_handler("swagger-ui-bundle.js", "text/javascript"),
        "/docs/swagger-ui.css": _packed_handler("swagger-ui.css", "text/css"),
    }


def _handler(content: str, media_type: str, headers: dict[str, str]) -> Handler:
    version = _version(content)
    headers = headers | {"ETag": f'"{version}"'}

    async def handle(request: Request) -> Response:
        named = request.query_params.get("v") == version  # another content has another address
        cache_control = {"Cache-Control": "max-age=31536000, immutable" if named else "no-cache"}
        if f'"{version}"' in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers | cache_control)
        return Response(content, headers=headers | cache_control, media_type=media_type)

    return handle


def _version(content: str) -> str:
    return sha256(content.encode()).hexdigest()[:16]

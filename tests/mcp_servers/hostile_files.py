"""Thirty-two files that try to run a script in the page, or to make the page send a request to another site."""

from base64 import b64encode

# Their scripts leave a mark in the page and send a request to the listener.
_MARK = "top.canary=1;parent.canary=1;window.canary=1;document.title='canary';fetch('{0}/script')"


def hostile_files(listener: str) -> dict[str, tuple[str, bytes]]:
    """Return `(MIME type, content)` by file name. ``listener`` is the URL that the files try to reach."""
    mark = _MARK.format(listener)
    encoded = b64encode(f"<script>{mark}</script>".encode()).decode()
    pages = {
        "script.html": f"<script>{mark}</script><h1>Seen</h1>",
        "module.html": f"<script type=module src='{listener}/module.js'></script><h1>Seen</h1>",
        "handlers.html": f'<img src=x onerror="{mark}"><body onload="{mark}"><svg onload="{mark}"></svg>Seen',
        "links.html": f'<a id=a href="javascript:{mark}">Seen</a><a href="data:text/html;base64,{encoded}">b</a>',
        "refresh.html": f"<meta http-equiv=refresh content='0;url={listener}/refresh'><h1>Seen</h1>",
        "refresh-script.html": f'<meta http-equiv=refresh content="0;url=javascript:{mark}"><h1>Seen</h1>',
        "form.html": f"<form id=f action='{listener}/form'><input autofocus onfocus='f.submit()'></form>Seen",
        "remote-image.html": f"<img src='{listener}/image.png'><img srcset='{listener}/set.png 2x'><h1>Seen</h1>",
        "remote-style.html": f"<link rel=stylesheet href='{listener}/a.css'><style>@import '{listener}/b.css'</style>",
        "style-image.html": f"<h1 style=\"background:url('{listener}/c.png')\">Seen</h1>",
        "remote-font.html": f"<style>@font-face{{font-family:f;src:url({listener}/f.woff)}}*{{font:9px f}}</style>Seen",
        "prefetch.html": f"<link rel=prefetch href='{listener}/p'><link rel=dns-prefetch href='{listener}'>Seen",
        "base.html": f"<base href='{listener}/'><img src='based.png'><h1>Seen</h1>",
        "frame.html": f'<iframe src="{listener}/frame"></iframe><iframe srcdoc="<script>{mark}</script>"></iframe>',
        "object.html": f"<object data='{listener}/o'></object><embed src='{listener}/e'><h1>Seen</h1>",
        "media.html": f"<video src='{listener}/v' autoplay></video><audio src='{listener}/a' autoplay></audio>Seen",
        "mutation.html": f'<math><mtext><mglyph><style><!--</style><img title="--&gt;&lt;img onerror={mark}&gt;">',
        "template.html": f"<template shadowrootmode=open><img src=x onerror={mark!r}></template><h1>Seen</h1>",
        "deep.html": "<div>" * 4_000 + "Seen",
        "many-tags.html": "<b>x</b>" * 300_000,
    }
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99" onload="{mark}"><script>{mark}</script>'
    texts = {
        "active.svg": ("image/svg+xml", svg + f'<image href="{listener}/svg.png"/><circle r="9"/></svg>'),
        "entities.svg": ("image/svg+xml", f'<!DOCTYPE svg SYSTEM "{listener}/svg.dtd">{svg}</svg>'),
        "html.md": ("text/markdown", f'# Seen\n\n<script>{mark}</script>\n<img src=x onerror="{mark}">\n'),
        "links.md": (
            "text/markdown",
            f"[a](javascript:{mark}) ![b]({listener}/md.png) <a href='data:text/html;base64,{encoded}'>c</a>",
        ),
        "styled.md": ("text/markdown", f"<style>*{{background:url({listener}/md.css)}}</style>\n\n# Seen"),
        "links.bib.json": (
            "application/vnd.bibliography",
            '[{"title": "<img src=x onerror=\\"top.canary=1\\">", "url": "javascript:top.canary=1"}]',
        ),
        "markup.graph.json": (
            "application/vnd.knowledge-graph",
            '{"nodes":[{"id":"<script>top.canary=1</script>"},{"id":"__proto__"}],"edges":[]}',
        ),
        "formula.csv": ("text/csv", f'a,b\n=HYPERLINK("{listener}"),<img src=x onerror=top.canary=1>\n'),
        "<img src=x onerror=top.canary=1>.txt": ("text/plain", "Seen"),
        "broken.pdf": ("application/pdf", "%PDF-1.7\n1 0 obj\n<</Type/Catalog/OpenAction<</S/JavaScript/JS(1)>>\n"),
        "broken.png": ("image/png", "\x89PNG not an image"),
        "not-json.json": ("application/json", '{"a":' * 50_000),
    }
    files = {name: ("text/html", text.encode()) for name, text in pages.items()}
    return files | {name: (mime, text.encode()) for name, (mime, text) in texts.items()}

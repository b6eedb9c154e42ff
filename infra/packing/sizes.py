"""``python -m infra.packing.sizes``: make all layers, weigh them, write docs/layers.md. Takes a minute or two."""

import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from infra import sources
from infra.packing.catalogue import Catalogue
from infra.packing.contents import Contents, Packages
from infra.packing.groups import group_of
from infra.packing.platform import Platform
from infra.servers import Servers

DOCUMENT = sources.ROOT / "docs" / "layers.md"
MB = 1_000_000
MOST_OF_A_LAYER = 120 * MB
MOST_OF_THE_API = 45 * MB
MOST_OF_A_FUNCTION = 250 * 1024 * 1024
"""Lambda's own: all layers and the code of a function, unpacked."""

_HEAD = """\
# What functions are made of

A function has its handler, our package (`Core`) and the third-party packages of its group, as layers. They are made by
uv on the machine that synthesises: wheels for the function's platform, without tests, type stubs and C sources, with
byte code where the interpreter that builds is of the function's version. A runner has its server's folder (`Server-…`),
the packages that all servers have (`Packages`) and those that it alone needs (`Packages-…`, from the `requirements` of
its entry), which lie apart from the runner's own (`/opt/packages`).

boto3 is Lambda's own. The group `dispatch` alone brings a newer one: `Invoke` takes a tenant since late 2025 only, and
what the runtime has may be older.

A layer has at most 120 MB unpacked here, all of the api function 45 MB, and all of any function 250 MiB, which is
Lambda's limit. The figures (MB, 10⁶ bytes, of what is in the files) are those of {platform}; the last column is the
beginning of the layer's hash. `.venv/bin/python -m infra.packing.sizes` makes the layers and this page anew; a test
looks whether the hashes are those of today.
"""


@dataclass(frozen=True)
class Weight:
    """Bytes of a layer."""

    unpacked: int
    zipped: int


def weigh(contents: Contents) -> Weight:
    """Make a layer and weigh it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, archive = Path(temporary) / "layer", Path(temporary) / "layer.zip"
        folder.mkdir()
        contents.fill(folder)
        files = [path for path in folder.rglob("*") if path.is_file()]
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in files:
                packed.write(path, path.relative_to(folder))
        return Weight(sum(path.stat().st_size for path in files), archive.stat().st_size)


def layers_of(platform: Platform) -> dict[str, Contents]:
    """Return all layers of the deployment that people get who choose nothing, by name."""
    servers = Servers(sources.SERVERS)
    catalogue = Catalogue(servers, platform)
    own = {f"Server-{name}": catalogue.files(name) for name in servers.stdio}
    more = {f"Packages-{name}": catalogue.packages(server)[1] for name, server in servers.stdio.items()}
    return {**catalogue.shared(), **own, **{name: each for name, each in more.items() if each is not None}}


def functions_of(layers: Mapping[str, Contents]) -> dict[str, list[str]]:
    """Return the layers of each function by its folder, runners by their server."""
    folders = sorted(path.parent.name for path in sources.FUNCTIONS.glob("*/handler.py"))
    plain = {folder: ["Core", f"Vendor-{group_of(folder)}"] for folder in folders if folder != "run_tool"}
    servers = [name.removeprefix("Server-") for name in layers if name.startswith("Server-")]
    runner = ["Core", f"Vendor-{group_of('run_tool')}", "Packages"]
    own = {name: [each for each in (f"Server-{name}", f"Packages-{name}") if each in layers] for name in servers}
    return {**plain, **{f"run_tool, {name}": [*runner, *own[name]] for name in servers}}


def hash_of(contents: Contents) -> str:
    """Return what the page says of a layer's hash: of packages alone, our own code changes all the time."""
    return contents.digest[:12] if isinstance(contents, Packages) else "-"


def _page(platform: Platform) -> Iterator[str]:
    layers = layers_of(platform)
    weights = {name: weigh(contents) for name, contents in layers.items()}
    yield _HEAD.format(platform=f"{platform.architecture}, Python {platform.python}")
    yield "| layer | unpacked | zipped | hash |\n|---|--:|--:|---|"
    for name, weight in weights.items():
        yield f"| {name} | {weight.unpacked / MB:.1f} | {weight.zipped / MB:.1f} | {hash_of(layers[name])} |"
    yield "\n| function | layers | unpacked in all |\n|---|---|--:|"
    for function, names in functions_of(layers).items():
        whole = sum(weights[name].unpacked for name in names)
        yield f"| {function} | {', '.join(names)} | {whole / MB:.1f} |"


if __name__ == "__main__":
    os.nice(5)
    DOCUMENT.write_text("\n".join(_page(Platform())) + "\n", encoding="utf-8")

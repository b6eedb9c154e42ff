"""``python -m infra.packing.sizes``: build and measure all layers and write docs/layers.md (takes a minute or two)."""

import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from infra import sources
from infra.packing.contents import LayerContents, ThirdPartyPackages
from infra.packing.layer_set import LayerSet, group_of
from infra.packing.platform import Platform
from infra.servers import Servers

DOCUMENT = sources.ROOT / "docs" / "layers.md"
MB = 1_000_000
MAX_LAYER_BYTES = 120 * MB
MAX_API_BYTES = 45 * MB

_HEAD = """\
# Lambda layers

A function consists of its handler and two layers: the project's own package (`Core`) and the third-party packages of
its group (`Vendor-…`). uv builds the layers on the machine that synthesizes the templates: wheels for the function's
platform, without tests, type stubs and C sources, with byte code if the building interpreter has the function's Python
version. A runner has three more: its server's files (`Server-…`), the packages that all servers share (`Packages`) and
the packages that only this server needs (`Packages-…`, from `requirements` in its entry). The servers' packages are
separate from the runner's own (`/opt/packages`). A server in Node has the layer `Node` (`/opt/bin/node`, 123 MB)
instead of the shared packages, and those of its `package-lock.json` are in `/opt/node_modules`. npm installs both for
the function's processor. `Bridge` is no layer: it is the code of the function `bridge` (setting `bridge`), which
imports nothing of `Core`.

The Lambda runtime provides boto3. Only the group `dispatch` contains a newer one: `Invoke` accepts a tenant id since
late 2025, and the runtime's version may be older. The other functions need boto3 1.37.24 or newer
([why](witnesses.md#the-oldest-boto3)).

Limits for unpacked sizes: 120 MB for a layer, 45 MB for the api function in total, and 250 MiB for any function in
total (Lambda's own limit, which each synthesis checks). The figures (MB, 10⁶ bytes of file content) are for
{platform}; the last column is the beginning of the layer's hash. `.venv/bin/python -m
infra.packing.sizes` builds the layers and writes this page again; a test compares the hashes.
"""


@dataclass(frozen=True)
class LayerSize:
    """The size of a layer in bytes, unpacked and as a ZIP archive."""

    unpacked: int
    zipped: int


def measure(contents: LayerContents) -> LayerSize:
    """Build a layer in a temporary folder and return its size."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, archive = Path(temporary) / "layer", Path(temporary) / "layer.zip"
        folder.mkdir()
        contents.fill(folder)
        files = [path for path in folder.rglob("*") if path.is_file()]
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as layer_zip:
            for path in files:
                layer_zip.write(path, path.relative_to(folder))
        return LayerSize(sum(path.stat().st_size for path in files), archive.stat().st_size)


def layers_of(platform: Platform) -> dict[str, LayerContents]:
    """Return all layers of a deployment with default settings, by name."""
    servers = Servers(sources.SERVERS)
    layers = LayerSet(servers, platform)
    files = {f"Server-{name}": layers.server_files(name) for name in servers.stdio}
    packages = {f"Packages-{name}": layers.server_packages(server)[1] for name, server in servers.stdio.items()}
    shared = {name: contents for name, contents in layers.shared().items() if name != "Node"}
    own_packages = {name: each for name, each in packages.items() if each is not None}
    return {**shared, "Bridge": layers.bridge(), **files, **own_packages}


def functions_of(layers: Mapping[str, LayerContents]) -> dict[str, list[str]]:
    """Return the layer names of each function. The key is the function's folder, with the server for a runner."""
    folders = sorted(path.parent.name for path in sources.FUNCTIONS.glob("*/handler.py"))
    functions = {folder: ["Core", f"Vendor-{group_of(folder)}"] for folder in folders if folder != "run_tool"}
    servers = [name.removeprefix("Server-") for name in layers if name.startswith("Server-")]
    runner = ["Core", f"Vendor-{group_of('run_tool')}", "Packages"]
    own = {name: [each for each in (f"Server-{name}", f"Packages-{name}") if each in layers] for name in servers}
    functions["bridge"] = ["Bridge", f"Vendor-{group_of('bridge')}"]
    return {**functions, **{f"run_tool, {name}": [*runner, *own[name]] for name in servers}}


def short_hash(contents: LayerContents) -> str:
    """Return 12 digits of the layer's hash. Return ``-`` for project code, because its hash changes too often."""
    return contents.digest[:12] if isinstance(contents, ThirdPartyPackages) else "-"


def _page(platform: Platform) -> Iterator[str]:
    layers = layers_of(platform)
    sizes = {name: measure(contents) for name, contents in layers.items()}
    yield _HEAD.format(platform=f"{platform.architecture}, Python {platform.python}")
    yield "| layer | unpacked | zipped | hash |\n|---|--:|--:|---|"
    for name, size in sizes.items():
        yield f"| {name} | {size.unpacked / MB:.1f} | {size.zipped / MB:.1f} | {short_hash(layers[name])} |"
    yield "\n| function | layers | total unpacked |\n|---|---|--:|"
    for function, names in functions_of(layers).items():
        total = sum(sizes[name].unpacked for name in names)
        yield f"| {function} | {', '.join(names)} | {total / MB:.1f} |"


if __name__ == "__main__":
    os.nice(5)
    DOCUMENT.write_text("\n".join(_page(Platform())) + "\n", encoding="utf-8")

"""Layers for this machine's processor, built as for a deployment, and kept in the virtual environment by their hash.

``python -m tests.lambda_runtime.layers`` builds all layers that the tests need, so that they need no package index, and
removes layers of earlier versions.
"""

import os
import platform
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from infra.packing import sizes
from infra.packing.contents import LayerContents
from infra.packing.layer_set import LayerSet, group_of
from infra.packing.platform import Platform
from infra.servers import Servers
from tests.infra.synthesis import FOREIGN_SERVERS

_OLDEST_PYTHON_WITH_NODE = 12
BUILT = Path(sys.prefix) / "lambda-layers"
"""The folder with the layers. A later build of a layer with the same hash takes no time and needs no package index."""


def this_machine() -> Platform:
    """Return this machine's Python version and processor."""
    architecture: Literal["arm64", "x86_64"] = "arm64" if platform.machine() in {"aarch64", "arm64"} else "x86_64"
    return Platform(architecture)


def build(contents: LayerContents) -> Path:
    """Return the folder with the layer's files. Build it if there is none with the layer's hash."""
    folder = BUILT / contents.digest[:32]
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}-{os.getpid()}")
        unfinished.mkdir(parents=True)
        contents.fill(unfinished)
        try:
            unfinished.rename(folder)
        except OSError:  # another process built it at the same time
            remove(unfinished)
    return folder


def remove(folder: Path) -> None:
    """Remove a folder and everything in it."""
    shutil.rmtree(folder)


def layers_of_foreign_server(name: str) -> list[LayerContents]:
    """Return the layers of the function that runs a server of ``FOREIGN_SERVERS``, in their order."""
    servers, this = Servers(FOREIGN_SERVERS), this_machine()
    # The layers of Node are the same for all versions of Python that have it, and this may be an older one.
    newer = Platform(this.architecture, max(this.minor, _OLDEST_PYTHON_WITH_NODE))
    server = servers.stdio[name]
    layer_set = LayerSet(servers, newer if server.language == "node" else this)
    shared, own = layer_set.server_packages(server)
    common = LayerSet(servers, this).shared()
    of_function = [common["Core"], common[f"Vendor-{group_of('run_tool')}"], layer_set.server_files(name)]
    of_server = [layer_set.shared()[shared]] if shared else []
    return [*of_function, *of_server, *([own] if own else [])]


def main() -> None:
    """Build the layers of all functions and foreign servers. Remove all others."""
    of_servers = (layers_of_foreign_server(name) for name in Servers(FOREIGN_SERVERS).stdio)
    contents = [*sizes.layers_of(this_machine()).values(), *(each for layers in of_servers for each in layers)]
    needed = {build(each) for each in contents if not each.quick}
    for folder in BUILT.iterdir():
        if folder not in needed:
            remove(folder)


def merge(layers: Sequence[Path], target: Path) -> None:
    """Fill the folder that a function finds as ``/opt``. As on Lambda, files of later layers replace earlier ones."""
    for layer in layers:
        for folder, _, names in os.walk(layer):
            into = target / Path(folder).relative_to(layer)
            into.mkdir(parents=True, exist_ok=True)
            for name in names:
                (into / name).unlink(missing_ok=True)
                _link(Path(folder, name), into / name)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # the folders are on different file systems
        shutil.copy2(source, target, follow_symlinks=False)


if __name__ == "__main__":
    os.nice(5)
    main()

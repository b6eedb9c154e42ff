"""All layers of a deployment, by the names that their constructs have. ``sizes`` weighs the same ones."""

from collections.abc import Mapping

from infra import sources
from infra.packing.contents import Contents, OwnPackage, Packages, ServerFiles
from infra.packing.groups import GROUPS
from infra.packing.platform import Platform
from infra.packing.requirements import Pins, beyond, read_pins
from infra.servers import Server, Servers

SERVER_PACKAGES = "/opt/packages"
"""Where a server finds its packages. Not on the runner's own path: they may have the same ones in other versions."""

_PLACE = "packages"


class Catalogue:
    """Which layers there are for these servers, and which of them each server's runner takes."""

    def __init__(self, servers: Servers, platform: Platform) -> None:
        self._servers = servers
        self._platform = platform
        self._base = read_pins(sources.VENDOR / "server.txt")

    def shared(self) -> Mapping[str, Contents]:
        """Return the layers that many functions have: ours, one for each group, the entries, what all servers need."""
        groups: dict[str, Contents] = {
            f"Vendor-{group}": Packages(read_pins(sources.VENDOR / f"{group}.txt"), self._platform) for group in GROUPS
        }
        return {
            "Core": OwnPackage(self._platform),
            **groups,
            "Servers": ServerFiles(self._servers.entries, self._servers.root),
            "Packages": self._packages(self._base),
        }

    def remote(self) -> Contents:
        """Return the entries of the servers that are somewhere else."""
        return self._files(*self._servers.remote)

    def files(self, name: str) -> Contents:
        """Return a server's own entry and folder."""
        return self._files(name)

    def packages(self, server: Server) -> tuple[bool, Contents | None]:
        """Tell whether a server takes the packages that all take, and return those that it alone needs."""
        if server.requirements is None:
            return True, None
        pins = read_pins(self._servers.root / server.requirements)
        more = beyond(pins, self._base)
        return more is not None, self._packages(pins if more is None else more)

    def _files(self, *names: str) -> ServerFiles:
        entries = {name: self._servers.entries[name] for name in names}
        paths = {path for name in names for path in self._servers.all[name].paths}
        return ServerFiles(entries, self._servers.root, tuple(sorted(paths)))

    def _packages(self, pins: Pins) -> Contents:
        return Packages(pins, self._platform, _PLACE)

"""List the layers of a deployment, and assign each function its group of third-party packages."""

from collections.abc import Mapping
from typing import Literal, get_args

from infra import sources
from infra.packing.contents import CorePackage, LayerContents, ServerFiles, ThirdPartyPackages
from infra.packing.packages import Pins, missing_from, read_pins
from infra.packing.platform import Platform
from infra.servers import Server, Servers

Group = Literal["functions", "api", "dispatch", "think", "runner"]
GROUPS: tuple[Group, ...] = get_args(Group)
"""The groups of third-party packages, pinned in ``layers/vendor/{group}.txt``. Each function uses one group."""

_GROUP_BY_FOLDER: dict[str, Group] = {
    "api": "api",
    # dispatch and refresh pass a TenantId to runners. Lambda's own boto3 may be too old for that, so add a newer boto3.
    "dispatch": "dispatch",
    "refresh": "dispatch",
    "think": "think",
    "run_tool": "runner",
}

RUNTIME_PACKAGES = frozenset({"boto3", "botocore", "jmespath", "s3transfer"})
"""Packages that the Lambda runtime provides. Only the layer of ``GROUP_WITH_BOTO3`` contains them."""

GROUP_WITH_BOTO3: Group = "dispatch"

SERVER_PACKAGES = "/opt/packages"
"""The folder with MCP servers' packages. The runner itself does not import from it, because versions may differ."""

_SERVER_PACKAGES_FOLDER = "packages"


def group_of(folder: str) -> Group:
    """Return the name of the group of third-party packages that ``functions/{folder}`` imports."""
    return _GROUP_BY_FOLDER.get(folder, "functions")


class LayerSet:
    """Selects the layers for a deployment with these MCP servers, and for the function that runs each server."""

    def __init__(self, servers: Servers, platform: Platform) -> None:
        self._servers = servers
        self._platform = platform
        self._base_pins = read_pins(sources.VENDOR / "server.txt")

    def shared(self) -> Mapping[str, LayerContents]:
        """Return the layers that functions share: ``satchel``, package groups, mcp.json, packages for all servers."""
        groups: dict[str, LayerContents] = {
            f"Vendor-{group}": ThirdPartyPackages(read_pins(sources.VENDOR / f"{group}.txt"), self._platform)
            for group in GROUPS
        }
        return {
            "Core": CorePackage(self._platform),
            **groups,
            "Servers": ServerFiles(self._servers.entries, self._servers.root),
            "Packages": self._packages(self._base_pins),
        }

    def remote_entries(self) -> LayerContents:
        """Return a layer with the mcp.json entries of all remote servers."""
        return self._files(*self._servers.remote)

    def server_files(self, name: str) -> LayerContents:
        """Return a layer with one server's mcp.json entry and files."""
        return self._files(name)

    def server_packages(self, server: Server) -> tuple[bool, LayerContents | None]:
        """Return ``(True if the server uses the shared base packages, layer with its other packages or None)``."""
        if server.requirements is None:
            return True, None
        pins = read_pins(self._servers.root / server.requirements)
        missing = missing_from(self._base_pins, pins)
        return missing is not None, self._packages(pins if missing is None else missing)

    def _files(self, *names: str) -> ServerFiles:
        entries = {name: self._servers.entries[name] for name in names}
        paths = {path for name in names for path in self._servers.all[name].paths}
        return ServerFiles(entries, self._servers.root, tuple(sorted(paths)))

    def _packages(self, pins: Pins) -> LayerContents:
        return ThirdPartyPackages(pins, self._platform, _SERVER_PACKAGES_FOLDER)

"""List the layers of a deployment, and assign each function its group of third-party packages."""

from collections.abc import Mapping
from typing import Literal, get_args

from infra import sources
from infra.packing.contents import BridgeCode, CorePackage, LayerContents, ServerFiles, ThirdPartyPackages
from infra.packing.node import NodePackages, NodeRuntime
from infra.packing.packages import Pins, missing_from, read_pins
from infra.packing.platform import Platform
from infra.servers import Server, Servers, UndeployableError

Group = Literal["functions", "api", "dispatch", "think", "runner", "bridge"]
GROUPS: tuple[Group, ...] = get_args(Group)
"""The groups of third-party packages, pinned in ``layers/vendor/{group}.txt``. Each function uses one group."""

_GROUP_BY_FOLDER: dict[str, Group] = {
    "api": "api",
    "bridge": "bridge",
    # These pass a TenantId to runners. Lambda's own boto3 may be too old for that, so add a newer boto3.
    "dispatch": "dispatch",
    "end_session": "dispatch",
    "expire": "dispatch",
    "finish": "dispatch",
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
            "Node": NodeRuntime(self._platform),
        }

    def bridge(self) -> LayerContents:
        """Return the code of the function ``bridge``, which needs no other layer than its group of packages."""
        return BridgeCode(self._platform)

    def remote_entries(self) -> LayerContents:
        """Return a layer with the mcp.json entries of all remote servers."""
        return self._files(*self._servers.remote)

    def server_files(self, name: str) -> LayerContents:
        """Return a layer with one server's mcp.json entry and files."""
        return self._files(name)

    def server_packages(self, server: Server) -> tuple[str | None, LayerContents | None]:
        """Return ``(name of the shared layer that the server uses or None, layer with its own packages or None)``.

        Raise UndeployableError if Node does not run on the platform.
        """
        lock = server.lock(self._servers.root)
        if server.language == "node":
            if not self._platform.runs_node:
                raise UndeployableError(
                    f"Node needs a newer system than Lambda has for Python {self._platform.python}: set `python` to "
                    "3.12 or newer"
                )
            return "Node", None if lock is None else NodePackages(lock, self._platform)
        if lock is None:
            return "Packages", None
        pins = read_pins(lock)
        missing = missing_from(self._base_pins, pins)
        return "Packages" if missing is not None else None, self._packages(pins if missing is None else missing)

    def _files(self, *names: str) -> ServerFiles:
        entries = {name: self._servers.entries[name] for name in names}
        paths = {path for name in names for path in self._servers.all[name].paths}
        return ServerFiles(entries, self._servers.root, tuple(sorted(paths)))

    def _packages(self, pins: Pins) -> LayerContents:
        return ThirdPartyPackages(pins, self._platform, _SERVER_PACKAGES_FOLDER)

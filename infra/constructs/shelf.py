"""The layers that functions share, each made once: our package, the vendors' packages, the MCP servers."""

from pathlib import Path
from typing import Literal, get_args

from aws_cdk import IgnoreMode
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra import sources
from infra.constructs.bundling import Target, vendored

Vendor = Literal["functions", "api", "dispatch", "think", "runner"]
"""A group of functions with the same third-party packages: ``layers/vendor/{group}.txt``."""

NOT_DEPLOYED = ["__pycache__", "*.pyc", "*.in"]


class Shelf(Construct):
    """Where functions take their layers from."""

    def __init__(self, scope: Construct, id_: str, *, target: Target, servers: Path) -> None:
        super().__init__(scope, id_)
        self.target = target
        self._core = self._layer("Core", _folder(sources.CORE, *NOT_DEPLOYED))
        # Only what lies in the folder, and with its name: a layer is found below /opt.
        self.servers = self._layer("Servers", _folder(servers.parent, "/*", f"!/{servers.name}", *NOT_DEPLOYED))
        self.mcp_config = f"/opt/{servers.name}/mcp.json"
        self._vendor = {
            group: self._layer(f"Vendor-{group}", vendored(sources.VENDOR / f"{group}.txt", target))
            for group in get_args(Vendor)
        }

    def layers(self, vendor: Vendor) -> list[lambda_.ILayerVersion]:
        """Return what every function of a group stands on."""
        return [self._core, self._vendor[vendor]]

    def _layer(self, id_: str, code: lambda_.Code) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(
            self,
            id_,
            code=code,
            compatible_runtimes=[self.target.runtime],
            compatible_architectures=[self.target.lambda_architecture],
        )


def _folder(path: Path, *ignored: str) -> lambda_.AssetCode:
    return lambda_.Code.from_asset(str(path), exclude=list(ignored), ignore_mode=IgnoreMode.GIT)

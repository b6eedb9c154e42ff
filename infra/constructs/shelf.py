"""The layers that functions share, each made once: our package, others' packages, the MCP servers."""

from pathlib import Path

from aws_cdk import Annotations
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra import sources
from infra.constructs.bundling import architecture, layer_code, runtime
from infra.packing.catalogue import Catalogue
from infra.packing.contents import Contents, Folder
from infra.packing.groups import group_of
from infra.packing.platform import Platform
from infra.servers import Server, Servers

MCP_CONFIG = "/opt/servers/mcp.json"
PAGE = "page"


class Shelf(Construct):
    """Where functions take their layers from."""

    def __init__(self, scope: Construct, id_: str, *, platform: Platform, servers: Servers) -> None:
        super().__init__(scope, id_)
        self.platform = platform
        self._catalogue = Catalogue(servers, platform)
        self._shared = {name: self._layer(name, contents) for name, contents in self._catalogue.shared().items()}

    def layers(self, folder: str) -> list[lambda_.ILayerVersion]:
        """Return what ``functions/{folder}`` stands on."""
        return [self._shared["Core"], self._shared[f"Vendor-{group_of(folder)}"]]

    @property
    def entries(self) -> lambda_.ILayerVersion:
        """Return the entries of all servers, for those who only read them."""
        return self._shared["Servers"]

    def of_server(self, name: str, server: Server) -> list[lambda_.ILayerVersion]:
        """Return what the runner of a server has besides: the server's entry, folder and packages, no other's."""
        takes_base, more = self._catalogue.packages(server)
        layers: list[lambda_.ILayerVersion] = [self._layer(f"Server-{name}", self._catalogue.files(name))]
        if takes_base:
            layers.append(self._shared["Packages"])
        if more is not None:
            layers.append(self._layer(f"Packages-{name}", more))
        return layers

    def of_remote(self) -> list[lambda_.ILayerVersion]:
        """Return what the runner of all servers has besides that are somewhere else: their entries."""
        return [self._layer("Remote", self._catalogue.remote())]

    def page(self, folder: Path) -> lambda_.ILayerVersion:
        """Return the built page; where there is none, one that says so."""
        built = (folder / "index.html").is_file()
        if not built:
            Annotations.of(self).add_warning_v2("satchel:page", f"no page in {folder}: `make synth` builds it")
        return self._layer("Page", Folder(folder if built else sources.NO_SITE, PAGE))

    def _layer(self, id_: str, contents: Contents) -> lambda_.LayerVersion:
        with layer_code(contents) as code:
            return lambda_.LayerVersion(
                self,
                id_,
                code=code,
                compatible_runtimes=[runtime(self.platform)],
                compatible_architectures=[architecture(self.platform)],
            )

"""Create the Lambda layers. They are built on this machine during synthesis, and functions share them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import jsii
from aws_cdk import Annotations, AssetHashType, BundlingOptions, DockerImage, ILocalBundling
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra import sources
from infra.packing.contents import LayerContents, StaticFolder
from infra.packing.layer_set import LayerSet, group_of
from infra.packing.platform import Platform
from infra.servers import Server, Servers

MCP_CONFIG = "/opt/servers/mcp.json"
PAGE = "page"

_UNUSED_ASSET = str(sources.ROOT / "infra" / "packing")
"""A folder that CDK requires as the asset's source but does not use: bundling creates all of the asset's files."""


def runtime(platform: Platform) -> lambda_.Runtime:
    """Return the CDK runtime for the platform's Python version."""
    return lambda_.Runtime(
        f"python{platform.python}", lambda_.RuntimeFamily.PYTHON, supports_snap_start=platform.has_snapstart
    )


def architecture(platform: Platform) -> lambda_.Architecture:
    """Return the CDK architecture (arm64 or x86_64) for the platform's processor."""
    return lambda_.Architecture.ARM_64 if platform.architecture == "arm64" else lambda_.Architecture.X86_64


class FunctionLayers(Construct):
    """The layers of a stack's functions. Each layer is created when the first function needs it."""

    def __init__(self, scope: Construct, id_: str, *, platform: Platform, servers: Servers) -> None:
        super().__init__(scope, id_)
        self.platform = platform
        self._layer_set = LayerSet(servers, platform)
        self._contents = self._layer_set.shared()
        self._shared: dict[str, lambda_.ILayerVersion] = {}

    def for_function(self, folder: str) -> list[lambda_.ILayerVersion]:
        """Return the layers of ``functions/{folder}``: the ``satchel`` package and a group of third-party packages."""
        return [self._share("Core"), self.packages(folder)]

    def packages(self, folder: str) -> lambda_.ILayerVersion:
        """Return the layer with the group of third-party packages of a function."""
        return self._share(f"Vendor-{group_of(folder)}")

    @contextmanager
    def bridge_code(self) -> Iterator[lambda_.Code]:
        """Yield the code of the function ``bridge``, which is not in ``functions``."""
        with _layer_code(self._layer_set.bridge()) as code:
            yield code

    @property
    def entries(self) -> lambda_.ILayerVersion:
        """Return the layer with all mcp.json entries, for functions that read the entries but run no MCP server."""
        return self._share("Servers")

    def for_server(self, name: str, server: Server) -> list[lambda_.ILayerVersion]:
        """Return extra layers for the function that runs a stdio server: its mcp.json entry, files and packages."""
        shared, packages = self._layer_set.server_packages(server)
        layers: list[lambda_.ILayerVersion] = [self._layer(f"Server-{name}", self._layer_set.server_files(name))]
        if shared is not None:
            layers.append(self._share(shared))
        if packages is not None:
            layers.append(self._layer(f"Packages-{name}", packages))
        return layers

    def for_remote_servers(self) -> list[lambda_.ILayerVersion]:
        """Return the extra layer for the function that calls remote servers: an mcp.json with their entries."""
        return [self._layer("Remote", self._layer_set.remote_entries())]

    def page(self, folder: Path) -> lambda_.ILayerVersion:
        """Return a layer with the built web client. If the client is not built, warn and use a placeholder."""
        is_built = (folder / "index.html").is_file()
        if not is_built:
            Annotations.of(self).add_warning_v2("satchel:page", f"no page in {folder}: build it with `make synth`")
        return self._layer("Page", StaticFolder(folder if is_built else sources.NO_SITE, PAGE))

    def _share(self, name: str) -> lambda_.ILayerVersion:
        """Return the layer that functions share under this name."""
        if name not in self._shared:
            self._shared[name] = self._layer(name, self._contents[name])
        return self._shared[name]

    def _layer(self, id_: str, contents: LayerContents) -> lambda_.LayerVersion:
        with _layer_code(contents) as code:
            return lambda_.LayerVersion(
                self,
                id_,
                code=code,
                compatible_runtimes=[runtime(self.platform)],
                compatible_architectures=[architecture(self.platform)],
            )


@jsii.implements(ILocalBundling)
class _Bundling:
    """Fills an asset folder on this machine. CDK calls ``try_bundle`` instead of running Docker."""

    def __init__(self, contents: LayerContents) -> None:
        self._contents = contents

    def try_bundle(self, output_dir: str, *_args: object, **_options: object) -> bool:
        """Fill the folder. Return True: if the result were False, CDK would run Docker. Raise what ``fill`` raises."""
        self._contents.fill(Path(output_dir))
        return True


@contextmanager
def _layer_code(contents: LayerContents) -> Iterator[lambda_.AssetCode]:
    """Yield the layer's contents as a CDK asset. CDK builds an asset again only if its digest has changed."""
    kind = AssetHashType.CUSTOM
    if contents.quick:
        with TemporaryDirectory() as folder:
            contents.fill(Path(folder))
            yield lambda_.Code.from_asset(folder, asset_hash=contents.digest, asset_hash_type=kind)
        return
    # CDK requires a Docker image here but never pulls it, because the local bundling always succeeds or raises.
    bundling = BundlingOptions(image=DockerImage.from_registry("unused"), local=_Bundling(contents))
    yield lambda_.Code.from_asset(_UNUSED_ASSET, bundling=bundling, asset_hash=contents.digest, asset_hash_type=kind)

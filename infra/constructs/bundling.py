"""``packing`` for the CDK: layers are made on this machine, when the templates are synthesised."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import jsii
from aws_cdk import AssetHashType, BundlingOptions, DockerImage, ILocalBundling
from aws_cdk import aws_lambda as lambda_

from infra import sources
from infra.packing.contents import Contents
from infra.packing.platform import Platform

_UNUSED = str(sources.ROOT / "infra" / "packing")
"""CDK wants a folder to make an asset of, even where all that is in it is made."""


def runtime(platform: Platform) -> lambda_.Runtime:
    """Return Lambda's runtime of this version."""
    return lambda_.Runtime(
        f"python{platform.python}", lambda_.RuntimeFamily.PYTHON, supports_snap_start=platform.has_snapshots
    )


def architecture(platform: Platform) -> lambda_.Architecture:
    """Return Lambda's name of this processor."""
    return lambda_.Architecture.ARM_64 if platform.architecture == "arm64" else lambda_.Architecture.X86_64


@jsii.implements(ILocalBundling)
class _Bundling:
    """Fills the folder of an asset."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def try_bundle(self, output_dir: str, *_args: object, **_options: object) -> bool:
        """Fill the folder: there is nothing to fall back to. Raises what filling raises."""
        self._contents.fill(Path(output_dir))
        return True


@contextmanager
def layer_code(contents: Contents) -> Iterator[lambda_.AssetCode]:
    """Give the code of a layer, made anew when its contents change, to whoever makes the layer inside."""
    kind = AssetHashType.CUSTOM
    if contents.quick:
        with TemporaryDirectory() as folder:
            contents.fill(Path(folder))
            yield lambda_.Code.from_asset(folder, asset_hash=contents.digest, asset_hash_type=kind)
        return
    # The image is never pulled: the local bundling never answers that it could not.
    bundling = BundlingOptions(image=DockerImage.from_registry("unused"), local=_Bundling(contents))
    yield lambda_.Code.from_asset(_UNUSED, bundling=bundling, asset_hash=contents.digest, asset_hash_type=kind)

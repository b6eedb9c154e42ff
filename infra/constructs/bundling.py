"""Layers of third-party packages, built by uv on this machine: wheels of the function's platform, no docker."""

import hashlib
import importlib.util
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import jsii
from aws_cdk import AssetHashType, BundlingOptions, DockerImage, ILocalBundling
from aws_cdk import aws_lambda as lambda_

# Python 3.11 runs on Amazon Linux 2 (glibc 2.26), later ones on Amazon Linux 2023 (glibc 2.34).
_LAST_ON_AMAZON_LINUX_2 = 11
_SUPPORTED = range(11, 15)


@dataclass(frozen=True)
class Target:
    """What the functions run on: the Python that builds, so that what ran the tests is what runs in the cloud."""

    architecture: Literal["arm64", "x86_64"]
    minor: int = sys.version_info.minor

    def __post_init__(self) -> None:
        """Refuse a Python that Lambda does not have. Raises ValueError."""
        if self.minor not in _SUPPORTED:
            raise ValueError(f"Lambda has no Python 3.{self.minor}: build with Python 3.11 to 3.14")

    @property
    def python(self) -> str:
        """Return the version as ``3.x``."""
        return f"3.{self.minor}"

    @property
    def runtime(self) -> lambda_.Runtime:
        """Return the version as Lambda's runtime."""
        return lambda_.Runtime(f"python{self.python}", lambda_.RuntimeFamily.PYTHON)

    @property
    def lambda_architecture(self) -> lambda_.Architecture:
        """Return the architecture as Lambda's."""
        return lambda_.Architecture.ARM_64 if self.architecture == "arm64" else lambda_.Architecture.X86_64

    @property
    def wheels(self) -> str:
        """Return the platform whose wheels load there, in uv's words."""
        machine = "aarch64" if self.architecture == "arm64" else "x86_64"
        return f"{machine}-{'manylinux2014' if self.minor <= _LAST_ON_AMAZON_LINUX_2 else 'manylinux_2_28'}"


@jsii.implements(ILocalBundling)
class _UvBundling:
    """Installs pinned requirements into a layer's ``python`` folder."""

    def __init__(self, requirements: Path, target: Target) -> None:
        self._requirements = requirements
        self._target = target

    def try_bundle(self, output_dir: str, *_args: object, **_options: object) -> bool:
        """Fill the folder. Raises CalledProcessError: there is nothing to fall back to."""
        folder = Path(output_dir) / "python"
        choice = ("--python-version", self._target.python, "--python-platform", self._target.wheels)
        options = ("--quiet", "--only-binary", ":all:", "--require-hashes", "--target", str(folder))
        command = [*_uv(), "pip", "install", *options, *choice, "-r", str(self._requirements)]
        subprocess.run(command, check=True)  # noqa: S603  (fixed words and paths of this checkout)
        shutil.rmtree(folder / "bin", ignore_errors=True)  # commands that name the building interpreter
        (folder / ".lock").unlink(missing_ok=True)
        return True


def vendored(requirements: Path, target: Target) -> lambda_.AssetCode:
    """Return the code of a layer with these packages, rebuilt when the file or the target changes."""
    digest = hashlib.sha256(requirements.read_bytes())
    digest.update(f"{target.python} {target.wheels}".encode())
    return lambda_.Code.from_asset(
        str(requirements.parent),
        asset_hash=digest.hexdigest(),
        asset_hash_type=AssetHashType.CUSTOM,
        # The image is never pulled: the local bundling never answers that it could not.
        bundling=BundlingOptions(
            image=DockerImage.from_registry("unused"),
            local=_UvBundling(requirements, target),
        ),
    )


def _uv() -> list[str]:
    """Prefer the uv that is installed beside this interpreter, so that its version is the pinned one."""
    if importlib.util.find_spec("uv"):
        return [sys.executable, "-m", "uv"]
    if found := shutil.which("uv"):
        return [found]
    raise FileNotFoundError("uv builds the layers: install it (requirements/uv.txt)")

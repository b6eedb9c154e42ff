"""Check the unpacked sizes of functions, which Lambda limits, before a deployment fails there."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

MAX_FUNCTION_BYTES = 250 * 1024 * 1024
"""Lambda's limit for the unpacked layers and code of one function, in total."""

_MB = 1_000_000


class FunctionTooLargeError(ValueError):
    """Functions are larger than Lambda allows. The message names each function, and the sizes of its parts."""


def check_sizes(template_file: Path, *, max_bytes: int = MAX_FUNCTION_BYTES) -> None:
    """Raise FunctionTooLargeError if a function of the synthesized template exceeds Lambda's limit."""
    resources = json.loads(template_file.read_text(encoding="utf-8"))["Resources"]
    folders = _folders(template_file)
    sizes = {
        key: _size(folders[content["S3Key"]])
        for key, resource in resources.items()
        if (content := _content(resource)) and content.get("S3Key") in folders
    }
    if problems := list(_problems(resources, sizes, max_bytes)):
        raise FunctionTooLargeError("\n".join(problems))


def _problems(resources: Mapping[str, Any], sizes: Mapping[str, int], max_bytes: int) -> Iterator[str]:
    for key, resource in resources.items():
        if resource["Type"] != "AWS::Lambda::Function":
            continue
        layers = [each["Ref"] for each in resource["Properties"].get("Layers", [])]
        parts = {name: sizes.get(name, 0) for name in (key, *layers)}
        if sum(parts.values()) > max_bytes:
            listed = ", ".join(f"{name} {size / _MB:.1f}" for name, size in parts.items())
            yield (
                f"{key} has {sum(parts.values()) / _MB:.1f} MB, and Lambda allows {max_bytes / _MB:.1f} MB for code and"
                f" layers together ({listed}): its server needs fewer or smaller packages in 'requirements'"
            )


def _content(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = resource.get("Properties", {})
    content: Mapping[str, Any] = {
        "AWS::Lambda::Function": properties.get("Code", {}),
        "AWS::Lambda::LayerVersion": properties.get("Content", {}),
    }.get(resource["Type"], {})
    return content


def _folders(template_file: Path) -> Mapping[str, Path]:
    """Return the folder of each asset of the template's stack by its key in the bucket with the assets."""
    assets = template_file.with_name(template_file.name.replace(".template.json", ".assets.json"))
    files = json.loads(assets.read_text(encoding="utf-8"))["files"]
    return {
        destination["objectKey"]: template_file.parent / asset["source"]["path"]
        for asset in files.values()
        for destination in asset["destinations"].values()
    }


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())

"""The size of a function's code and layers is checked before the deployment."""

import json
from pathlib import Path

import pytest

from infra.function_sizes import FunctionTooLargeError, check_sizes


def write_stack(folder: Path) -> Path:
    """Write a template with a function of 100 bytes of code and 300 bytes of layer, and return its path."""
    files = {"code": 100, "layer": 300}
    for name, size in files.items():
        (folder / name).mkdir()
        (folder / name / "content").write_bytes(bytes(size))
    assets = {
        name: {"source": {"path": name}, "destinations": {"here": {"objectKey": f"{name}.zip"}}} for name in files
    }
    (folder / "x.assets.json").write_text(json.dumps({"files": assets}))
    function = {"Code": {"S3Key": "code.zip"}, "Layers": [{"Ref": "Packages"}]}
    resources = {
        "Run": {"Type": "AWS::Lambda::Function", "Properties": function},
        "Packages": {"Type": "AWS::Lambda::LayerVersion", "Properties": {"Content": {"S3Key": "layer.zip"}}},
        "Role": {"Type": "AWS::IAM::Role"},
    }
    path = folder / "x.template.json"
    path.write_text(json.dumps({"Resources": resources}))
    return path


def test_function_within_the_limit_is_accepted(tmp_path: Path) -> None:
    check_sizes(write_stack(tmp_path), max_bytes=400)


def test_function_above_the_limit_raises_with_the_sizes_of_its_parts(tmp_path: Path) -> None:
    with pytest.raises(FunctionTooLargeError, match=r"Run has 0\.0 MB.*\(Run 0\.0, Packages 0\.0\): its server needs"):
        check_sizes(write_stack(tmp_path), max_bytes=399)

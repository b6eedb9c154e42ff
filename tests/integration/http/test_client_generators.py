"""Generators of clients accept the OpenAPI document, and their clients compile strictly or can be imported.

``tests/e2e/test_generated_clients.py`` compiles and runs the programs, with ``openapi-fetch`` as well.

The generators are in environments of their own (``make .venv/api-clients.stamp .venv/api-clients-node.stamp``).
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from infra.sources import ROOT
from tests.integration.http.operations import DOCUMENT, OPERATIONS

PYTHON = ROOT / ".venv" / "api-clients" / "bin"
NODE = ROOT / ".venv" / "api-clients-node" / "node_modules"
PROGRAMS = ROOT / "tests" / "e2e" / "api_clients" / "programs"
_MODULES = ("--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler")
# The last option skips only TypeScript's own declarations, which take two seconds.
STRICT = ("--noEmit", "--strict", *_MODULES, "--skipDefaultLibCheck")
TYPED_FILES = """
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
const blob = ts.factory.createTypeReferenceNode("Blob");
const transform = (schema) => (schema.format === "binary" ? blob : undefined);
const types = await openapiTS(JSON.parse(readFileSync("openapi.json", "utf8")), { transform, silent: true });
writeFileSync("schema.d.ts", astToString(types));
"""
IMPORT_ALL = """
import importlib, pkgutil, generated
for module in pkgutil.walk_packages(generated.__path__, "generated."):
    importlib.import_module(module.name)
    print(module.name)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "openapi.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
    return tmp_path


@pytest.fixture
def node_folder(folder: Path) -> Path:
    if not NODE.exists():
        pytest.skip("npm is not installed")
    (folder / "node_modules").symlink_to(NODE)
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return folder


def run(folder: Path, *command: str | Path) -> str:
    path = f"{PYTHON}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S603  (fixed arguments)
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_hey_api_compiles_without_casts(node_folder: Path) -> None:
    run(node_folder, NODE / ".bin" / "openapi-ts", "--input", "openapi.json", "--output", "hey", "--silent")
    shutil.copy(PROGRAMS / "hey.ts", node_folder)
    run(node_folder, NODE / ".bin" / "tsc", *STRICT, "--skipLibCheck", "hey.ts")


def test_all_modules_of_openapi_python_client_can_be_imported(folder: Path) -> None:
    if not PYTHON.exists():
        pytest.skip("the generator is not installed")
    command = ("generate", "--path", "openapi.json", "--output-path", "generated", "--meta", "none")
    run(folder, PYTHON / "openapi-python-client", *command, "--fail-on-warning")

    modules = run(folder, PYTHON / "python", "-c", IMPORT_ALL).split()

    names = {module.rpartition(".")[2] for module in modules if module.startswith("generated.api.")}
    assert {operation.spec["operationId"] for operation in OPERATIONS} <= names

"""The frame for apps: the same answer from the CloudFront Function and from the local server."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from infra.app_sandbox import sandbox_function
from local.emulator.app_sandbox import AppSandbox

PAGE = "https://chat.example"
POLICY = "default-src 'none'; script-src 'unsafe-inline' https://*.cdn.example:8443; base-uri 'none'"
FORBIDDEN = ["", "default-src *, x", "default-src\nx", "a" * 7001, "default-src (x)", 'x"', "é"]
MAX_FUNCTION_BYTES = 10_240


@pytest.fixture(scope="module")
def frame() -> TestClient:
    return TestClient(AppSandbox([PAGE]), base_url="http://127.0.0.1:1")


@pytest.fixture(scope="module")
def function(tmp_path_factory: pytest.TempPathFactory) -> Path:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node")
    path = tmp_path_factory.mktemp("function") / "function.js"
    path.write_text(sandbox_function([PAGE]) + "\nconsole.log(JSON.stringify(handler(JSON.parse(process.argv[2]))));\n")
    return path


def invoke(function: Path, csp: str, uri: str = "/") -> Any:  # noqa: ANN401  (the response of a function)
    value = "".join(f"%{byte:02X}" for byte in csp.encode())
    event = {"request": {"uri": uri, "querystring": {"csp": {"value": value}} if csp else {}}}
    output = subprocess.run(["node", function, json.dumps(event)], check=True, capture_output=True)  # noqa: S603, S607
    return json.loads(output.stdout)


def test_policy_of_the_app_and_the_allowed_pages_are_in_the_header(frame: TestClient) -> None:
    response = frame.get("/", params={"csp": POLICY})
    assert response.headers["content-security-policy"] == (
        f"{POLICY}, frame-ancestors {PAGE}; form-action 'none'; object-src 'none'"
    )
    assert response.headers["origin-agent-cluster"] == "?1"


@pytest.mark.parametrize("csp", FORBIDDEN)
def test_address_without_a_policy_is_not_found(frame: TestClient, function: Path, csp: str) -> None:
    assert frame.get("/", params={"csp": csp}).status_code == 404
    assert invoke(function, csp)["statusCode"] == 404


@pytest.mark.parametrize("path", ["/index.html", "/api/config", "/config.json"])
def test_nothing_else_is_served(frame: TestClient, function: Path, path: str) -> None:
    assert frame.get(path, params={"csp": POLICY}).status_code == 404
    assert invoke(function, POLICY, path)["statusCode"] == 404


def test_function_answers_like_the_local_server(frame: TestClient, function: Path) -> None:
    local, deployed = frame.get("/", params={"csp": POLICY}), invoke(function, POLICY)
    headers = {name: value["value"] for name, value in deployed["headers"].items()}
    assert headers == {name: value for name, value in local.headers.items() if name != "content-length"}
    code = [line.strip() for line in local.text.splitlines()]
    assert deployed["body"]["data"].splitlines() == [line for line in code if line and not line.startswith("//")]


def test_function_is_small_enough_for_cloudfront() -> None:
    assert len(sandbox_function([f"https://{'a' * 200}.example"]).encode()) < MAX_FUNCTION_BYTES

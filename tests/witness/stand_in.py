"""A replacement for AWS on this machine: the emulator MiniStack, and a proxy that leads all host names of AWS to it.

Programs need no other endpoints: they connect to the names of AWS by HTTPS, through the proxy. The proxy connects other
host names, such as those of package registries, directly.
"""

import asyncio
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Queue

from tests.e2e.system_process import free_port

REGION = "eu-central-1"
ACCOUNT = "123456789012"
_NAMES = (
    "localhost",
    "*.amazonaws.com",
    "*.cloudfront.net",
    *(f"*.{region}.amazonaws.com" for region in (REGION, "us-east-1")),
    f"*.execute-api.{REGION}.amazonaws.com",
    f"*.s3.{REGION}.amazonaws.com",
)
_OF_AWS = (".amazonaws.com", ".cloudfront.net")
_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"  # for Pythons that know no other
_MAX_START_SECONDS = 120
_CHUNK = 1 << 16


@dataclass(frozen=True)
class StandIn:
    """The running replacement: ``environ`` are the variables for programs that use it as an administrator."""

    environ: Mapping[str, str]
    proxy: str
    authorities: Path
    log: Path


@contextmanager
def stand_in(folder: Path, python: Path) -> Iterator[StandIn]:
    """Run the emulator with this Python. ``folder`` gets the certificates and the emulator's log."""
    certificate, key, bundle = _create_certificate(folder)
    with ExitStack() as stack:
        port = free_port()
        proxy = f"http://127.0.0.1:{stack.enter_context(_proxy(port))}"
        environ = {
            "AWS_ACCESS_KEY_ID": "AKIAWITNESSWITNESSW1",
            "AWS_SECRET_ACCESS_KEY": "secret-of-the-administrator",
            "HTTPS_PROXY": proxy,
            "https_proxy": proxy,  # curl and npm
            "NO_PROXY": "127.0.0.1,localhost",
            **dict.fromkeys(("AWS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"), str(bundle)),
            "NODE_EXTRA_CA_CERTS": str(bundle),
        }
        settings = {
            "AUTH": "true",
            "BIND_HOST": "127.0.0.1",
            "GATEWAY_PORT": str(port),
            "LOG_LEVEL": "INFO",
            "MINISTACK_ACCOUNT_ID": ACCOUNT,
            "MINISTACK_REGION": REGION,
            "MINISTACK_SSL_CERT": str(certificate),
            "MINISTACK_SSL_KEY": str(key),
            "STATE_DIR": str(folder / "state"),
            "USE_SSL": "1",
        }
        log = folder / "ministack.log"
        stack.enter_context(_server(log, python, {**environ, **settings}, port))
        yield StandIn(environ, proxy, bundle, log)


def _create_certificate(folder: Path) -> tuple[Path, Path, Path]:
    """Return the paths of a certificate for all names, of its key, and of a bundle with all other authorities."""
    certificate, key, bundle = folder / "certificate.pem", folder / "key.pem", folder / "authorities.pem"
    names = ",".join(f"DNS:{name}" for name in _NAMES)
    subprocess.run(  # noqa: S603  (fixed arguments)
        [
            *("openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=Stand-in for AWS"),
            *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-addext"),
            *(f"subjectAltName={names},IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    others = Path(os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile or _AUTHORITIES)
    bundle.write_text((others.read_text() if others.exists() else "") + certificate.read_text())
    return certificate, key, bundle


@contextmanager
def _server(log: Path, python: Path, environ: Mapping[str, str], port: int) -> Iterator[None]:
    program = Path(__file__).with_name("ministack_server.py")
    inherited = {key: value for key, value in os.environ.items() if key in {"HOME", "TMPDIR"}}
    with log.open("w") as output:
        process = subprocess.Popen(  # noqa: S603  (fixed arguments)
            [python, program],
            env={"PATH": f"{python.parent}:/usr/sbin:/usr/bin:/bin", **inherited, **environ},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait_for(port, process)
            yield
        finally:
            # The processes of functions belong to the same group.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _MAX_START_SECONDS
    while True:
        assert process.poll() is None, "MiniStack ended"
        assert time.monotonic() < deadline, "MiniStack does not listen"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)


@contextmanager
def _proxy(port: int) -> Iterator[int]:
    """Run an HTTPS proxy in a thread and yield its port. ``port`` is that of the emulator."""
    found: Queue[tuple[asyncio.AbstractEventLoop, asyncio.Event, int]] = Queue()

    async def serve() -> None:
        async with await asyncio.start_server(partial(_connect, port), "127.0.0.1", 0) as server:
            stop = asyncio.Event()
            found.put((asyncio.get_running_loop(), stop, server.sockets[0].getsockname()[1]))
            await stop.wait()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    loop, stop, own_port = found.get()
    try:
        yield own_port
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


async def _connect(port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Connect a client of the proxy with the host that its CONNECT request names, or with the emulator."""
    with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
        request = await reader.readuntil(b"\r\n\r\n")
        host, _, of_host = request.split()[1].decode().rpartition(":")
        target = ("127.0.0.1", port) if host.endswith(_OF_AWS) else (host, int(of_host))
        there = await asyncio.open_connection(*target)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))
    writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()

"""The benchmark of artifacts. Its memory limits apply to every test run, because they do not depend on the machine."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from tests.bench.artifacts.object_store import ObjectStore
from tests.bench.artifacts.variants import Kind, raw_result, total_bytes
from tests.bench.bench_artifacts import MAX_INLINE_MIB, MAX_PATH_MIB, setup
from tests.bench.harness import Sample

MIB = 1 << 20
needs_peak = pytest.mark.skipif(
    not os.access("/proc/self/clear_refs", os.W_OK), reason="this system cannot reset the memory peak"
)


@pytest.fixture
def store() -> Iterator[ObjectStore]:
    with ObjectStore() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def run(sample: Sample) -> float:
    figure = sample()
    assert figure is not None
    return figure


def test_store_counts_bytes_of_objects_and_of_parts(store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(17 * MIB))
    client = boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{store.server_port}",
        region_name="us-east-1",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )

    client.put_object(Bucket="b", Key="small", Body=b"abc")
    assert store.take_count() == 3
    client.upload_file(str(tmp_path / "big"), "b", "big")
    assert (store.take_count(), store.take_count()) == (17 * MIB, 0)
    client.close()


@pytest.mark.parametrize("kind", ["inline", "path"])
def test_raw_result_has_the_declared_number_of_bytes(kind: Kind, tmp_path: Path) -> None:
    artifacts = raw_result(kind, tmp_path)["structuredContent"]["artifacts"]
    sizes = [
        len(a["b64"]) // 4 * 3 - a["b64"].count("=") if "b64" in a else Path(a["path"]).stat().st_size
        for a in artifacts
    ]

    assert sum(sizes) == total_bytes(kind)


@needs_peak
@pytest.mark.parametrize(("kind", "max_mib"), [("inline", MAX_INLINE_MIB), ("path", MAX_PATH_MIB)])
def test_storing_artifacts_stays_below_the_memory_limit(kind: Kind, max_mib: float) -> None:
    with setup(kind, "peak_mib") as comparison:
        assert 0 < run(comparison.measured) < max_mib
        assert run(comparison.baseline) > 0

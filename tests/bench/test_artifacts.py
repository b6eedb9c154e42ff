"""The benchmark of artifacts itself; memory does not depend on the machine, so its limits hold in every test run."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from tests.bench.artifacts.object_store import ObjectStore
from tests.bench.artifacts.sides import Kind, raw_result, total
from tests.bench.bench_artifacts import MAX_INLINE_MIB, MAX_PATH_MIB, setting
from tests.bench.harness import Sample

MIB = 1 << 20
needs_peak = pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="no peak to be set back here")


@pytest.fixture
def store() -> Iterator[ObjectStore]:
    with ObjectStore() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def figure(sample: Sample) -> float:
    own = sample()
    assert own is not None
    return own


def test_the_store_counts_the_bytes_of_small_objects_and_of_parts(store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(bytes(17 * MIB))
    client = boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{store.server_port}",
        region_name="us-east-1",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )

    client.put_object(Bucket="b", Key="small", Body=b"abc")
    assert store.taken() == 3
    client.upload_file(str(tmp_path / "big"), "b", "big")
    assert (store.taken(), store.taken()) == (17 * MIB, 0)
    client.close()


@pytest.mark.parametrize("kind", ["inline", "path"])
def test_a_result_brings_what_it_is_said_to(kind: Kind, tmp_path: Path) -> None:
    artifacts = raw_result(kind, tmp_path)["structuredContent"]["artifacts"]
    sizes = [
        len(a["b64"]) // 4 * 3 - a["b64"].count("=") if "b64" in a else Path(a["path"]).stat().st_size
        for a in artifacts
    ]

    assert sum(sizes) == total(kind)


@needs_peak
@pytest.mark.parametrize(("kind", "max_mib"), [("inline", MAX_INLINE_MIB), ("path", MAX_PATH_MIB)])
def test_storing_what_a_tool_made_takes_little_memory(kind: Kind, max_mib: float) -> None:
    with setting(kind, "peak_mib") as pair:
        assert 0 < figure(pair.measured) < max_mib
        assert figure(pair.baseline) > 0

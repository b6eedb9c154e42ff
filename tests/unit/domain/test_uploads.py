"""Part sizes and checksums of uploads."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import TypeAdapter, ValidationError

from satchel.domain.ids import UserName, new_id_body
from satchel.domain.uploads import MAX_PARTS, PART_BYTES, Sha256, Upload, new_uploaded_file, part_bytes_for

NOW = datetime(2026, 3, 1, tzinfo=UTC)
GIB = 1 << 30


def upload_of(size: int) -> Upload:
    new = new_uploaded_file(UserName("alice"), None, "a.bin", None, size, NOW, new_id_body(NOW, bytes(10)))
    return Upload(file=new, store_id="u", part_bytes=part_bytes_for(size), expires_at=NOW + timedelta(days=1))


@pytest.mark.parametrize(
    "size", [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 50 * GIB, 160 * GIB, 5000 * GIB, 5000 * GIB + 1]
)
def test_parts_cover_the_file_within_the_limit_of_parts(size: int) -> None:
    upload = upload_of(size)
    numbers = range(1, upload.part_count + 1)
    assert 1 <= upload.part_count <= MAX_PARTS
    assert sum(upload.size_of(number) for number in numbers) == size
    assert upload.offset_of(numbers[-1]) + upload.size_of(numbers[-1]) == size
    assert {upload.size_of(number) for number in numbers[:-1]} <= {upload.part_bytes}


def test_empty_file_has_one_empty_part() -> None:
    upload = upload_of(0)
    assert (upload.part_count, upload.size_of(1)) == (1, 0)


@pytest.mark.parametrize(
    ("size", "part"), [(0, 16), (50 * GIB, 16), (156 * GIB, 16), (157 * GIB, 17), (1000 * GIB, 103)]
)
def test_part_size_is_16_mib_unless_the_file_needs_larger_parts(size: int, part: int) -> None:
    assert part_bytes_for(size) == part << 20


@pytest.mark.parametrize(
    "text", ["", "x", "A" * 44, "A" * 43, "A" * 42 + "==", "A" * 43 + "=\n", "A" * 42 + "B=", "é" * 43 + "="]
)
def test_checksum_that_is_no_base64_sha256_is_invalid(text: str) -> None:
    sha256 = TypeAdapter(Sha256)
    assert sha256.validate_python("LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=")
    with pytest.raises(ValidationError):
        sha256.validate_python(text)

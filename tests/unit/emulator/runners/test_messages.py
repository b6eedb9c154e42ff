import math

import pytest

from local.emulator.runners.messages import LineBuffer, Response, encode_line


def test_lines_are_complete_for_any_chunk_boundaries() -> None:
    buffer = LineBuffer()
    chunks = [b"on", b"e\ntwo\nthr", b"", b"ee\n", b"\n"]
    assert [list(buffer.feed(chunk)) for chunk in chunks] == [[], [b"one", b"two"], [], [b"three"], [b""]]


def test_message_with_line_breaks_is_one_line() -> None:
    response: Response = {"id": "1", "kind": "result", "payload": "a\nb\r\u2028"}
    assert encode_line(response).count(b"\n") == 1


@pytest.mark.parametrize("payload", [math.nan, object(), {1, 2}, {("a", 1): 1}])
def test_value_that_is_not_json_raises(payload: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode_line({"id": "1", "kind": "result", "payload": payload})

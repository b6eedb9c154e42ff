import math

import pytest

from local.runners.wire import Answer, LineBuffer, encode


def test_lines_come_out_whole_however_they_arrive() -> None:
    buffer = LineBuffer()
    chunks = [b"on", b"e\ntwo\nthr", b"", b"ee\n", b"\n"]
    assert [list(buffer.feed(chunk)) for chunk in chunks] == [[], [b"one", b"two"], [], [b"three"], [b""]]


def test_a_message_is_one_line_even_with_line_breaks_in_it() -> None:
    answer: Answer = {"id": "1", "kind": "result", "payload": "a\nb\r\u2028"}
    assert encode(answer).count(b"\n") == 1


@pytest.mark.parametrize("payload", [math.nan, object(), {1, 2}, {("a", 1): 1}])
def test_what_json_cannot_carry_is_refused(payload: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode({"id": "1", "kind": "result", "payload": payload})

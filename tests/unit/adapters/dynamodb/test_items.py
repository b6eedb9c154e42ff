import base64

import pytest

from satchel.adapters.dynamodb.items import from_cursor, to_cursor
from satchel.domain.errors import InvalidRequest


class TestCursors:
    def test_cursor_round_trips_and_hides_the_sort_key(self) -> None:
        cursor = to_cursor("FILE#größe")

        assert cursor is not None
        assert "FILE" not in cursor
        assert from_cursor(cursor, "FILE#") == "FILE#größe"

    def test_first_and_last_page_have_no_cursor(self) -> None:
        assert from_cursor(None, "FILE#") is None
        assert to_cursor(None) is None

    @pytest.mark.parametrize(
        "cursor",
        [
            "",
            "garbage",
            "ÄÖÜ",
            "a=b=",
            to_cursor("TURN#t1"),
            to_cursor("FILE"),
            base64.b64encode(b"FILE#\xff").decode(),
            to_cursor("FILE#" + "x" * 1100),
            (to_cursor("FILE#1") or "") + "\n",
        ],
    )
    def test_cursor_of_another_list_is_rejected(self, cursor: str) -> None:
        with pytest.raises(InvalidRequest) as raised:
            from_cursor(cursor, "FILE#")

        assert raised.value.details == {"cursor": cursor[:100]}

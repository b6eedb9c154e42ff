import time
import uuid
from pathlib import Path

from local.corners import Corners
from satchel.adapters.user_area import LocalUserArea


def somebody() -> str:
    return f"u{uuid.uuid4().hex[:12]}@example.com"


def test_the_corners_of_all_who_were_noted_are_removed() -> None:
    corners, people = Corners(), [somebody(), somebody()]
    for person in people:
        with LocalUserArea().hold(person, "s1") as home:
            (home / "file").write_text("x")
        corners.note(person)

    assert corners.clear() == []
    assert not any((Path("/tmp") / person).exists() for person in people)


def test_one_that_another_program_holds_is_named_and_keeps_nobody_waiting() -> None:
    corners, person, other = Corners(), somebody(), somebody()
    for noted in (person, other):
        corners.note(noted)
    area = LocalUserArea()
    with area.hold(other, "s1"):
        pass
    started = time.monotonic()
    with area.hold(person, "s1") as home:
        assert corners.clear() == [person]
        assert time.monotonic() - started < 3
        assert home.exists()
    assert not (Path("/tmp") / other).exists()
    area.remove(person)


def test_what_is_not_ours_is_left_as_it_is() -> None:
    corners, person = Corners(), somebody()
    foreign = Path("/tmp") / person
    foreign.mkdir()
    corners.note(person)
    try:
        corners.clear()
        assert foreign.exists()
    finally:
        foreign.rmdir()

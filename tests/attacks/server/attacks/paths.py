"""Paths that look like one's own and lead elsewhere."""

import os

from .ground import Ground, attack, wanted


def append(path: object) -> None:
    with open(str(path), "a") as file:
        file.write("pwn")


@attack
def dot_dot(ground: Ground) -> None:
    append(f"{ground.mine}/../{ground.out.name}/{ground.new.name}")


@attack
def directory_descriptor(ground: Ground) -> None:
    directory = os.open(ground.out, os.O_RDONLY | os.O_DIRECTORY)
    os.write(os.open(ground.new.name, os.O_CREAT | os.O_WRONLY, dir_fd=directory), b"pwn")


@attack
def looking_descriptor(ground: Ground) -> None:
    directory = os.open(ground.out, os.O_PATH)
    os.write(os.open(ground.new.name, os.O_CREAT | os.O_WRONLY, dir_fd=directory), b"pwn")


@attack
def another_current_directory(ground: Ground) -> None:
    os.chdir(ground.out)
    append(ground.new.name)


@attack
def link_to_a_file(ground: Ground) -> None:
    (ground.mine / "file-link").symlink_to(ground.out / "canary")
    append(ground.mine / "file-link")


@attack
def link_to_a_directory(ground: Ground) -> None:
    (ground.mine / "folder-link").symlink_to(ground.out)
    append(ground.mine / "folder-link" / ground.new.name)


@attack
def dangling_link(ground: Ground) -> None:
    (ground.mine / "dangling").symlink_to(ground.new)
    append(ground.mine / "dangling")


@attack
def second_name(ground: Ground) -> None:
    os.link(ground.out / "canary", ground.mine / "second")
    append(ground.mine / "second")


@attack
def reopened_descriptor(ground: Ground) -> None:
    fd = os.open(ground.out / "canary", os.O_RDONLY)
    append(f"/proc/self/fd/{fd}")


@attack
def by_the_root_of_proc(ground: Ground) -> None:
    append(f"/proc/self/root{ground.new}")


@attack
def by_the_runners_root(ground: Ground) -> None:
    append(f"/proc/{ground.runner}/root{ground.new}")


@attack
def same_beginning(ground: Ground) -> None:
    other = ground.mine.with_name(f"{ground.mine.name}-evil")
    other.mkdir(exist_ok=True)
    append(other / "x")


@attack
def swapped_directory(ground: Ground) -> None:
    """The directory that was checked is a link by the time it is used."""
    (ground.mine / "swap").mkdir()
    (ground.mine / "link").symlink_to(ground.out)
    fd = os.open(ground.mine / "swap", os.O_RDONLY)
    os.rename(ground.mine / "swap", ground.mine / "swap-old")
    os.rename(ground.mine / "link", ground.mine / "swap")
    append(ground.mine / "swap" / ground.new.name)
    os.close(fd)


@attack
def path_that_changes_its_mind(ground: Ground) -> None:
    class Shifty:
        asked = 0

        def __init__(self, turning: int) -> None:
            self.turning = turning

        def __fspath__(self) -> str:
            self.asked += 1
            return str(ground.mine / "fine") if self.asked < self.turning else str(ground.new)

    for turning in range(1, 6):
        try:
            open(Shifty(turning), "w").close()
        except OSError:
            continue
        if (ground.new).exists():
            return
    wanted(success=False)


@attack
def own_kind_of_text(ground: Ground) -> None:
    class Honest(str):
        __slots__ = ()

        def startswith(self, *_: object) -> bool:
            return True

    open(Honest(ground.new), "w").close()

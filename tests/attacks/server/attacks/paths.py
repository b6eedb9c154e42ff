"""Paths that look like paths in the workspace and lead outside."""

import os

from .framework import Target, attack, require


def append(path: object) -> None:
    with open(str(path), "a") as file:
        file.write("pwn")


@attack
def parent_path(target: Target) -> None:
    append(f"{target.mine}/../{target.out.name}/{target.new.name}")


@attack
def directory_descriptor(target: Target) -> None:
    directory = os.open(target.out, os.O_RDONLY | os.O_DIRECTORY)
    os.write(os.open(target.new.name, os.O_CREAT | os.O_WRONLY, dir_fd=directory), b"pwn")


@attack
def o_path_descriptor(target: Target) -> None:
    directory = os.open(target.out, os.O_PATH)
    os.write(os.open(target.new.name, os.O_CREAT | os.O_WRONLY, dir_fd=directory), b"pwn")


@attack
def changed_working_directory(target: Target) -> None:
    os.chdir(target.out)
    append(target.new.name)


@attack
def symlink_to_file(target: Target) -> None:
    (target.mine / "file-link").symlink_to(target.out / "canary")
    append(target.mine / "file-link")


@attack
def symlink_to_directory(target: Target) -> None:
    (target.mine / "folder-link").symlink_to(target.out)
    append(target.mine / "folder-link" / target.new.name)


@attack
def dangling_symlink(target: Target) -> None:
    (target.mine / "dangling").symlink_to(target.new)
    append(target.mine / "dangling")


@attack
def write_through_hard_link(target: Target) -> None:
    os.link(target.out / "canary", target.mine / "second")
    append(target.mine / "second")


@attack
def reopened_descriptor(target: Target) -> None:
    fd = os.open(target.out / "canary", os.O_RDONLY)
    append(f"/proc/self/fd/{fd}")


@attack
def proc_self_root(target: Target) -> None:
    append(f"/proc/self/root{target.new}")


@attack
def proc_runner_root(target: Target) -> None:
    append(f"/proc/{target.runner}/root{target.new}")


@attack
def path_with_same_prefix(target: Target) -> None:
    other = target.mine.with_name(f"{target.mine.name}-evil")
    other.mkdir(exist_ok=True)
    append(other / "x")


@attack
def swapped_directory(target: Target) -> None:
    """Replace a directory by a link between check and use."""
    (target.mine / "swap").mkdir()
    (target.mine / "link").symlink_to(target.out)
    fd = os.open(target.mine / "swap", os.O_RDONLY)
    os.rename(target.mine / "swap", target.mine / "swap-old")
    os.rename(target.mine / "link", target.mine / "swap")
    append(target.mine / "swap" / target.new.name)
    os.close(fd)


@attack
def path_object_with_changing_value(target: Target) -> None:
    class ChangingPath:
        calls = 0

        def __init__(self, turning: int) -> None:
            self.turning = turning

        def __fspath__(self) -> str:
            self.calls += 1
            return str(target.mine / "fine") if self.calls < self.turning else str(target.new)

    for turning in range(1, 6):
        try:
            open(ChangingPath(turning), "w").close()
        except OSError:
            continue
        if (target.new).exists():
            return
    require(success=False)


@attack
def str_subclass(target: Target) -> None:
    class TrustedText(str):
        __slots__ = ()

        def startswith(self, *_: object) -> bool:
            return True

    open(TrustedText(target.new), "w").close()

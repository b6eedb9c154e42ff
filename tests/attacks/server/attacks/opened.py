"""Misuse of the places that are open to honest servers: HOME, files of control groups, folders of other servers."""

import os
from collections.abc import Iterator
from pathlib import Path

from .framework import Target, attack, require

CONTROL_GROUPS = Path("/sys/fs/cgroup")


def _control_groups() -> Iterator[Path]:
    """Yield the directories of the own control groups and of those above, which need not be listed to be known."""
    # The attack runs in a child of the server, which can read its own entry in /proc, and not that of its child.
    for line in Path(f"/proc/{os.getppid()}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for top in (CONTROL_GROUPS / controllers.removeprefix("name="), CONTROL_GROUPS / "unified"):
            group = top / path.strip("/")
            yield from (each for each in (group, *group.parents) if each.is_relative_to(CONTROL_GROUPS))


def _control_files(*names: str) -> Iterator[Path]:
    """Yield the paths of the control files with these names, whether they exist or not."""
    yield from (folder / name for folder in dict.fromkeys(_control_groups()) for name in names)


def _write_one(text: str, *names: str) -> None:
    """Write to the first control file that accepts it."""
    for path in _control_files(*names):
        try:
            with path.open("r+") as file:
                file.write(text)
        except OSError:
            continue
        return
    raise OSError("no control file accepts it")


@attack
def link_in_home(target: Target) -> None:
    link = Path.home() / f"link-{os.getpid()}"
    link.symlink_to(target.out)
    (link / target.new.name).write_text("pwn")


@attack
def home_of_the_account(_: Target) -> None:
    import pwd  # noqa: PLC0415  (only here)

    (Path(pwd.getpwuid(os.getuid()).pw_dir) / ".satchel-attack").write_text("pwn")


@attack
def folders_of_other_servers(target: Target) -> str:
    """List the folder that has the scratch folders, or the kept folders, of all servers."""
    own = Path(os.environ.get("SATCHEL_WORKSPACE", target.mine))
    others = [path.name for path in own.parent.iterdir() if path.name != own.name]
    require(success=bool(others))
    return ",".join(others)


@attack
def leave_the_control_group(_: Target) -> None:
    _write_one(str(os.getpid()), "cgroup.procs", "tasks", "cgroup.threads")


@attack
def new_control_group(_: Target) -> None:
    for folder in _control_groups():
        try:
            (folder / "satchel-attack").mkdir()
        except OSError:
            continue
        (folder / "satchel-attack").rmdir()
        return
    raise OSError("no control group can be created")


@attack
def lift_the_limits(_: Target) -> None:
    _write_one("max", "memory.max", "pids.max")


@attack
def lift_the_limits_of_version_1(_: Target) -> None:
    _write_one("-1", "memory.limit_in_bytes", "pids.max")


@attack
def program_of_the_host(target: Target) -> None:
    """Let the kernel start a program outside when a control group becomes empty."""
    _write_one(str(target.mine / "program"), "release_agent")


@attack
def freeze_a_control_group(_: Target) -> None:
    _write_one("THAWED", "freezer.state")


@attack
def kill_a_control_group(_: Target) -> None:
    """Write a value that the file accepts and that kills nothing."""
    _write_one("0", "cgroup.freeze", "cgroup.kill")


@attack
def runner_in_a_control_group(target: Target) -> str:
    for path in _control_files("cgroup.procs", "tasks"):
        try:
            processes = path.read_text().split()
        except OSError:
            continue
        if str(target.runner) in processes:
            return str(path)
    raise OSError("the runner is in no control group that can be read")

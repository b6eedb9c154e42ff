"""Bypassing the guard from inside the interpreter."""

import builtins
import gc
import importlib
import io
import os
import posix
import sys

from .framework import Target, attack


@attack
def guard_in_traceback_frames(target: Target) -> None:
    """Search the frames of the guard's error for the guard, and change its settings."""
    try:
        open(target.new, "w").close()
    except OSError as error:
        step = error.__traceback__
        while step:
            for value in list(step.tb_frame.f_locals.values()):
                for name in ("_workspace", "_kernel_enforced"):
                    if hasattr(value, name):
                        setattr(value, name, ("/",) if name == "_workspace" else True)
            step = step.tb_next
    open(target.new, "w").close()


@attack
def reloaded_module(target: Target) -> None:
    importlib.reload(io).open(target.new, "w").close()


@attack
def original_open_function(target: Target) -> None:
    for cell in getattr(builtins.open, "__closure__", None) or ():
        cell.cell_contents(target.new, "w").close()
    posix.close(posix.open(str(target.new), os.O_CREAT | os.O_WRONLY))


@attack
def replaced_path_functions(target: Target) -> None:
    for name in ("realpath", "abspath", "normpath"):
        setattr(os.path, name, lambda _path, **_more: str(target.mine))
    os.readlink = posix.readlink = lambda *_more, **_: str(target.mine)  # type: ignore[assignment]  # an attack
    open(target.new, "w").close()


@attack
def modified_guard_object(target: Target) -> None:
    """Find the guard among all objects, and change its settings."""
    for candidate in gc.get_objects():
        if type(candidate).__name__ == "Guard":
            candidate._workspace = ("/",)  # noqa: SLF001  (an attack)
            candidate._kernel_enforced = True  # noqa: SLF001  (the same)
    open(target.new, "w").close()


@attack
def additional_audit_hook(target: Target) -> None:
    sys.addaudithook(lambda *_: None)
    open(target.new, "w").close()


@attack
def planted_modules(target: Target) -> None:
    """Plant modules that every interpreter imports at its start, so that they run in the next server."""
    for name in ("json", "sitecustomize", "usercustomize"):
        (target.mine / f"{name}.py").write_text(f"open({str(target.new)!r}, 'w').close()\n")
    raise OSError("the test checks the effect from outside")


@attack
def exhausted_stack(target: Target) -> None:
    """Open a file so deep in the stack that the hook fails with a RecursionError."""

    def descend(left: int) -> None:
        if left:
            descend(left - 1)
        else:
            open(target.new, "w").close()

    for left in range(sys.getrecursionlimit() - 200, 0, -37):
        try:
            descend(left)
        except RecursionError:
            continue
        return
    raise OSError("no depth made the hook fail")

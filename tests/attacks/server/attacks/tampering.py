"""Getting past what watches from inside the interpreter."""

import builtins
import gc
import importlib
import io
import os
import posix
import sys

from .ground import Ground, attack


@attack
def frames_of_the_refusal(ground: Ground) -> None:
    """The error shows the frames that it went through, with what stands in them."""
    try:
        open(ground.new, "w").close()
    except OSError as error:
        step = error.__traceback__
        while step:
            for value in list(step.tb_frame.f_locals.values()):
                for name in ("_corner", "_walled"):
                    if hasattr(value, name):
                        setattr(value, name, ("/",) if name == "_corner" else True)
            step = step.tb_next
    open(ground.new, "w").close()


@attack
def fresh_copy_of_a_module(ground: Ground) -> None:
    importlib.reload(io).open(ground.new, "w").close()


@attack
def the_original_function(ground: Ground) -> None:
    for cell in getattr(builtins.open, "__closure__", None) or ():
        cell.cell_contents(ground.new, "w").close()
    posix.close(posix.open(str(ground.new), os.O_CREAT | os.O_WRONLY))


@attack
def helpers_of_ones_own(ground: Ground) -> None:
    for name in ("realpath", "abspath", "normpath"):
        setattr(os.path, name, lambda _path, **_more: str(ground.mine))
    os.readlink = posix.readlink = lambda *_more, **_: str(ground.mine)  # type: ignore[assignment]  # an attack
    open(ground.new, "w").close()


@attack
def whatever_watches(ground: Ground) -> None:
    """Find the objects that judge, and give them another opinion."""
    for found in gc.get_objects():
        if type(found).__name__ == "Guard":
            found._corner = ("/",)  # noqa: SLF001  (an attack)
            found._walled = True  # noqa: SLF001  (the same)
    open(ground.new, "w").close()


@attack
def another_hook(ground: Ground) -> None:
    sys.addaudithook(lambda *_: None)
    open(ground.new, "w").close()


@attack
def planted_modules(ground: Ground) -> None:
    """Names that every interpreter looks for at its start: what is there would run in the next server."""
    for name in ("json", "sitecustomize", "usercustomize"):
        (ground.mine / f"{name}.py").write_text(f"open({str(ground.new)!r}, 'w').close()\n")
    raise OSError("it is looked for from outside")


@attack
def deep_in_calls(ground: Ground) -> None:
    """A hook that runs out of stack may be one that says nothing."""

    def down(left: int) -> None:
        if left:
            down(left - 1)
        else:
            open(ground.new, "w").close()

    for left in range(sys.getrecursionlimit() - 200, 0, -37):
        try:
            down(left)
        except RecursionError:
            continue
        return
    raise OSError("never deep enough")

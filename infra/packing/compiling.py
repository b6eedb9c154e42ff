"""Byte code for layers. A function cannot keep any, since it cannot write there: without it each start compiles."""

import compileall
import os
import py_compile
import sys
from pathlib import Path


def compile_folder(folder: Path, mounted: str) -> None:
    """Compile what lies in a folder that will stand at ``mounted``.

    Unchecked: the archive that Lambda is given forgets when a file was written, by which Python would otherwise judge.
    Files that are no Python of this version are left as they are (some packages bring templates with that ending).
    """
    sys.stdout.flush()
    compileall.compile_dir(
        str(folder),
        quiet=2,
        workers=os.cpu_count() or 1,
        stripdir=str(folder),
        prependdir=mounted,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )

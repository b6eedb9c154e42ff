"""Writing files outside the workspace, with Python functions and with native code."""

import _io
import ctypes
import io
import logging
import mmap
import multiprocessing.shared_memory
import os
import shutil
import sqlite3
import tarfile
import tempfile
import zipfile
from pathlib import Path

from .framework import LIBC, Target, attack, require, syscall

AT_FDCWD = -100
OPENAT, CREAT, OPENAT2 = 257, 85, 437


@attack
def open_for_writing(target: Target) -> None:
    with open(f"{target.new}", "w") as file:
        file.write("pwn")


@attack
def open_for_appending(target: Target) -> None:
    with open(f"{target.out}/canary", "a") as file:
        file.write("pwn")


@attack
def pathlib_write(target: Target) -> None:
    (target.new).write_text("pwn")


@attack
def raw_file_io(target: Target) -> None:
    _io.FileIO(f"{target.new}", "w").write(b"pwn")


@attack
def os_open(target: Target) -> None:
    os.write(os.open(target.new, os.O_CREAT | os.O_WRONLY), b"pwn")


@attack
def bytes_path(target: Target) -> None:
    with open(os.fsencode(target.new), "wb") as file:
        file.write(b"pwn")


@attack
def custom_opener(target: Target) -> None:
    with open("x", "w", opener=lambda _, flags: os.open(target.new, flags | os.O_CREAT)) as file:
        file.write("pwn")


@attack
def shutil_copy(target: Target) -> None:
    (target.mine / "copied").write_text("pwn")
    shutil.copyfile(target.mine / "copied", target.new)


@attack
def temporary_file_outside(target: Target) -> None:
    os.write(tempfile.mkstemp(dir=target.out)[0], b"pwn")


@attack
def zip_slip(target: Target) -> None:
    with zipfile.ZipFile(target.mine / "slip.zip", "w") as archive:
        archive.writestr("x", "pwn")
    with zipfile.ZipFile(target.mine / "slip.zip") as archive:
        archive.extractall(target.out)


@attack
def tar_slip(target: Target) -> None:
    info = tarfile.TarInfo(f"../{target.out.name}/{target.new.name}")
    info.size = 3
    with tarfile.open(target.mine / "slip.tar", "w") as archive:
        archive.addfile(info, io.BytesIO(b"pwn"))
    with tarfile.open(target.mine / "slip.tar") as archive:
        archive.extractall(target.mine, filter="fully_trusted")
    require(success=(target.new).exists())


@attack
def log_file(target: Target) -> None:
    logging.FileHandler(target.new).emit(logging.makeLogRecord({"msg": "pwn"}))


@attack
def memory_mapped_file(target: Target) -> None:
    with open(target.out / "canary", "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[:3] = b"pwn"


@attack
def sqlite_file(target: Target) -> None:
    with sqlite3.connect(target.new.with_suffix(".db")) as database:
        database.execute("create table t(a)")


@attack
def sqlite_attach(target: Target) -> None:
    database = sqlite3.connect(":memory:")
    database.execute(f"attach '{target.new}.db' as e")
    database.execute("create table e.t(a)")


@attack
def sqlite_vacuum_into(target: Target) -> None:
    database = sqlite3.connect(":memory:")
    database.execute("create table t(a)")
    database.execute(f"vacuum into '{target.new}.db'")


@attack
def numpy_write(target: Target) -> None:
    import numpy as np  # noqa: PLC0415  (not installed everywhere)

    np.arange(3).tofile(target.new)


@attack
def arrow_write(target: Target) -> None:
    """Write with a C++ library, which opens files by itself."""
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415  (not installed everywhere)

    with pa.OSFile(str(target.new), "wb") as file:
        file.write(b"pwn")


@attack
def libc_fopen(target: Target) -> None:
    LIBC.fopen.restype = ctypes.c_void_p
    file = LIBC.fopen(os.fsencode(target.new), b"w")
    require(success=bool(file))
    LIBC.fclose(ctypes.c_void_p(file))


@attack
def raw_openat(target: Target) -> None:
    syscall(OPENAT, AT_FDCWD, os.fsencode(target.new), os.O_CREAT | os.O_WRONLY, 0o600)


@attack
def raw_creat(target: Target) -> None:
    syscall(CREAT, os.fsencode(target.new), 0o600)


@attack
def raw_openat2(target: Target) -> None:
    how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o600, 0)
    syscall(OPENAT2, AT_FDCWD, os.fsencode(target.new), how, 24)


@attack
def shared_memory_file(_: Target) -> None:
    place = Path("/dev/shm/satchel-attack")
    place.write_text("pwn")
    place.unlink()


@attack
def shared_memory_object(_: Target) -> None:
    memory = multiprocessing.shared_memory.SharedMemory(create=True, size=16)
    memory.close()
    memory.unlink()


@attack
def shared_temporary_directory(target: Target) -> None:
    place = target.out.parent / "satchel-attack"
    place.write_text("pwn")
    place.unlink()


@attack
def server_code(target: Target) -> None:
    place = Path(__file__).parents[1] / "planted.py"
    place.write_text(f"# {target.mine}")
    place.unlink()

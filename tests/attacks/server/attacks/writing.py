"""Writing a file where one must not, from Python and past it."""

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

from .ground import LIBC, Ground, attack, syscall, wanted

AT_FDCWD = -100
OPENAT, CREAT, OPENAT2 = 257, 85, 437


@attack
def open_for_writing(ground: Ground) -> None:
    with open(f"{ground.new}", "w") as file:
        file.write("pwn")


@attack
def open_for_appending(ground: Ground) -> None:
    with open(f"{ground.out}/canary", "a") as file:
        file.write("pwn")


@attack
def pathlib_writes(ground: Ground) -> None:
    (ground.new).write_text("pwn")


@attack
def raw_file_io(ground: Ground) -> None:
    _io.FileIO(f"{ground.new}", "w").write(b"pwn")


@attack
def os_open(ground: Ground) -> None:
    os.write(os.open(ground.new, os.O_CREAT | os.O_WRONLY), b"pwn")


@attack
def bytes_path(ground: Ground) -> None:
    with open(os.fsencode(ground.new), "wb") as file:
        file.write(b"pwn")


@attack
def own_opener(ground: Ground) -> None:
    with open("x", "w", opener=lambda _, flags: os.open(ground.new, flags | os.O_CREAT)) as file:
        file.write("pwn")


@attack
def shutil_copies(ground: Ground) -> None:
    (ground.mine / "copied").write_text("pwn")
    shutil.copyfile(ground.mine / "copied", ground.new)


@attack
def temporary_file_elsewhere(ground: Ground) -> None:
    os.write(tempfile.mkstemp(dir=ground.out)[0], b"pwn")


@attack
def zip_slip(ground: Ground) -> None:
    with zipfile.ZipFile(ground.mine / "slip.zip", "w") as made:
        made.writestr("x", "pwn")
    with zipfile.ZipFile(ground.mine / "slip.zip") as archive:
        archive.extractall(ground.out)


@attack
def tar_slip(ground: Ground) -> None:
    info = tarfile.TarInfo(f"../{ground.out.name}/{ground.new.name}")
    info.size = 3
    with tarfile.open(ground.mine / "slip.tar", "w") as made:
        made.addfile(info, io.BytesIO(b"pwn"))
    with tarfile.open(ground.mine / "slip.tar") as archive:
        archive.extractall(ground.mine, filter="fully_trusted")
    wanted(success=(ground.new).exists())


@attack
def log_file(ground: Ground) -> None:
    logging.FileHandler(ground.new).emit(logging.makeLogRecord({"msg": "pwn"}))


@attack
def mapped_memory(ground: Ground) -> None:
    with open(ground.out / "canary", "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[:3] = b"pwn"


@attack
def sqlite_file(ground: Ground) -> None:
    with sqlite3.connect(ground.new.with_suffix(".db")) as database:
        database.execute("create table t(a)")


@attack
def sqlite_attaches(ground: Ground) -> None:
    database = sqlite3.connect(":memory:")
    database.execute(f"attach '{ground.new}.db' as e")
    database.execute("create table e.t(a)")


@attack
def sqlite_vacuums_into(ground: Ground) -> None:
    database = sqlite3.connect(":memory:")
    database.execute("create table t(a)")
    database.execute(f"vacuum into '{ground.new}.db'")


@attack
def numpy_writes(ground: Ground) -> None:
    import numpy as np  # noqa: PLC0415  (where it is there)

    np.arange(3).tofile(ground.new)


@attack
def arrow_writes(ground: Ground) -> None:
    """A library in C++ opens files by itself."""
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415  (where it is there)

    with pa.OSFile(str(ground.new), "wb") as file:
        file.write(b"pwn")


@attack
def libc_fopen(ground: Ground) -> None:
    LIBC.fopen.restype = ctypes.c_void_p
    file = LIBC.fopen(os.fsencode(ground.new), b"w")
    wanted(success=bool(file))
    LIBC.fclose(ctypes.c_void_p(file))


@attack
def raw_openat(ground: Ground) -> None:
    syscall(OPENAT, AT_FDCWD, os.fsencode(ground.new), os.O_CREAT | os.O_WRONLY, 0o600)


@attack
def raw_creat(ground: Ground) -> None:
    syscall(CREAT, os.fsencode(ground.new), 0o600)


@attack
def raw_openat2(ground: Ground) -> None:
    how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o600, 0)
    syscall(OPENAT2, AT_FDCWD, os.fsencode(ground.new), how, 24)


@attack
def shared_memory_file(_: Ground) -> None:
    place = Path("/dev/shm/satchel-attack")
    place.write_text("pwn")
    place.unlink()


@attack
def shared_memory_object(_: Ground) -> None:
    made = multiprocessing.shared_memory.SharedMemory(create=True, size=16)
    made.close()
    made.unlink()


@attack
def temporary_directory_of_all(ground: Ground) -> None:
    place = ground.out.parent / "satchel-attack"
    place.write_text("pwn")
    place.unlink()


@attack
def own_program(ground: Ground) -> None:
    place = Path(__file__).parents[1] / "planted.py"
    place.write_text(f"# {ground.mine}")
    place.unlink()

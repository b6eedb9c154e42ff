"""Talking to what listens on this machine."""

import contextlib
import os
import socket

from .ground import Ground, attack


@attack
def loopback(ground: Ground) -> None:
    with socket.create_connection(("127.0.0.1", ground.port), 2) as connection:
        connection.sendall(b"x")


@attack
def datagram(ground: Ground) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", ground.port))


@attack
def listener(_: Ground) -> None:
    socket.create_server(("127.0.0.1", 0)).close()


@attack
def abstract_socket(ground: Ground) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"\0{ground.socket}")
        connection.sendall(b"x")


@attack
def socket_in_the_file_system(ground: Ground) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(ground.out / "socket"))
        connection.sendall(b"x")


@attack
def half_of_a_pair(ground: Ground) -> None:
    for name in (str(ground.out / "datagrams"), f"\0{ground.socket}-datagrams"):
        sender, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with contextlib.suppress(OSError):
            sender.sendto(b"x", name)
            return
    raise OSError("nobody was reached")


@attack
def other_machines_of_the_host(_: Ground) -> None:
    socket.socket(40, socket.SOCK_STREAM).close()


@attack
def raw_packets(_: Ground) -> None:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


@attack
def ciphers_of_the_kernel(_: Ground) -> None:
    socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).close()


@attack
def given_descriptor(ground: Ground) -> None:
    """A socket that somebody left open would do, too."""
    for fd in range(3, 64):
        with contextlib.suppress(OSError, TypeError), socket.socket(fileno=os.dup(fd)) as found:
            found.connect(("127.0.0.1", ground.port))
            return
    raise OSError("there is none")

"""Connecting to local listeners."""

import contextlib
import os
import socket

from .framework import Target, attack


@attack
def loopback_connection(target: Target) -> None:
    with socket.create_connection(("127.0.0.1", target.port), 2) as connection:
        connection.sendall(b"x")


@attack
def loopback_datagram(target: Target) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", target.port))


@attack
def network_listener(_: Target) -> None:
    socket.create_server(("127.0.0.1", 0)).close()


@attack
def abstract_socket(target: Target) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"\0{target.socket}")
        connection.sendall(b"x")


@attack
def file_system_socket(target: Target) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(target.out / "socket"))
        connection.sendall(b"x")


@attack
def datagram_socketpair(target: Target) -> None:
    for name in (str(target.out / "datagrams"), f"\0{target.socket}-datagrams"):
        sender, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with contextlib.suppress(OSError):
            sender.sendto(b"x", name)
            return
    raise OSError("no listener was reached")


@attack
def vsock_socket(_: Target) -> None:
    socket.socket(40, socket.SOCK_STREAM).close()


@attack
def packet_socket(_: Target) -> None:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


@attack
def kernel_crypto_socket(_: Target) -> None:
    socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).close()


@attack
def inherited_socket(target: Target) -> None:
    """Connect with an inherited socket."""
    for fd in range(3, 64):
        with contextlib.suppress(OSError, TypeError), socket.socket(fileno=os.dup(fd)) as inherited:
            inherited.connect(("127.0.0.1", target.port))
            return
    raise OSError("no socket was inherited")

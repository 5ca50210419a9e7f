"""Denies the network to every Python that starts with this folder on PYTHONPATH.

With KIT_DENY_NETWORK=1, a connection or a name look-up beyond this machine raises
`NetworkDenied`, an OSError like the one a pulled cable gives. Loopback and Unix sockets stay
open: a Jupyter kernel needs them. Python imports a module of this name by itself at start-up.
"""

from __future__ import annotations

import ipaddress
import os
import socket


class NetworkDenied(OSError):
    """Something tried to leave the machine while the network was denied."""


def is_local(host: object) -> bool:
    """True for loopback addresses and names, and for the empty host (this machine)."""
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    name = host.decode() if isinstance(host, bytes) else str(host)
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False


def deny() -> None:
    """Replace the ways out of `socket` by ones that look at the address first."""

    def guard(sock: socket.socket, address: object) -> None:
        if sock.family in (socket.AF_INET, socket.AF_INET6) and not is_local(address[0]):
            raise NetworkDenied(f"the network is denied in this test: {address[0]}")

    class GuardedSocket(socket.socket):
        def connect(self, address):
            guard(self, address)
            return super().connect(address)

        def connect_ex(self, address):
            guard(self, address)
            return super().connect_ex(address)

        def sendto(self, data, *rest):
            guard(self, rest[-1])
            return super().sendto(data, *rest)

    look_up = socket.getaddrinfo

    def getaddrinfo(host, *rest, **options):
        if not is_local(host):
            raise NetworkDenied(f"the network is denied in this test: {host!r}")
        return look_up(host, *rest, **options)

    socket.socket = GuardedSocket
    socket.getaddrinfo = getaddrinfo


if os.environ.get("KIT_DENY_NETWORK") == "1":
    deny()

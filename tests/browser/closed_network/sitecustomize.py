"""Every Python process of the tests' JupyterLab loads this: it reaches no machine but this one, and attempts are noted.

The requests of the page itself are watched in harness.py; this is for the kernels and the server.
"""

import ipaddress
import os
import socket

NOTES = os.environ["COURSE_OUTSIDE_NOTES"]
_connect, _connect_ex, _getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo


def _is_outside(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name != "localhost"
    return not (address.is_loopback or address.is_unspecified)


def _check(host: object) -> None:
    if _is_outside(host):
        with open(NOTES, "a", encoding="utf-8") as notes:
            notes.write(f"{host}\n")
        raise OSError(f"the tests' network ends at this machine: {host}")


def _guarded(call):
    def guard(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _check(address[0])
        return call(self, address)

    return guard


def _guarded_getaddrinfo(host, *arguments, **options):
    _check(host)
    return _getaddrinfo(host, *arguments, **options)


socket.socket.connect = _guarded(_connect)
socket.socket.connect_ex = _guarded(_connect_ex)
socket.getaddrinfo = _guarded_getaddrinfo

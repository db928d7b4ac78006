"""Calls to addresses that others named: only where we may, never longer than so many seconds.

The host is looked up and each of its addresses checked; then that very address is connected to, so
that a name which is answered otherwise the next time leads nowhere. Redirects are not followed.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpcore
import httpx
from django.conf import settings
from django.utils.translation import gettext as _

from timers import clock

ANSWER_BYTES = 2000  # of an answer that are read
ANSWER_CHARACTERS = 500  # and kept

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class AddressRefused(Exception):
    """We do not call this address."""


class Answer(NamedTuple):
    """What came of a call: a status, or 0 and why there is none."""

    status: int
    text: str = ""
    error: str = ""
    retry_after: str = ""


def check_url(url: str) -> None:
    """Raise AddressRefused for what we would not call, as far as the address itself tells."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise AddressRefused(_("This is no address of the web.")) from error
    if parts.scheme not in ("https", "http") or not host or url != url.strip():
        raise AddressRefused(_("An address begins with https:// and names a host."))
    if any(ord(sign) < 33 or ord(sign) > 126 for sign in url):
        raise AddressRefused(_("An address has neither blanks nor letters beyond ASCII."))
    if parts.username or parts.password or parts.fragment:
        raise AddressRefused(_("An address has no user, password or fragment in it."))
    literal = _literal(host)
    if literal is None and _is_odd_number(host):
        raise AddressRefused(
            _("%(host)s is a number, and no address as it is written: use a name.") % {"host": host}
        )
    if host.rstrip(".").rpartition(".")[2] == "localhost" and not _allowed():
        raise AddressRefused(_("This names the machine itself; use a public name."))
    if literal is not None:
        check_address(literal, is_plain=parts.scheme == "http")
    elif parts.scheme == "http" and not _allowed():
        raise AddressRefused(_("Use https: events hold what people have told you."))


def check_address(address: Address, *, is_plain: bool) -> None:
    """Raise AddressRefused unless it is a public address, or in a network that was allowed.
    Without TLS, only an allowed network will do."""
    real = _unwrapped(address)
    for network in settings.LONGCASE_WEBHOOK_NETWORKS:
        allowed = ipaddress.ip_network(network, strict=False)
        if real.version == allowed.version and real in allowed:
            return
    if not real.is_global or real.is_multicast or real.is_reserved or real.is_unspecified:
        raise AddressRefused(
            _("%(address)s is no public address; LONGCASE_WEBHOOK_NETWORKS can allow its network.")
            % {"address": address}
        )
    if is_plain:
        raise AddressRefused(_("Use https: events hold what people have told you."))


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _allowed() -> list[str]:
    return list(settings.LONGCASE_WEBHOOK_NETWORKS)


def _is_odd_number(host: str) -> bool:
    """What systems read as an IPv4 address in one of its odd spellings: 2130706433, 0x7f.1, 127.1,
    and what ends in such a number."""
    last = host.rstrip(".").rpartition(".")[2].lower()
    return last.isdigit() or re.fullmatch(r"0x[0-9a-f]*", last) is not None


def _unwrapped(address: Address) -> Address:
    """The IPv4 address that an IPv6 one may carry within."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in _NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


def resolved(host: str, port: int) -> list[Address]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found]
    return list(dict.fromkeys(addresses))


class Line:
    """Connections to one address, kept open from one call to the next."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._backend = _Checked(is_plain=url.startswith("http:"))
        self._pool = httpcore.ConnectionPool(
            ssl_context=_tls() if not self._backend.is_plain else None,
            network_backend=self._backend,
            max_connections=1,
            keepalive_expiry=30,
        )

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: Any) -> None:
        self._pool.close()

    def post(self, *, body: bytes, headers: dict[str, str], seconds: float) -> Answer:
        """Send it. An answer that is not there after so many seconds, all in all, is none."""
        self._backend.until = clock.monotonic() + seconds
        timeout = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
        given = [(name.encode(), value.encode()) for name, value in headers.items()]
        given += [(b"host", _host(self.url)), (b"content-length", str(len(body)).encode())]
        try:
            check_url(self.url)
            with self._pool.stream(
                "POST", self.url, headers=given, content=body, extensions={"timeout": timeout}
            ) as response:
                text = b""
                for piece in response.iter_stream():
                    text += piece
                    if len(text) >= ANSWER_BYTES:
                        break
                told = {name.lower(): value for name, value in response.headers}
                return Answer(
                    response.status,
                    text[:ANSWER_BYTES]
                    .decode(errors="replace")
                    .replace("\0", "�")[:ANSWER_CHARACTERS],
                    retry_after=told.get(b"retry-after", b"").decode("ascii", "replace"),
                )
        except AddressRefused as error:
            return Answer(0, error=str(error))
        except httpcore.TimeoutException:
            return Answer(
                0, error=_("No answer came within %(n)s seconds.") % {"n": f"{seconds:g}"}
            )
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError, ValueError) as error:
            said = str(error) or type(error).__name__
            return Answer(0, error=f"{type(error).__name__}: {said}"[:300])


def _host(url: str) -> bytes:
    return urlsplit(url).netloc.encode()


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context()


class _Checked(httpcore.NetworkBackend):
    """Connects only to addresses that were checked, until a moment."""

    def __init__(self, *, is_plain: bool) -> None:
        self.is_plain = is_plain
        self.until = 0.0  # monotonic

    @property
    def left(self) -> float:
        left = self.until - clock.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = resolved(host, port)
        except OSError as error:
            raise httpcore.ConnectError(f"{host} is not known: {error}") from error
        for address in addresses:
            check_address(address, is_plain=self.is_plain)
        failure: Exception = httpcore.ConnectError(f"{host} has no address.")
        for address in addresses[:3]:
            try:
                return _Stream(
                    socket.create_connection((str(address), port), timeout=self.left), self
                )
            except TimeoutError:
                failure = httpcore.ConnectTimeout()
            except OSError as error:
                failure = httpcore.ConnectError(str(error))
        raise failure


class _Stream(httpcore.NetworkStream):
    """A connection whose every wait ends at the moment that its call has to end."""

    def __init__(self, connected: socket.socket, backend: _Checked) -> None:
        self._socket = connected
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._socket.settimeout(self._backend.left)
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout from error
        except OSError as error:
            raise httpcore.ReadError(str(error)) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            while buffer:
                self._socket.settimeout(self._backend.left)
                buffer = buffer[self._socket.send(buffer) :]
        except TimeoutError as error:
            raise httpcore.WriteTimeout from error
        except OSError as error:
            raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        self._socket.settimeout(self._backend.left)
        try:
            secured = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout from error
        except OSError as error:
            self.close()
            raise httpcore.ConnectError(str(error)) from error
        return _Stream(secured, self._backend)

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            import select

            try:
                return bool(select.select([self._socket], [], [], 0)[0])
            except (OSError, ValueError):
                return True
        return self._socket if info == "socket" else None

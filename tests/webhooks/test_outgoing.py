"""Where webhooks may be sent: checked by the address that is really called."""

from __future__ import annotations

import ipaddress
import socket
import time
from typing import Any

import pytest

from processes.webhooks import outgoing
from processes.webhooks.outgoing import AddressRefused, Line


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "::ffff:10.1.2.3",
        "64:ff9b::a01:203",
        "2002:a01:203::1",
    ],
)
def test_addresses_that_are_not_public_are_refused(address: str, settings: Any) -> None:
    settings.LONGCASE_WEBHOOK_NETWORKS = []
    with pytest.raises(AddressRefused):
        outgoing.check_address(ipaddress.ip_address(address), is_plain=False)
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(AddressRefused):
        outgoing.check_url(f"https://{host}/hook")


def test_a_network_may_be_allowed_and_public_ones_need_tls(settings: Any) -> None:
    settings.LONGCASE_WEBHOOK_NETWORKS = ["10.1.0.0/16"]
    for allowed in ("10.1.2.3", "::ffff:10.1.2.3"):
        outgoing.check_address(ipaddress.ip_address(allowed), is_plain=True)
    public = ipaddress.ip_address("93.184.216.34")
    outgoing.check_address(public, is_plain=False)
    with pytest.raises(AddressRefused, match="https"):
        outgoing.check_address(public, is_plain=True)
    with pytest.raises(AddressRefused):
        outgoing.check_address(ipaddress.ip_address("10.2.2.3"), is_plain=False)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "https://",
        "https://user:secret@example.org/",
        "https://example.org/#part",
        "https://exa mple.org/",
        "https://example.org:99999/",
        "file:///etc/passwd",
        "//example.org",
        "http://example.org/",
        "https://é.example/",
    ],
)
def test_what_is_no_address_for_us_is_refused(url: str, settings: Any) -> None:
    settings.LONGCASE_WEBHOOK_NETWORKS = []
    with pytest.raises(AddressRefused):
        outgoing.check_url(url)


def test_a_name_that_leads_inside_is_not_called(
    receivers: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = receivers()
    port = receiver.server.server_port
    settings.LONGCASE_WEBHOOK_NETWORKS = ["10.9.9.0/24"]
    answers = [["93.184.216.34", "127.0.0.1"], ["127.0.0.1"]]

    def looked_up(host: str, port: int) -> Any:
        return [ipaddress.ip_address(one) for one in answers.pop(0)]

    monkeypatch.setattr(outgoing, "resolved", looked_up)
    for why in ("https", "no public address"):
        with Line(f"http://name.example:{port}/hook") as line:
            answer = line.post(body=b"{}", headers={}, seconds=2)
        assert answer.status == 0 and why in answer.error
    assert receiver.calls == [] and answers == []


def test_the_address_that_was_checked_is_the_one_that_is_called(
    receivers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is answered otherwise the second time leads nowhere: there is no second time."""
    receiver = receivers()
    port = receiver.server.server_port
    asked: list[str] = []

    def looked_up(host: str, port: int) -> Any:
        asked.append(host)
        return [ipaddress.ip_address("127.0.0.1")]

    monkeypatch.setattr(outgoing, "resolved", looked_up)
    made = socket.create_connection

    def connect(address: Any, **more: Any) -> Any:
        assert address == ("127.0.0.1", port)  # no name that could be looked up again
        return made(address, **more)

    monkeypatch.setattr(outgoing.socket, "create_connection", connect)
    with Line(f"http://name.example:{port}/hook") as line:
        answer = line.post(body=b"{}", headers={"webhook-id": "x"}, seconds=2)
    assert answer.status == 200 and asked == ["name.example"]
    assert receiver.calls[0]["headers"]["host"] == f"name.example:{port}"


def test_redirects_are_not_followed_and_answers_are_cut(receivers: Any) -> None:
    receiver, other = receivers(), receivers()
    receiver.behave = lambda _call: 302
    receiver.headers = {"location": other.url}
    receiver.answer = b"x" * 100_000
    with Line(receiver.url) as line:
        answer = line.post(body=b"{}", headers={"webhook-id": "x"}, seconds=2)
    assert answer.status == 302 and answer.text == "x" * 500 and other.calls == []


def test_no_receiver_holds_us_longer_than_it_may() -> None:
    # Given one that answers a letter at a time, for ever
    import threading

    listening = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        taken, _address = listening.accept()
        try:
            taken.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                taken.sendall(b"a")
                time.sleep(0.1)
        except OSError:
            pass

    threading.Thread(target=drip, daemon=True).start()
    began = time.monotonic()
    from django.test import override_settings

    with override_settings(LONGCASE_WEBHOOK_NETWORKS=["127.0.0.0/8"]):
        with Line(f"http://127.0.0.1:{listening.getsockname()[1]}/") as line:
            answer = line.post(body=b"{}", headers={}, seconds=1)
    assert answer.status == 0 and "within 1 seconds" in answer.error
    assert time.monotonic() - began < 4
    listening.close()

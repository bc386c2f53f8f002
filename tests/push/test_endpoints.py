"""Promise: nothing is sent to an address that is not https, not a public name, or stands for anything but the public network."""

from __future__ import annotations

import pytest

from mirrord.push.endpoints import BadEndpoint, Endpoint, endpoint, is_public
from mirrord.wire.limits import PUSH_ENDPOINT_CHARS

REFUSED = [
    "",
    "push.example/x",
    "http://push.example/x",
    "ws://push.example/x",
    "file:///etc/passwd",
    "https:push.example",
    "https:///x",
    "https://user@push.example/x",
    "https://user:word@push.example/x",
    "https://push.example@127.0.0.1/x",
    "https://push.example:80/x",
    "https://push.example:8080/x",
    "https://push.example:22/x",
    "https://push.example:0/x",
    "https://push.example:99999/x",
    "https://push.example:x/x",
    "https://push.example/x#fragment",
    "https://push.example/x#",
    "https://push.example/x y",
    "https://push.example/x\r\nHost: other",
    "https://push.example/\x00",
    "https://push.example\\@127.0.0.1/x",
    "https://püsh.example/x",
    "https://push..example/x",
    "https://-push.example/x",
    "https://push_service.example/x",
    "https://push.example./x",
    "https://localhost/x",
    "https://localhost:443/x",
    "https://router/x",
    "https://printer.local/x",
    "https://app.localhost/x",
    "https://metadata.google.internal/x",
    "https://box.lan/x",
    "https://nas.home.arpa/x",
    "https://service.onion/x",
    "https://127.0.0.1/x",
    "https://127.1/x",
    "https://2130706433/x",
    "https://0x7f.0.0.1/x",
    "https://0177.0.0.1/x",
    "https://10.0.0.1/x",
    "https://169.254.169.254/latest",
    "https://8.8.8.8/x",
    "https://[::1]/x",
    "https://[fe80::1%25eth0]/x",
    "https://[2606:4700::1111]/x",
    "https://push.example.1/x",
    f"https://{'a' * 64}.example/x",
    f"https://push.example/{'x' * PUSH_ENDPOINT_CHARS}",
]


@pytest.mark.parametrize("url", REFUSED)
def test_an_address_is_refused_in_one_sentence_that_does_not_quote_it(url: str) -> None:
    with pytest.raises(BadEndpoint) as refused:
        endpoint(url)
    sentence = str(refused.value)
    assert sentence.endswith(".")
    assert "push.example" not in sentence


@pytest.mark.parametrize(
    ("url", "host", "target"),
    [
        ("https://fcm.googleapis.com/fcm/send/a:b-c_d", "fcm.googleapis.com", "/fcm/send/a:b-c_d"),
        ("https://updates.push.services.mozilla.com/wpush/v2/gAA=", "updates.push.services.mozilla.com", "/wpush/v2/gAA="),
        ("https://web.push.apple.com:443/QGuQ", "web.push.apple.com", "/QGuQ"),
        ("https://db5p.notify.windows.com/w/?token=BQ%2f%3d", "db5p.notify.windows.com", "/w/?token=BQ%2f%3d"),
        ("https://PUSH.Example", "push.example", "/"),
        ("https://xn--psh-hoa.example/x", "xn--psh-hoa.example", "/x"),
    ],
)
def test_addresses_of_push_services_are_taken_apart(url: str, host: str, target: str) -> None:
    found = endpoint(url)
    assert found == Endpoint(host, target)
    assert found.origin == f"https://{host}"
    assert target == "/" or target not in repr(found)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "203.0.113.5",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:192.168.1.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "100::1",
        "2001:db8::1",
        "2001::1",
        "2002:7f00:1::",
        "2002:808:808::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fe80::1%eth0",
        "2606:4700::1111%eth0",
        "fec0::1",
        "ff02::1",
        "push.example",
        "127.1",
        "",
    ],
)
def test_an_address_that_is_not_of_the_public_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "142.250.185.10", "::ffff:8.8.8.8", "64:ff9b::808:808", "2606:4700::1111", "2a00:1450:4001::200a"]
)
def test_an_address_of_the_public_network_is_public(address: str) -> None:
    assert is_public(address)

"""Promise: push services are told where whoever runs the daemon is reached: where they said, or on our page."""

from __future__ import annotations

import base64
import json

import pytest

from mirrord.crypto import SigningKey
from mirrord.push.vapid import SUBJECT, authorization


@pytest.mark.parametrize(("contact", "subject"), [(None, SUBJECT), ("mailto:ada@example.org", "mailto:ada@example.org")])
def test_the_token_names_who_is_reached(contact: str | None, subject: str) -> None:
    header = authorization(SigningKey.generate(), "https://push.example.org", 1_700_000_000_000, contact)
    claims = header.partition("t=")[2].split(".")[1]
    assert json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"] == subject

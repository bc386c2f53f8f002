"""Promise: a token is good for a quarter of an hour, for its device alone, with the name and role that device has now."""

from __future__ import annotations

from dataclasses import replace

from mirrord.pairing.tokens import PER_DEVICE, PREFIX, TOKEN_SECONDS, Tokens
from mirrord.server.gate import Credential, digest_of
from mirrord.store import Device
from mirrord.wire.roles import Role

PHONE = Device("id-1", "phone", Role.CONTROLLER, None, b"key", 1)
NOW = 50.0


def known(device: str) -> Device | None:
    return PHONE if device == PHONE.id else None


def test_a_token_opens_as_its_device_until_it_ends() -> None:
    tokens = Tokens()
    token = tokens.issue(PHONE.id, NOW)
    expected = (Credential("phone", Role.CONTROLLER, digest_of(token), PHONE.id),)
    assert tokens.credentials(known, NOW + TOKEN_SECONDS - 0.001) == expected
    assert tokens.credentials(known, NOW + TOKEN_SECONDS) == ()
    assert len(tokens) == 0


def test_a_token_is_random_and_kept_nowhere() -> None:
    tokens = Tokens()
    made = {tokens.issue(f"id-{number}", NOW) for number in range(20)}
    assert len(made) == 20
    assert all(token.startswith(PREFIX) and len(token) == len(PREFIX) + 43 for token in made)
    assert not any(token in repr(tokens) for token in made)


def test_a_new_name_or_role_counts_at_once() -> None:
    tokens = Tokens()
    tokens.issue(PHONE.id, NOW)
    (credential,) = tokens.credentials(lambda _: replace(PHONE, name="tablet", role=Role.OBSERVER), NOW)
    assert (credential.name, credential.role) == ("tablet", Role.OBSERVER)


def test_a_device_that_is_gone_has_none() -> None:
    tokens = Tokens()
    tokens.issue("somebody else", NOW)
    assert tokens.credentials(known, NOW) == ()


def test_revoking_ends_all_tokens_of_one_device() -> None:
    tokens = Tokens()
    for device in (PHONE.id, "id-2", PHONE.id):
        tokens.issue(device, NOW)
    tokens.revoke(PHONE.id)
    assert tokens.credentials(known, NOW) == ()
    assert len(tokens) == 1


def test_one_device_has_a_bounded_number_and_the_oldest_goes_first() -> None:
    tokens = Tokens()
    made = [tokens.issue(PHONE.id, NOW + number) for number in range(PER_DEVICE + 2)]
    digests = [credential.digest for credential in tokens.credentials(known, NOW + PER_DEVICE)]
    assert digests == [digest_of(token) for token in made[2:]]

"""Promise: an input that asks for a secret is recognised by its words, whatever their spelling, and by nothing else."""

from __future__ import annotations

import pytest

from sanitize import is_secret_prompt


@pytest.mark.parametrize(
    "words",
    [
        *("Password", "PASSWORD:", "Enter your password", "passwords", "passwd?", "DB_PASSWORD", "sudo pwd", "pass word", "pass-word"),
        *("Token", "GitHub token", "ACCESS_TOKEN", "accessToken", "tokens", "token2"),
        *("API key", "api-key", "apiKey", "APIKey", "API_KEY", "apikey", "SSH keys", "key's value", "passkey"),
        *("client secret", "Secrets", "clientSecret", "CLIENT_SECRETS"),
        *("passphrase", "Passphrase for id_ed25519", "pass phrase", "Pass Phrases", "passcode"),
        *("PIN", "pin", "your PINs", "SIM-PIN", "PIN1"),
        *("pass\u200bword", "pass\x1b[0mword", "\uff30\uff21\uff33\uff33\uff37\uff2f\uff32\uff24", "t\u00adoken", "pass\ue0b0word"),
    ],
)
def test_a_secret_is_recognised_in_the_title_and_in_the_placeholder(words: str) -> None:
    assert is_secret_prompt(words, None)
    assert is_secret_prompt("Value", words)


@pytest.mark.parametrize(
    "words",
    [
        *("", "Name", "Branch name", "keyboard", "monkey", "Keynote", "turkey", "KEYBOARD", "pinned", "Pinned items", "pineapple"),
        *("spin", "opinion", "tokenizer", "tokenise", "secretary", "passwordless", "pass", "word", "pass the word", "compass", "hotkey"),
        *("鍵", "1234", "…"),
    ],
)
def test_other_words_are_not_secrets(words: str) -> None:
    assert not is_secret_prompt(words, None)
    assert not is_secret_prompt(words, words)


def test_words_are_not_joined_across_title_and_placeholder() -> None:
    assert not is_secret_prompt("pass", "word")

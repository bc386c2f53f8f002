"""The prompts of one session: open ones in the terminal's order, the settlements of the last 256, and what every answer came to."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from msgspec import json

from bridge.limits import KEPT_SETTLEMENTS, OPEN_PROMPTS, OPTIONS_SENT, PIECE_CHARACTERS
from mirrord.core import answers
from mirrord.core.abridged import TOO_LARGE, abridged
from mirrord.core.commands import Forward
from mirrord.core.effects import Effect, Publish, Tell
from mirrord.core.model import Client, ClientId, LinkId, Prompt, PromptId, ResponseId, Settlement, TerminalId
from mirrord.core.settlement import Contender, Race
from mirrord.wire.limits import CONTENTS_BYTES, CUT_PROMPT_BYTES, PREFILL_INLINE_BYTES, WHOLE_PROMPTS_BYTES
from mirrord.wire.messages import (
    ExtensionUIRequest,
    ExtensionUIResponse,
    ExtensionUISettled,
    RefusalReason,
    ResponseResult,
    Verdict,
)

UNNAMED_RESPONSES = "anonymous"
"""Part of the key of an answer without a response id: it cannot be retried, so it only has to be unique."""


def response_key(client: Client, response: ExtensionUIResponse, unique: str) -> ResponseId:
    """The id under which an answer travels to the terminal: unique among credentials, the same for a retry."""
    return ResponseId(f"{client.credential}/{response.response_id or f'{UNNAMED_RESPONSES}.{unique}'}")


def credential_of(key: ResponseId) -> str:
    """The credential's name in a key, which has no slash though a response id may; the answer may be one of an earlier daemon."""
    return key.partition("/")[0]


def prefill_parts(prompt: Prompt) -> int | None:
    """In how many pieces a prefill can be fetched, at least one; None when there is none."""
    return max(1, -(-len(prompt.prefill) // PIECE_CHARACTERS)) if prompt.prefill is not None else None


def prefill_part(prompt: Prompt, part: int) -> str | None:
    """Piece `part` (from 0) of a prefill, None when there is no such piece."""
    parts = prefill_parts(prompt)
    if prompt.prefill is None or parts is None or not 0 <= part < parts:
        return None
    return prompt.prefill[part * PIECE_CHARACTERS : (part + 1) * PIECE_CHARACTERS]


def content_bytes(prompt: Prompt) -> int:
    """What of a prompt is kept for who asks for it, beside what everybody is told, in UTF-8 bytes."""
    prefill = len(prompt.prefill.encode()) if prompt.prefill is not None else 0
    options = sum(len(option.encode()) for option in prompt.options[OPTIONS_SENT:])
    return options + (prefill if prefill > PREFILL_INLINE_BYTES else 0)


def without_content(prompt: Prompt) -> Prompt:
    """A prompt of which nothing can be fetched: a text is edited at the terminal, options past the first page are chosen by number."""
    if prompt.prefill is not None:
        return replace(prompt, prefill=None, terminal_only=prompt.terminal_only or TOO_LARGE)
    return replace(prompt, options=prompt.options[:OPTIONS_SENT])


def _verdict(settlement: Settlement) -> Verdict:
    return Verdict(
        outcome=settlement.outcome,
        winner=settlement.winner,
        at=settlement.at,
        winner_name=settlement.winner_name,
        answer=settlement.answer,
        reason=settlement.reason,
    )


class _Asked(NamedTuple):
    request: ExtensionUIRequest
    size: int
    """Bytes of it as JSON; none of one in the room that is set apart for those in short."""
    content: int
    """Bytes that are kept for who asks for them."""


@dataclass(slots=True)
class Prompts:
    """State of all prompts of one terminal. Methods return what is to be done, in order."""

    session: TerminalId
    _races: OrderedDict[PromptId, Race] = field(default_factory=OrderedDict)
    _asked: dict[PromptId, _Asked] = field(default_factory=dict)
    """Of each open one what clients are told."""
    _whole_bytes: int = 0
    """Of those that are told whole."""
    _content_bytes: int = 0
    """That are kept for who asks for them."""
    _settled: OrderedDict[PromptId, Settlement] = field(default_factory=OrderedDict)
    _results: OrderedDict[ResponseId, ResponseResult] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        """How many are open."""
        return len(self._races)

    def __iter__(self) -> Iterator[ExtensionUIRequest]:
        """Open prompts as requests, in the order the terminal opened them."""
        return (asked.request for asked in self._asked.values())

    def __contains__(self, prompt: PromptId) -> bool:
        """Whether a prompt with this id is open or was settled here."""
        return prompt in self._races or prompt in self._settled

    def verdict(self, prompt: PromptId) -> Verdict | None:
        """How a prompt ended, as long as it is remembered."""
        settlement = self._settled.get(prompt)
        return None if settlement is None else _verdict(settlement)

    @property
    def bytes(self) -> int:
        """What the open ones take as JSON, or a little more, and what of them can be fetched."""
        return self._whole_bytes + self._content_bytes + sum(CUT_PROMPT_BYTES for asked in self._asked.values() if not asked.size)

    @property
    def open_ids(self) -> tuple[PromptId, ...]:
        """Ids of the open ones, oldest first."""
        return tuple(self._races)

    def open(self, prompt: Prompt) -> list[Effect]:
        """A dialog is open in the terminal. An id that was settled never opens again; more than OPEN_PROMPTS are not offered.

        One that does not fit beside the open ones is told in short, and stays so: nothing that somebody reads changes under their eyes.
        """
        if prompt.id in self._settled or prompt.id in self._races or len(self._races) >= OPEN_PROMPTS:
            return []
        content = content_bytes(prompt)
        if content and self._content_bytes + content > CONTENTS_BYTES:
            prompt, content = without_content(prompt), 0
        request = self._request(prompt)
        size = len(json.encode(request))
        if self._whole_bytes + size > WHOLE_PROMPTS_BYTES:
            if size > CUT_PROMPT_BYTES:
                request = abridged(request, prefill_parts(prompt))
                prompt = replace(prompt, terminal_only=request.terminal_only)
            size = 0
        self._whole_bytes += size
        self._content_bytes += content
        self._races[prompt.id] = Race(prompt)
        self._asked[prompt.id] = _Asked(request, size, content)
        return [Publish(request)]

    def get(self, prompt: PromptId) -> Prompt | None:
        """An open prompt."""
        race = self._races.get(prompt)
        return race.prompt if race else None

    def respond(
        self, client: Client, response: ExtensionUIResponse, key: ResponseId, link: LinkId | None, content: str | None = None
    ) -> list[Effect]:
        """A client answers. Its result comes when the terminal has ruled; an answer that cannot be forwarded is refused at once.

        `content` is the answer's text when it came in pieces.
        """
        prompt_id = PromptId(response.id)
        shown_id = ResponseId(response.response_id or key)
        known = self._results.get(key)
        if known is not None:
            return [Tell(client.id, known)]
        race = self._races.get(prompt_id)
        if race is None:
            return [self._late(client.id, prompt_id, shown_id, key)]
        if race.adopt(key, client.id):
            return []
        try:
            reply = answers.check(race.prompt, response, content)
        except answers.TerminalOnlyError as error:
            return [self._refuse(client.id, prompt_id, shown_id, "terminal_only", str(error))]
        except answers.InvalidAnswerError as error:
            return [self._refuse(client.id, prompt_id, shown_id, "invalid", str(error))]
        if link is None:
            return [self._refuse(client.id, prompt_id, shown_id, "detached", "The terminal cannot be reached right now; try again.")]
        if race.full:
            return [self._refuse(client.id, prompt_id, shown_id, "busy", "Too many answers wait for this prompt.")]
        forward = race.respond(Contender(client.id, client.credential, client.kind, key, shown_id, reply, client.device))
        return [self._forward(link, prompt_id, forward)] if forward else []

    def reject(self, prompt_id: PromptId, key: ResponseId, reason: RefusalReason, link: LinkId) -> list[Effect]:
        """The terminal did not take an answer. While the prompt is open here the next one is forwarded."""
        race = self._races.get(prompt_id)
        outcome = race.reject(key) if race else None
        if outcome is None:
            return []
        rejected, following = outcome
        result = ResponseResult(response_id=rejected.response_id, id=prompt_id, accepted=False, reason=reason)
        effects: list[Effect] = [Tell(rejected.client, self._remember(rejected.key, result))]
        if following is not None:
            effects.append(self._forward(link, prompt_id, following))
        return effects

    def revoke(self, device: str, *, at_terminal: bool) -> None:
        """A device's answers go to the terminal no more; `at_terminal`: those in flight are there."""
        for race in self._races.values():
            race.revoke(device, at_terminal=at_terminal)

    def settle(self, told: Settlement) -> list[Effect]:
        """The terminal has ruled. The first ruling stands; every client and every answerer learns it.

        One that an earlier daemon had is kept for who answers late.
        """
        if told.id in self._settled:
            return []
        settlement = told
        if told.winner == "remote" and told.response_id is not None:
            settlement = replace(told, winner_name=credential_of(told.response_id))
        self._settled[told.id] = settlement
        while len(self._settled) > KEPT_SETTLEMENTS:
            self._settled.popitem(last=False)
        race = self._races.pop(told.id, None)
        if race is not None:
            asked = self._asked.pop(told.id)
            self._whole_bytes -= asked.size
            self._content_bytes -= asked.content
        if race is None and told.again:
            return []
        effects: list[Effect] = [Publish(self._settled_message(settlement))]
        for contender in race.settle() if race else ():
            result = self._result(contender.response_id, contender.key, settlement)
            effects.append(Tell(contender.client, self._remember(contender.key, result)))
        return effects

    def forget(self, before: int) -> None:
        """Settlements from before this moment, ms since the epoch, are told to nobody any more."""
        for prompt in [prompt for prompt, settlement in self._settled.items() if settlement.at < before]:
            del self._settled[prompt]

    def forward_again(self, link: LinkId) -> list[Effect]:
        """A new link stands: what was with the terminal without a verdict goes out again, under the same ids."""
        return [self._forward(link, prompt, race.in_flight) for prompt, race in self._races.items() if race.in_flight]

    # ---- making messages ---------------------------------------------------------------------------------------------

    def _forward(self, link: LinkId, prompt: PromptId, contender: Contender) -> Forward:
        return Forward(link, prompt, contender.key, contender.reply, contender.name, contender.kind)

    def _remember(self, key: ResponseId, result: ResponseResult) -> ResponseResult:
        self._results[key] = result
        while len(self._results) > KEPT_SETTLEMENTS:
            self._results.popitem(last=False)
        return result

    def _late(self, client: ClientId, prompt: PromptId, shown: ResponseId, key: ResponseId) -> Tell:
        settlement = self._settled.get(prompt)
        if settlement is None:
            return self._refuse(client, prompt, shown, "unknown", "There is no such prompt.")
        return Tell(client, self._remember(key, self._result(shown, key, settlement)))

    def _refuse(self, client: ClientId, prompt: PromptId, shown: ResponseId, reason: RefusalReason, detail: str) -> Tell:
        return Tell(client, ResponseResult(response_id=shown, id=prompt, accepted=False, reason=reason, detail=detail))

    def _result(self, shown: ResponseId, key: ResponseId, settlement: Settlement) -> ResponseResult:
        accepted = settlement.response_id == key
        return ResponseResult(
            response_id=shown,
            id=settlement.id,
            accepted=accepted,
            reason=None if accepted else "settled",
            winner=settlement.winner,
            settled=_verdict(settlement),
        )

    def _settled_message(self, settlement: Settlement) -> ExtensionUISettled:
        return ExtensionUISettled(
            session_id=self.session,
            id=settlement.id,
            outcome=settlement.outcome,
            winner=settlement.winner,
            at=settlement.at,
            winner_name=settlement.winner_name,
            answer=settlement.answer,
            reason=settlement.reason,
        )

    def _request(self, prompt: Prompt) -> ExtensionUIRequest:
        inline = prompt.prefill is not None and len(prompt.prefill.encode()) <= PREFILL_INLINE_BYTES
        return ExtensionUIRequest(
            session_id=self.session,
            id=prompt.id,
            method=prompt.method,
            title=prompt.title,
            opened_at=prompt.opened_at,
            message=prompt.message,
            options=prompt.options[:OPTIONS_SENT] if prompt.method == "select" else None,
            option_count=prompt.option_count if prompt.method == "select" else None,
            placeholder=prompt.placeholder,
            masked=prompt.masked,
            timeout=prompt.timeout,
            timeout_at=prompt.timeout_at,
            truncated=prompt.truncated,
            source=prompt.source,
            prefill=prompt.prefill if inline else None,
            prefill_parts=None if inline else prefill_parts(prompt),
            questions=prompt.questions if prompt.method == "ask" else None,
            allow_custom=prompt.allow_custom if prompt.method == "ask" else None,
            terminal_only=prompt.terminal_only,
            cancellable=prompt.cancellable,
        )

"""The one-time passwords of the fake gateway (contract 5.8 and 5.10)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .fake_reply import NOT_FOUND, FakeReply, id_of, refusal
from .fake_states import now_text

_WINDOW_SECONDS, _SENDS_MAX = 600, 5


@dataclass
class _Password:
    otp_id: str
    recipient: str
    purpose: str
    code: str
    expires_at: str
    attempts_remaining: int
    is_verified: bool = False


class FakePasswords:
    def __init__(self) -> None:
        self._passwords: dict[str, _Password] = {}
        self._sends: list[tuple[str, float]] = []

    def code_of(self, otp_id: str) -> str | None:
        password = self._passwords.get(otp_id)
        return None if password is None else password.code

    def send(self, body: dict[str, Any], send: Callable[[str], dict[str, Any]]) -> FakeReply:
        """send stores the message, until the password expires."""
        to, now = body["to"], time.time()
        earlier = [at for recipient, at in self._sends if recipient == to and at + _WINDOW_SECONDS > now]
        if len(earlier) >= _SENDS_MAX:
            text = "At most 5 one-time passwords go to one recipient in 10 minutes."
            seconds = max(1, math.ceil(earlier[0] + _WINDOW_SECONDS - now))
            return refusal(429, "rate_limit_exceeded", text, retry_after=seconds)
        self._sends.append((to, now))
        password = self._pending(to, body.get("purpose") or "default") or self._make(body)
        message = send(password.expires_at)
        shown = ("message_id", "channel", "recipient", "reference")
        sent = {
            "otp_id": password.otp_id,
            "status": "pending",
            **{name: message[name] for name in shown},
            "expires_at": password.expires_at,
            "attempts_remaining": password.attempts_remaining,
        }
        return FakeReply(202, sent)

    def verify(self, body: dict[str, Any]) -> FakeReply:
        to, purpose = body.get("to"), body.get("purpose")
        named = (
            self._passwords.get(body["otp_id"])
            if body.get("otp_id")
            else self._latest(to, purpose or "default")
        )
        if named is None or (to or named.recipient, purpose or named.purpose) != (
            named.recipient,
            named.purpose,
        ):
            return NOT_FOUND
        if named.is_verified:
            return refusal(409, "otp_already_used", "This one-time password was used before.")
        if named.expires_at <= now_text():
            return refusal(410, "otp_expired", "This one-time password has expired. Send a new one.")
        if named.attempts_remaining == 0:
            text = "All attempts for this one-time password are used up."
            return refusal(409, "otp_attempts_exhausted", text)
        named.attempts_remaining -= 1
        named.is_verified = named.code == body["code"]
        result: dict[str, Any] = {"otp_id": named.otp_id, "verified": named.is_verified}
        if named.is_verified:
            return FakeReply(200, {**result, "status": "verified"})
        return FakeReply(200, {**result, "status": "pending", "attempts_remaining": named.attempts_remaining})

    def _latest(self, to: str | None, purpose: str) -> _Password | None:
        found = [one for one in self._passwords.values() if (one.recipient, one.purpose) == (to, purpose)]
        return found[-1] if found else None

    def _pending(self, to: str, purpose: str) -> _Password | None:
        latest = self._latest(to, purpose)
        if latest is None or latest.is_verified or latest.attempts_remaining == 0:
            return None
        return latest if latest.expires_at > now_text() else None

    def _make(self, body: dict[str, Any]) -> _Password:
        password = _Password(
            otp_id=id_of("otp", len(self._passwords) + 1),
            recipient=body["to"],
            purpose=body.get("purpose") or "default",
            code="1234567890"[: body.get("code_length") or 6],
            expires_at=now_text(body.get("ttl") or 300),
            attempts_remaining=body.get("max_attempts") or 5,
        )
        self._passwords[password.otp_id] = password
        return password

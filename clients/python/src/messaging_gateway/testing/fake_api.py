"""What the fake gateway answers: sends, one-time passwords, look-ups, lists and cancellations, in memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any


@dataclass(frozen=True)
class FakeReply:
    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FakeRequest:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class SentMessage:
    """A message that the application sent."""

    message_id: str
    channel: str
    to: str
    request: Mapping[str, Any]
    """What the application gave: of a bulk the fields of the request with those of the recipient."""


@dataclass
class Password:
    sent: dict[str, Any]
    code: str
    attempts_remaining: int = 3
    is_verified: bool = False


def refusal(status: int, error: str, message: str) -> FakeReply:
    return FakeReply(status, {"error": error, "message": message, "request_id": "req_fake"})


_NOT_FOUND = refusal(404, "not_found", "There is no such resource.")


class FakeApi:
    def __init__(self) -> None:
        self.sent: list[SentMessage] = []
        self.messages: dict[str, dict[str, Any]] = {}
        self.passwords: dict[str, Password] = {}
        self._batches: dict[str, dict[str, Any]] = {}
        self._by_key: dict[str, tuple[str, FakeReply]] = {}

    def answer(self, request: FakeRequest) -> FakeReply:
        key = request.headers.get("idempotency-key")
        if key is None:
            return self._answer_new(request)
        text = json.dumps([request.path, request.body])
        if key not in self._by_key:
            self._by_key[key] = (text, self._answer_new(request))
            return self._by_key[key][1]
        first_text, first = self._by_key[key]
        if first_text != text:
            return refusal(422, "idempotency_key_reused", "The key was used for another request.")
        return FakeReply(first.status, first.body, {"Idempotent-Replayed": "true"})

    def _answer_new(self, request: FakeRequest) -> FakeReply:
        body, last = request.body, request.path.rsplit("/", 1)[-1]
        name = request.path.removeprefix("/api/v1/")
        operation = "dry run" if "dry_run" in request.query else f"{request.method} {name}"
        if operation == "POST auth/token":
            token = {"access_token": "fake-token", "token_type": "bearer", "expires_in": 3600}
            return FakeReply(200, token)
        if operation in ("POST sms/send", "POST whatsapp/send"):
            return FakeReply(202, _accepted(self._send(name.split("/")[0], body["to"], body)))
        if operation == "POST sms/bulk":
            return FakeReply(202, self._send_bulk(body))
        if operation == "POST otp/send":
            return FakeReply(202, self._send_otp(body))
        if operation == "POST otp/verify":
            return self._verify(body)
        if operation == "GET messages":
            return FakeReply(200, self._list(request.query))
        if operation.startswith("GET sms/status/"):
            found = self.messages.get(last) or self._batches.get(last)
            return _NOT_FOUND if found is None else FakeReply(200, found)
        if operation.startswith("DELETE messages/"):
            return self._cancel(last)
        what = f"{request.method} {request.path}"
        advice = f"The fake gateway has no {what}: say with reply_once what it answers."
        return refusal(404, "not_found", advice)

    def _send(self, channel: str, to: str, request: Mapping[str, Any]) -> dict[str, Any]:
        at = _now()
        status = "scheduled" if request.get("scheduled_at") else "queued"
        empty = ("cost", "currency", "error", "sent_at", "delivered_at", "read_at")
        message: dict[str, Any] = {
            "message_id": _id("msg", len(self.sent) + 1),
            "client_id": "client_fake",
            "channel": channel,
            "status": status,
            "recipient": to,
            "from": request.get("from"),
            "type": request.get("type") or "transactional",
            "reference": request.get("reference"),
            **({"encoding": "GSM-7", "segments": 1} if channel == "sms" else {}),
            **dict.fromkeys(empty),
            "created_at": at,
            "scheduled_at": request.get("scheduled_at"),
            "expires_at": _now(86_400),
            "history": [{"status": status, "at": at}],
        }
        self.messages[message["message_id"]] = message
        self.sent.append(SentMessage(message["message_id"], channel, to, dict(request)))
        return message

    def _send_bulk(self, body: dict[str, Any]) -> dict[str, Any]:
        common = {name: value for name, value in body.items() if name != "recipients"}
        rows = [{"to": one} if isinstance(one, str) else one for one in body["recipients"]]
        sent = [self._send("sms", row["to"], {**common, **row}) for row in rows]
        shown = ("message_id", "recipient", "status", "segments", "reference")
        messages = [{"index": index, **{name: one[name] for name in shown}} for index, one in enumerate(sent)]
        numbers = {"total": len(rows), "accepted": len(rows), "rejected": 0}
        batch_id = _id("bat", len(self._batches) + 1)
        counts = {"queued": len(rows)}
        self._batches[batch_id] = {"batch_id": batch_id, **numbers, "counts": counts, "created_at": _now()}
        return {"batch_id": batch_id, "status": "accepted", **numbers, "messages": messages, "errors": []}

    def _send_otp(self, body: dict[str, Any]) -> dict[str, Any]:
        message = self._send(body.get("channel") or "sms", body["to"], body)
        shown = ("message_id", "channel", "recipient", "reference")
        sent = {
            "otp_id": _id("otp", len(self.passwords) + 1),
            "status": "pending",
            **{name: message[name] for name in shown},
            "expires_at": _now(body.get("ttl") or 300),
            "attempts_remaining": 3,
        }
        self.passwords[sent["otp_id"]] = Password(sent, "1234567890"[: body.get("code_length") or 6])
        return sent

    def _verify(self, body: dict[str, Any]) -> FakeReply:
        of_recipient = [one for one in self.passwords.values() if one.sent["recipient"] == body.get("to")]
        latest = of_recipient[-1] if of_recipient else None
        password = self.passwords.get(body["otp_id"]) if body.get("otp_id") else latest
        if password is None:
            return _NOT_FOUND
        if password.is_verified:
            return refusal(409, "otp_already_used", "The code was verified already.")
        if password.attempts_remaining == 0:
            return refusal(409, "otp_attempts_exhausted", "There were too many wrong codes.")
        result = {"otp_id": password.sent["otp_id"]}
        if password.code == body["code"]:
            password.is_verified = True
            return FakeReply(200, {**result, "verified": True, "status": "verified"})
        password.attempts_remaining -= 1
        left = {"attempts_remaining": password.attempts_remaining}
        return FakeReply(200, {**result, "verified": False, "status": "pending", **left})

    def _list(self, query: Mapping[str, str]) -> dict[str, Any]:
        wanted = {name: query[name] for name in ("status", "channel", "reference") if name in query}
        newest_first = reversed(self.messages.values())
        found = [one for one in newest_first if all(one[name] == value for name, value in wanted.items())]
        start = int(query.get("cursor", "0"))
        end = start + int(query.get("limit", "50"))
        return {"messages": found[start:end], **({"next_cursor": str(end)} if end < len(found) else {})}

    def _cancel(self, message_id: str) -> FakeReply:
        message = self.messages.get(message_id)
        if message is None:
            return _NOT_FOUND
        if message["status"] not in ("scheduled", "canceled"):
            return refusal(409, "not_cancelable", "Only a scheduled message can be canceled.")
        if message["status"] == "scheduled":
            self.change(message, "canceled")
        return FakeReply(200, message)

    def change(self, message: dict[str, Any], status: str, error_code: str | None = None) -> None:
        at = _now()
        message["status"] = status
        message["history"] = [*message["history"], {"status": status, "at": at}]
        if status in ("sent", "delivered", "read"):
            message[f"{status}_at"] = at
        if error_code is not None:
            message["error"] = {"code": error_code, "message": None}


def _accepted(message: dict[str, Any]) -> dict[str, Any]:
    shown = (
        "message_id",
        "status",
        "channel",
        "recipient",
        "reference",
        "created_at",
        "encoding",
        "segments",
    )
    scheduled_at = message["scheduled_at"]
    return {
        **{name: message[name] for name in shown if name in message},
        **({} if scheduled_at is None else {"scheduled_at": scheduled_at}),
    }


def _id(kind: str, count: int) -> str:
    return f"{kind}_{count:026d}"


def _now(after_seconds: int = 0) -> str:
    when = datetime.now(timezone.utc) + timedelta(seconds=after_seconds)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")

"""What the fake gateway answers: sends, one-time passwords, look-ups, lists and cancellations, in memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .fake_passwords import FakePasswords
from .fake_reply import NOT_FOUND, VALIDITY_SECONDS, FakeReply, id_of, meaning_of, refusal
from .fake_states import now_text


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


class FakeApi:
    def __init__(self) -> None:
        self.sent: list[SentMessage] = []
        self.messages: dict[str, dict[str, Any]] = {}
        self.passwords: FakePasswords = FakePasswords()
        self._batches: dict[str, tuple[dict[str, Any], list[str]]] = {}
        self._by_key: dict[str, tuple[str, FakeReply]] = {}

    def answer(self, request: FakeRequest) -> FakeReply:
        key = request.headers.get("idempotency-key")
        if key is None:
            return self._answer_new(request)
        # Of each endpoint.
        key, text = f"{request.path} {key}", meaning_of(request.path, request.body)
        if key not in self._by_key:
            reply = self._answer_new(request)
            # A request that was refused has stored nothing.
            if reply.status == 202:
                self._by_key[key] = (text, reply)
            return reply
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
            return self._send_bulk(body)
        if operation == "POST otp/send":
            channel = body.get("channel") or "sms"
            return self.passwords.send(body, lambda ends: self._send(channel, body["to"], body, ends))
        if operation == "POST otp/verify":
            return self.passwords.verify(body)
        if operation == "GET messages":
            return FakeReply(200, self._list(request.query))
        if operation.startswith("GET sms/status/"):
            found = self.messages.get(last) or self._batch(last)
            return NOT_FOUND if found is None else FakeReply(200, found)
        if operation.startswith("DELETE messages/"):
            return self._cancel(last)
        what = f"{request.method} {request.path}"
        advice = f"The fake gateway has no {what}: say with reply_once what it answers."
        return refusal(404, "not_found", advice)

    def _send(
        self, channel: str, to: str, request: Mapping[str, Any], ends: str | None = None
    ) -> dict[str, Any]:
        at = now_text()
        status = "scheduled" if request.get("scheduled_at") else "queued"
        empty = ("cost", "currency", "error", "sent_at", "delivered_at", "read_at")
        message: dict[str, Any] = {
            "message_id": id_of("msg", len(self.sent) + 1),
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
            "expires_at": ends or now_text(request.get("validity_period") or VALIDITY_SECONDS, _due(request)),
            "history": [{"status": status, "at": at}],
        }
        self.messages[message["message_id"]] = message
        self.sent.append(SentMessage(message["message_id"], channel, to, dict(request)))
        return message

    def _send_bulk(self, body: dict[str, Any]) -> FakeReply:
        common = {name: value for name, value in body.items() if name != "recipients"}
        rows = [{"to": one} if isinstance(one, str) else one for one in body["recipients"]]
        errors: list[dict[str, Any]] = []
        accepted: dict[str, int] = {}
        for index, row in enumerate(rows):
            fault = _fault_of(row, body.get("message"), accepted)
            if fault is None:
                accepted[row["to"]] = index
            else:
                errors.append({"index": index, "to": row["to"], "error": fault[0], "message": fault[1]})
        if not accepted:
            details = [
                {
                    "field": f"recipients[{one['index']}]{_FAULTY_FIELD[one['error']]}",
                    "message": one["message"],
                }
                for one in errors
            ]
            return refusal(
                400, "no_valid_recipients", "None of the recipients can be sent to.", details=details
            )
        shown = ("message_id", "recipient", "status", "segments", "reference")
        messages = []
        for to, index in accepted.items():
            reference = rows[index].get("reference") or body.get("reference")
            message = self._send("sms", to, {**common, **rows[index], "reference": reference})
            messages.append({"index": index, **{name: message[name] for name in shown}})
        batch_id = id_of("bat", len(self._batches) + 1)
        numbers = {"total": len(rows), "accepted": len(accepted), "rejected": len(errors)}
        batch = {"batch_id": batch_id, **numbers, "created_at": now_text()}
        self._batches[batch_id] = (batch, [one["message_id"] for one in messages])
        answer = {
            "batch_id": batch_id,
            "status": "accepted",
            **numbers,
            "messages": messages,
            "errors": errors,
        }
        return FakeReply(202, answer)

    def _batch(self, batch_id: str) -> dict[str, Any] | None:
        if batch_id not in self._batches:
            return None
        batch, ids = self._batches[batch_id]
        return {**batch, "counts": dict(Counter(self.messages[one]["status"] for one in ids))}

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
            return NOT_FOUND
        if message["status"] not in ("scheduled", "canceled"):
            return refusal(409, "not_cancelable", "Only a scheduled message can be canceled.")
        if message["status"] == "scheduled":
            message["status"] = "canceled"
            message["history"] = [*message["history"], {"status": "canceled", "at": now_text()}]
        return FakeReply(200, message)


def _due(request: Mapping[str, Any]) -> datetime | None:
    try:
        return datetime.fromisoformat(str(request.get("scheduled_at")).replace("Z", "+00:00"))
    except ValueError:
        return None


_FAULTY_FIELD = {
    "duplicate_recipient": ".to",
    "missing_message": ".message",
    "missing_variable": ".variables",
}


def _fault_of(
    row: Mapping[str, Any], template: str | None, accepted: Mapping[str, int]
) -> tuple[str, str] | None:
    if row["to"] in accepted:
        return "duplicate_recipient", f"The recipient is already in row {accepted[row['to']]}."
    text = row.get("message") or template
    if text is None:
        return "missing_message", "Neither the row nor the request has a message."
    values = row.get("variables") or {}
    names = dict.fromkeys(re.findall(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}", text))
    missing = [name for name in names if values.get(name) is None]
    return ("missing_variable", f"No value is given for {', '.join(missing)}.") if missing else None


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

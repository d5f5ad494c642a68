"""The states of a message of the fake gateway: which may follow which, and the event of each (contract, section 6)."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from ..errors import ArgumentError

_BEFORE: dict[str, tuple[str, ...]] = {
    "sent": ("scheduled", "queued"),
    "delivered": ("scheduled", "queued", "sent", "failed", "expired"),
    "read": ("scheduled", "queued", "sent", "delivered", "failed", "expired"),
    "failed": ("scheduled", "queued", "sent"),
    "expired": ("scheduled", "queued", "sent"),
}
# States that are filled in, where the message was not in them yet.
_IMPLIED = {"delivered": ("sent",), "read": ("sent", "delivered")}
# The order of a history.
_ORDER = ("scheduled", "queued", "sent", "failed", "expired", "delivered", "read")


def enter(message: dict[str, Any], status: str, error_code: str | None) -> None:
    """Changes the message. One that is scheduled counts as due.

    Raises ArgumentError for a state that the message cannot enter, or an error code of a state without one.
    """
    is_read_sms = message["channel"] == "sms" and status == "read"
    if message["status"] not in _BEFORE.get(status, ()) or is_read_sms:
        now = f"{message['channel']}, {message['status']}"
        raise ArgumentError(f"{message['message_id']} ({now}) cannot be {status}.")
    is_undelivered = status in ("failed", "expired")
    if error_code is not None and not is_undelivered:
        raise ArgumentError(f"A message that is {status} has no error code.")
    at = now_text()
    seen = {entry["status"] for entry in message["history"]}
    entered = [state for state in ("queued", *_IMPLIED.get(status, ()), status) if state not in seen]
    history = [*message["history"], *({"status": state, "at": at} for state in entered)]
    message["history"] = sorted(history, key=lambda entry: _ORDER.index(entry["status"]))
    for state in entered:
        if state in ("sent", "delivered", "read"):
            message[f"{state}_at"] = at
    code = error_code or ("expired" if status == "expired" else "unknown")
    message["error"] = (
        {"code": code, "message": f"The message is {status}: {code}."} if is_undelivered else None
    )
    message["status"] = status


def event_of(message: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name and the data of the event of the state that the message entered last."""
    channel, status, error = message["channel"], message["status"], message["error"] or {}
    is_whatsapp_timeout = channel == "whatsapp" and status == "expired"
    shown = (
        "message_id",
        "client_id",
        "recipient",
        "from",
        "status",
        "reference",
        "sent_at",
        "delivered_at",
        "read_at",
    )
    data = {
        **{name: message[name] for name in shown},
        "error_code": "expired" if is_whatsapp_timeout else error.get("code"),
        "error_message": error.get("message"),
    }
    # There is no event `whatsapp.expired`.
    name = f"{channel}.{'failed' if is_whatsapp_timeout else status}"
    return name, {name: value for name, value in data.items() if value is not None}


def now_text(after_seconds: float = 0, start: datetime | None = None) -> str:
    when = (start or datetime.now(timezone.utc)) + timedelta(seconds=after_seconds)
    return when.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")

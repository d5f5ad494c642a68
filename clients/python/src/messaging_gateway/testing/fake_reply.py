"""A reply of the fake gateway, and when two requests mean the same (contract 5.7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class FakeReply:
    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


def refusal(status: int, error: str, message: str, **more: Any) -> FakeReply:
    return FakeReply(status, {"error": error, "message": message, "request_id": "req_fake", **more})


NOT_FOUND = refusal(404, "not_found", "It does not exist, or it belongs to another client.")
VALIDITY_SECONDS = 259_200

_SMS = {"type": "transactional", "validity_period": VALIDITY_SECONDS}
_DEFAULTS: dict[str, dict[str, Any]] = {
    "/api/v1/sms/send": _SMS,
    "/api/v1/sms/bulk": _SMS,
    "/api/v1/whatsapp/send": {**_SMS, "type": "text"},
    "/api/v1/otp/send": {
        "channel": "sms",
        "code_length": 6,
        "ttl": 300,
        "max_attempts": 5,
        "purpose": "default",
    },
}


def meaning_of(path: str, body: Any) -> str:
    """The same for requests that differ only in nulls, defaults, the order of keys, and the form of the rows of a bulk."""
    meant = {**_DEFAULTS.get(path, {}), **_without_nulls(body or {})}
    if "recipients" in meant:
        meant["recipients"] = [{"to": row} if isinstance(row, str) else row for row in meant["recipients"]]
    return json.dumps(meant, sort_keys=True)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def id_of(kind: str, count: int) -> str:
    return f"{kind}_{count:026d}"

"""Signs a webhook as the gateway does, for tests of the code that receives it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from ..webhook import webhook_of


@dataclass(frozen=True)
class SignedWebhook:
    body: bytes
    """The raw body."""
    headers: dict[str, str]


def signed_webhook(
    event: str,
    data: Mapping[str, Any],
    secret: str,
    *,
    webhook_id: str | None = None,
    at: datetime | None = None,
) -> SignedWebhook:
    """Webhooks of more than five minutes ago are refused: `at` is for a test of that.

    A time without a zone is local, as that of scheduled_at is.

    The gateway sends the same webhook_id again when it retries. Raises ArgumentError for a secret that is none.
    """
    # The library signs the digits of the clock as they are, whatever their time zone.
    when = (at or datetime.now()).astimezone(timezone.utc)
    given = webhook_id or f"whd_{uuid.uuid4()}"
    timestamp = when.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body = json.dumps({"event": event, "timestamp": timestamp, "data": dict(data)})
    headers = {
        "content-type": "application/json",
        "webhook-id": given,
        "webhook-timestamp": str(int(when.timestamp())),
        "webhook-signature": webhook_of(secret).sign(given, when, body),
    }
    return SignedWebhook(body.encode(), headers)

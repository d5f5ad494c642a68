"""Tells a webhook of the gateway from any other request, also while its secret is rotated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from standardwebhooks.webhooks import Webhook

from .errors import WebhookVerificationError
from .models import WebhookEvent

_SIGNED = ("webhook-id", "webhook-timestamp", "webhook-signature")


class Headers(Protocol):
    """Of http.server, Flask, Django, Starlette, or a dictionary."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(body: bytes | str, headers: Headers, secrets: str | Sequence[str]) -> WebhookEvent:
    """The event, once its signature holds (Standard Webhooks). Signatures of more than five minutes ago do not.

    The body is the raw one: parsed and written again it would differ. During a rotation give the old and the new
    secret. Raises WebhookVerificationError: answer 401, and do nothing else.
    """
    given = [secrets] if isinstance(secrets, str) else list(secrets)
    if not given or not all(given):
        raise ValueError("Give the webhook secret: whsec_…")
    lower = {name.lower(): value for name, value in headers.items()}
    signed = {name: lower.get(name, "") for name in _SIGNED}
    cause: Exception | None = None
    for secret in given:
        webhook = Webhook(secret)
        try:
            webhook.verify(body, signed)
        except Exception as error:  # noqa: BLE001 - also what its parsing of the headers raises
            cause = error
        else:
            return WebhookEvent.model_validate_json(body)
    raise WebhookVerificationError("The webhook is not from the gateway, or too old.") from cause

"""Tells a webhook of the gateway from any other request, also while its secret is rotated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, get_args, get_origin

from pydantic import AwareDatetime, BaseModel
from standardwebhooks.webhooks import Webhook

from .errors import WebhookVerificationError
from .models import InboundMessageEvent, RecipientEvent, WebhookEndpointDisabledEvent, WebhookEvent

_SIGNED = ("webhook-id", "webhook-timestamp", "webhook-signature")


class UnknownEvent(BaseModel):
    """An event that a later release of the gateway added. Ignore it."""

    event: str
    timestamp: AwareDatetime
    data: dict[str, Any]


AnyWebhookEvent = (
    WebhookEvent | InboundMessageEvent | RecipientEvent | WebhookEndpointDisabledEvent | UnknownEvent
)


def _names(annotation: Any) -> Iterable[str]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    else:
        for part in get_args(annotation):
            yield from _names(part)


_MODELS: dict[str, type[AnyWebhookEvent]] = {
    name: model
    for model in (WebhookEvent, InboundMessageEvent, RecipientEvent, WebhookEndpointDisabledEvent)
    for name in _names(model.model_fields["event"].annotation)
}


class Headers(Protocol):
    """Of http.server, Flask, Django, Starlette, or a dictionary."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(body: bytes | str, headers: Headers, secrets: str | Sequence[str]) -> AnyWebhookEvent:
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
            event = UnknownEvent.model_validate_json(body)
            return _MODELS.get(event.event, UnknownEvent).model_validate_json(body)
    raise WebhookVerificationError("The webhook is not from the gateway, or too old.") from cause

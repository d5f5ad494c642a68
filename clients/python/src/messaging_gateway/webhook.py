"""Tells a webhook of the gateway from any other request, also while its secret is rotated."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, get_args, get_origin

from pydantic import AwareDatetime, BaseModel, ValidationError
from standardwebhooks.webhooks import Webhook

from .errors import ArgumentError, WebhookVerificationError
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


class HeaderItems(Protocol):
    """Of http.server, Flask, Django, Starlette, or a dictionary."""

    def items(self) -> Iterable[tuple[str, Any]]: ...


Headers = HeaderItems | Iterable[tuple[str, Any]] | Iterable[tuple[bytes, bytes]]
"""An object with items, or pairs of names and values, which may be bytes as in ASGI."""

_SECRET_ADVICE = "Give the webhook secret as the gateway shows it: whsec_ and then base64. Is the environment variable set?"


def verify_webhook(body: bytes | str, headers: Headers, secrets: str | Sequence[str]) -> AnyWebhookEvent:
    """The event, once its signature holds (Standard Webhooks). Signatures of more than five minutes ago do not.

    The body is the raw one: parsed and written again it would differ. During a rotation give the old and the new
    secret. Raises WebhookVerificationError: answer 401, and do nothing else. Raises ArgumentError if the secret,
    the body or the headers are not what this function takes.
    """
    given = list(secrets) if isinstance(secrets, (list, tuple)) else [secrets]
    webhooks = [webhook_of(secret) for secret in given]
    if not webhooks:
        raise ArgumentError(_SECRET_ADVICE)
    if not isinstance(body, (bytes, str)):
        raise ArgumentError("Give the raw body as text or bytes, before anything has parsed it.")
    signed = _signed_headers(headers)
    cause: Exception | None = None
    for webhook in webhooks:
        try:
            webhook.verify(body, signed)
        except json.JSONDecodeError:
            raise WebhookVerificationError(_NO_EVENT) from None
        except Exception as error:  # noqa: BLE001 - also what its parsing of the headers raises
            cause = error
        else:
            return _event_of(body)
    raise WebhookVerificationError("The webhook is not from the gateway, or too old.") from cause


_NO_EVENT = "The webhook is signed, but it is no event of the gateway."


def webhook_of(secret: object) -> Webhook:
    """Raises ArgumentError for what is no secret; the message does not show it."""
    found = _SECRET.fullmatch(secret) if isinstance(secret, str) else None
    if found is None or len(found[1]) % 4 == 1:
        raise ArgumentError(_SECRET_ADVICE)
    return Webhook(found[1])


# Base64 of 24 to 64 bytes (Standard Webhooks), so that the text of an unset variable is no secret.
_SECRET = re.compile(r"(?:whsec_)?([A-Za-z0-9+/]{32,86})={0,2}")


def _event_of(body: bytes | str) -> AnyWebhookEvent:
    try:
        event = UnknownEvent.model_validate_json(body)
        return _MODELS.get(event.event, UnknownEvent).model_validate_json(body)
    except ValidationError as error:
        raise WebhookVerificationError(_NO_EVENT) from error


def _signed_headers(headers: Any) -> dict[str, str]:
    try:
        pairs = headers.items() if hasattr(headers, "items") else headers
        lower = {_text(name).lower(): value for name, value in pairs}
    except (TypeError, ValueError) as error:
        raise ArgumentError("Give the headers of the request.") from error
    found = {name: lower.get(name, "") for name in _SIGNED}
    signed = {name: _text(one[0] if isinstance(one, list) and one else one) for name, one in found.items()}
    # The library would refuse all signatures for one that is malformed, and take other spellings of the time.
    valid = _SIGNATURE.findall(signed["webhook-signature"])
    is_time = re.fullmatch(r"[1-9][0-9]{0,14}", signed["webhook-timestamp"])
    return {
        **signed,
        "webhook-signature": " ".join(valid),
        "webhook-timestamp": signed["webhook-timestamp"] if is_time else "",
    }


_SIGNATURE = re.compile(r"(?<![^ ])v1,[A-Za-z0-9+/]{43}=(?![^ ])")


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)

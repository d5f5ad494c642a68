"""Verifies webhooks of the gateway, also while a secret is rotated."""

from __future__ import annotations

import re
import time
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
    """Returns the event if its signature (Standard Webhooks) is valid and at most five minutes old.

    Give the raw body: a body that was parsed and written again has other bytes. During a rotation, give the old and the
    new secret. Raises WebhookVerificationError, which says the reason: answer 401, and do nothing else. Raises
    ArgumentError if the secret, the body or the headers are not what this function takes.
    """
    given = list(secrets) if isinstance(secrets, (list, tuple)) else [secrets]
    webhooks = [webhook_of(secret) for secret in given]
    if not webhooks:
        raise ArgumentError(_SECRET_ADVICE)
    if not isinstance(body, (bytes, str)):
        raise ArgumentError("Give the raw body as text or bytes, before anything has parsed it.")
    signed = _signed_headers(headers)
    _check_presence_and_time(signed)
    # The library would refuse all signatures for one that is malformed.
    signed["webhook-signature"] = " ".join(_SIGNATURE.findall(signed["webhook-signature"]))
    for webhook in webhooks:
        try:
            webhook.verify(body, signed, json_parse=False)
        except Exception:  # noqa: BLE001, S112 - a body that is not UTF-8 raises another error
            continue
        return _event_of(body)
    raise WebhookVerificationError(
        "No signature of the webhook is valid. Check the secret, and that the body is the raw one."
    )


def _check_presence_and_time(signed: dict[str, str]) -> None:
    for name, value in signed.items():
        if value == "":
            raise WebhookVerificationError(f"The request has no header {name}. It is not a webhook.")
    timestamp = signed["webhook-timestamp"]
    # The library would take other spellings of a time, too.
    if re.fullmatch(r"[1-9][0-9]{0,14}", timestamp) is None:
        raise WebhookVerificationError("The header webhook-timestamp is not a time in whole seconds.")
    if abs(int(time.time()) - int(timestamp)) > _TOLERANCE_SECONDS:
        raise WebhookVerificationError(
            "The time of the webhook is more than five minutes from the time of this machine. Check its clock."
        )


_TOLERANCE_SECONDS = 300
_NO_EVENT = "The webhook is signed, but it is not an event of the gateway."


def webhook_of(secret: object) -> Webhook:
    """Raises ArgumentError, without the value, if it is not a secret."""
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
    return {name: _text(one[0] if isinstance(one, list) and one else one) for name, one in found.items()}


_SIGNATURE = re.compile(r"(?<![^ ])v1,[A-Za-z0-9+/]{43}=(?![^ ])")


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)

"""What the client raises. Every error is a GatewayError."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping
from typing import Any

import pydantic

from .models import FieldError


class GatewayError(Exception):
    """Anything that went wrong with a request or a webhook."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process gets the same error: the arguments of a class need not be those of Exception.
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(kind: type[GatewayError], args: tuple[Any, ...], fields: dict[str, Any]) -> GatewayError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


class ArgumentError(GatewayError, ValueError):
    """An option or an argument that cannot be used. Nothing was sent; the message says what to do."""


class ConnectionError(GatewayError):
    """The gateway was not reached, or its answer was lost.

    A send may have been accepted: repeat it with the same key.
    """

    def __init__(self, message: str, *, never_sent: bool = False) -> None:
        super().__init__(message)
        self.never_sent = never_sent


class TimeoutError(ConnectionError):
    """There was no answer within timeout_seconds, or within what was left of deadline_seconds."""


class WebhookVerificationError(GatewayError):
    """A webhook that the gateway did not sign, or signed too long ago."""


class ApiError(GatewayError):
    """The gateway answered with an error. The attributes are those of the error's body."""

    def __init__(self, status: int, headers: Mapping[str, str], body: Any) -> None:
        # A proxy's body may have fields of the same names that are of other types.
        given = body if isinstance(body, dict) else {}
        retry_after = given.get("retry_after")
        self.status = status
        """The HTTP status."""
        self.error: str = _text(given.get("error")) or "unexpected_response"
        """A stable code; unexpected_response where the answer is not the gateway's, but of a proxy for example."""
        self.message: str = (
            _text(given.get("message")) or f"The answer has status {status} and is not the gateway's."
        )
        self.request_id: str | None = _text(given.get("request_id")) or headers.get("x-request-id")
        """Quote it to support."""
        self.doc_url: str | None = _text(given.get("doc_url"))
        """Where the gateway's documentation explains the code."""
        self.details: list[FieldError] = _field_errors(given.get("details"))
        """The faulty fields, all of them at once."""
        self.retry_after: int | None = (
            retry_after if isinstance(retry_after, int) else _seconds(headers.get("retry-after"))
        )
        """Seconds to wait; of a RateLimitError."""
        super().__init__(self.message)

    def __str__(self) -> str:
        # The message of a 400 repeats the first of the details.
        others = [one for one in self.details if not self.message.startswith(f"{one.field}: ")]
        fields = "".join(f"; {one.field} {one.message}" for one in others)
        return f"{self.status} {self.error}: {self.message}{fields} (request {self.request_id})"


class InvalidRequestError(ApiError):
    """400, 413, 415, 422: the request must be changed."""


class AuthenticationError(ApiError):
    """401: the credentials are not valid."""


class ForbiddenError(ApiError):
    """403: the client is disabled, or may not do this."""


class NotFoundError(ApiError):
    """404: it does not exist, or belongs to another client."""


class ConflictError(ApiError):
    """409, 410: the state does not allow it, or not any more."""


class RateLimitError(ApiError):
    """429: a rate limit or a cap is reached."""


class ServerError(ApiError):
    """5xx: something is wrong with the gateway."""


_CLASSES: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
}


def api_error(status: int, headers: Mapping[str, str], body: Any) -> ApiError:
    """The error of an answer. The body is None where it is not JSON."""
    kind = _CLASSES.get(status, ServerError if status >= 500 else ApiError)
    return kind(status, headers, body)


def unexpected_answer(status: int) -> ApiError:
    """The error of a success whose body is not what the gateway answers."""
    return api_error(status, {}, None)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _field_errors(details: Any) -> list[FieldError]:
    try:
        return pydantic.TypeAdapter(list[FieldError]).validate_python(details or [])
    except pydantic.ValidationError:
        return []


def _seconds(retry_after: str | None) -> int | None:
    """Retry-After is a number of seconds, or a date (RFC 9110, section 10.2.3)."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return int(retry_after[:9])
    date = email.utils.parsedate_tz(retry_after)
    return None if date is None else max(0, round(email.utils.mktime_tz(date) - time.time()))

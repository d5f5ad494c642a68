"""What an answer of the gateway had besides its body."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import httpx

from .errors import ArgumentError


@dataclass(frozen=True)
class ResponseInfo:
    status: int
    """The HTTP status."""
    headers: httpx.Headers
    request_id: str | None
    """Quote it to support."""
    is_replay: bool
    """Whether this is the answer of an earlier request with the same idempotency key."""

    @classmethod
    def of(cls, response: httpx.Response) -> ResponseInfo:
        headers = response.headers
        is_replay = headers.get("idempotent-replayed") == "true"
        return cls(response.status_code, headers, headers.get("x-request-id"), is_replay)


class RawAnswer(dict[str, Any]):
    """The body of the answer to a raw request."""


# Models are equal by their fields, so they are kept by their identity, as long as they exist.
_responses: dict[int, tuple[weakref.ref[Any], ResponseInfo]] = {}


def remember_response(answer: object, info: ResponseInfo) -> None:
    key = id(answer)
    _responses[key] = (weakref.ref(answer, lambda _: _responses.pop(key, None)), info)


def response_of(answer: object) -> ResponseInfo:
    """The status, headers, request id and replay flag of what a method returned, or of a page.

    Raises ArgumentError for an object that no method returned, such as a copy.
    """
    reference, info = _responses.get(id(answer), (None, None))
    if reference is None or info is None or reference() is not answer:
        raise ArgumentError("response_of takes the very object that a method returned.")
    return info

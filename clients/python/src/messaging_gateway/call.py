"""A request as the methods describe it, and how it becomes one of HTTP."""

from __future__ import annotations

import enum
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal, Protocol, TypeVar
from urllib.parse import quote

import httpx
import pydantic

from .errors import ArgumentError, GatewayError
from .options import Options
from .retry import Repeat
from .version import VERSION


class NotGiven:
    """An argument that was left out, where None has a meaning of its own."""

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Model = TypeVar("Model", bound=pydantic.BaseModel)


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    repeat: Repeat
    body: Mapping[str, Any] | None = None
    query: Mapping[str, Any] = field(default_factory=dict)
    options: Options = field(default_factory=Options)

    def headers(self, of_client: Mapping[str, str] | None = None) -> httpx.Headers:
        """The same for every attempt: the key of the first is the key of all."""
        headers = httpx.Headers({**(of_client or {})})
        headers.update(self.options.headers or {})
        headers["Accept"] = "application/json"
        headers["User-Agent"] = f"messaging-gateway-client-python/{VERSION}"
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        key = self.options.idempotency_key
        if key is not None or self.repeat == "with_key":
            headers["Idempotency-Key"] = str(uuid.uuid4()) if key is None else key
        return headers

    def content(self) -> bytes | None:
        if self.body is None:
            return None
        try:
            return json.dumps(_plain(self.body), allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise ArgumentError(f"The body cannot be written as JSON: {error}") from error

    def params(self) -> dict[str, str]:
        return {name: _parameter(_plain(value)) for name, value in self.query.items() if value is not None}


class AsyncCall(Protocol):
    async def __call__(self, request: Request, model: type[Model]) -> Model: ...


class Call(Protocol):
    def __call__(self, request: Request, model: type[Model]) -> Model: ...


def raw_request(
    method: Method,
    path: str,
    query: Mapping[str, Any] | None,
    body: Mapping[str, Any] | None,
    options: Options,
) -> Request:
    if not path.startswith("/"):
        raise ArgumentError(f"The path must begin with a slash: {path}")
    is_keyed = options.idempotency_key is not None
    repeat: Repeat = "always" if method != "POST" else "with_key" if is_keyed else "if_refused"
    return Request(method, path, repeat, body=body, query=query or {}, options=options)


def given(fields: Mapping[str, Any], absent: object) -> dict[str, Any]:
    """The fields that the caller gave."""
    return {name: value for name, value in fields.items() if value is not absent}


def segment(value: str) -> str:
    """A path segment. Refuses what a URL would take as no segment, or as a step up."""
    if not isinstance(value, str) or re.fullmatch(r"\.{0,2}", value):
        raise ArgumentError(f"not an id: {value!r}")
    try:
        return quote(value, safe="")
    except UnicodeError as error:
        raise ArgumentError("not an id: it is no Unicode text") from error


def answer_as(model: type[Model], body: Any) -> Model:
    """The answer as a model; fields that it does not know are kept."""
    try:
        return model.model_validate(body)
    except pydantic.ValidationError as error:
        raise GatewayError(f"The answer is not a {model.__name__}: {error}") from error


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, pydantic.BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, enum.Enum):
        return _plain(value.value)
    if isinstance(value, datetime):
        # A time without a zone is meant as Python means it: local.
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_plain(one) for one in value]
    return value


def _parameter(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)

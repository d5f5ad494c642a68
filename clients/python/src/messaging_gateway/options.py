"""What a caller can set for one call, and how it is checked before anything is sent."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict, TypeGuard

from .errors import ArgumentError


class RequestOptions(TypedDict, total=False):
    """Of every method. What is left out or None is as the client has it."""

    timeout_seconds: float | None
    """For each attempt, from the request for its token to the end of the answer."""
    max_retries: int | None
    """How often a failed attempt is repeated, its token request included; 0 switches retries off."""
    deadline_seconds: float | None
    """For the whole call: its token, every attempt and the waits between them."""
    headers: Mapping[str, str] | None
    """Further headers. Those that the client sets itself cannot be replaced."""


class SendOptions(RequestOptions, total=False):
    idempotency_key: str | None
    """Chosen for each call if it is not given. Give your own, so that nothing is sent twice if you call again."""


class ListOptions(RequestOptions, total=False):
    max_items: int | None
    """The iteration ends after so many items."""


@dataclass(frozen=True)
class RequestReport:
    """An attempt that begins, as the hook on_request gets it."""

    method: str
    path: str
    """Without the query, which may contain phone numbers."""
    attempt: int


@dataclass(frozen=True)
class ResponseReport:
    """The outcome of an attempt, as the hook on_response gets it."""

    method: str
    path: str
    attempt: int
    duration_seconds: float
    status: int | None
    """None where there was no answer; error says why."""
    request_id: str | None
    error: Exception | None


class TokenStore(Protocol):
    """Keeps a text for a time, for example in Redis. The text contains the access token: it is a secret."""

    def get(self, key: str) -> str | bytes | None: ...

    def set(self, key: str, value: str, seconds: int) -> object: ...


class AsyncTokenStore(Protocol):
    """As TokenStore, for asyncio."""

    async def get(self, key: str) -> str | bytes | None: ...

    async def set(self, key: str, value: str, seconds: int) -> object: ...


@dataclass(frozen=True)
class Options:
    """The options of one call, checked. An unknown one is a TypeError, as of any function."""

    timeout_seconds: float | None = None
    max_retries: int | None = None
    deadline_seconds: float | None = None
    headers: Mapping[str, str] | None = None
    idempotency_key: str | None = None
    max_items: int | None = None

    def __post_init__(self) -> None:
        check_number("timeout_seconds", self.timeout_seconds, 0.001, _LONGEST_SECONDS)
        check_number("deadline_seconds", self.deadline_seconds, 0.001, _LONGEST_SECONDS)
        check_number("max_retries", self.max_retries, 0, 100, whole=True)
        check_number("max_items", self.max_items, 0, 2**53, whole=True)
        key = self.idempotency_key
        if key is not None and not (isinstance(key, str) and re.fullmatch(r"[!-~]{1,255}", key)):
            raise ArgumentError("idempotency_key must be 1 to 255 visible ASCII characters, without spaces")
        for name, value in (self.headers or {}).items():
            check_header(name, value)


_LONGEST_SECONDS = 86_400.0 * 24


def check_number(name: str, value: Any, least: float, most: float, *, whole: bool = False) -> None:
    if value is None:
        return
    is_number = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        raise ArgumentError(f"{name} must be a {'whole ' if whole else ''}number from {least} to {most}.")


def is_bearer(value: object) -> TypeGuard[str]:
    """Whether a header can have it as a bearer token, unchanged (RFC 6750, section 2.1)."""
    return isinstance(value, str) and re.fullmatch(r"[\x21-\x7e]+", value) is not None


def check_header(name: str, value: object) -> None:
    """Raises ArgumentError for what no header can have; the message does not show the value."""
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise ArgumentError(f"The header {name!r} cannot be sent.")
    if not isinstance(value, str) or re.search(r"[^\t\x20-\x7e]", value):
        raise ArgumentError(f"The header {name!r} cannot be sent.")


def check_plain(name: str, function: object) -> None:
    """Refuses a coroutine function, which nobody would wait for."""
    if not callable(function) or any(map(inspect.iscoroutinefunction, (function, type(function).__call__))):
        raise ArgumentError(f"{name} must be a function that is not async.")


def notify(hook: Callable[[Any], object] | None, report: RequestReport | ResponseReport) -> None:
    """Calls a hook. A message that was sent must not look as if it was not, because a log failed."""
    try:
        if hook is not None:
            hook(report)
    except Exception:  # noqa: BLE001, S110
        pass

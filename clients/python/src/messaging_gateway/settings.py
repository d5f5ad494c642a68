"""The settings of a client, checked."""

from __future__ import annotations

import hashlib
import json
import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from .errors import ArgumentError, unexpected_answer
from .options import Options, RequestReport, ResponseReport, check_number, check_plain, is_bearer


@dataclass(frozen=True)
class Settings:
    base_url: str
    client_id: str | None
    client_secret: str | None = field(repr=False)
    api_key: str | None = field(repr=False)
    timeout_seconds: float
    max_retries: int
    max_retry_after_seconds: float
    deadline_seconds: float | None = None
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    token_store: Any = field(default=None, repr=False)
    on_request: Callable[[RequestReport], object] | None = None
    on_response: Callable[[ResponseReport], object] | None = None
    # What a test replaces.
    now: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random
    wall_clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        given = [
            isinstance(one, str) and one != "" for one in (self.client_id, self.client_secret, self.api_key)
        ]
        if (given[0] and given[1]) == given[2]:
            raise ArgumentError("Give client_id and client_secret, or api_key.")
        if given[2] and not is_bearer(self.api_key):
            raise ArgumentError("api_key must not contain spaces, line breaks or characters outside ASCII.")
        _check_url(self.base_url)
        for name, hook in (("on_request", self.on_request), ("on_response", self.on_response)):
            if hook is not None:
                check_plain(name, hook)
        store = self.token_store
        if store is not None and not (
            callable(getattr(store, "get", None)) and callable(getattr(store, "set", None))
        ):
            raise ArgumentError("token_store must have the methods get and set.")
        Options(self.timeout_seconds, self.max_retries, self.deadline_seconds, self.headers)
        check_number("max_retry_after_seconds", self.max_retry_after_seconds, 0, 86_400.0)

    def url(self, path: str) -> str:
        return self.base_url.rstrip("/") + path

    def token_request(self) -> dict[str, str]:
        return {
            "grant_type": "client_credentials",
            "client_id": self.client_id or "",
            "client_secret": self.client_secret or "",
        }

    @property
    def store_key(self) -> str:
        """Tells the tokens of these credentials from others in the store.

        Credentials that differ in their secret only must not share a token: it may be a test secret, or a wrong one.
        """
        secret = hashlib.sha256((self.client_secret or "").encode(errors="replace")).hexdigest()[:16]
        return f"messaging-gateway-token:{self.base_url.rstrip('/')}:{self.client_id}:{secret}"


def check_kind(
    client_class: type[httpx.Client | httpx.AsyncClient], http_client: object, token_store: Any
) -> None:
    """Refuses what belongs to the other kind of client."""
    if http_client is not None and not isinstance(http_client, client_class):
        raise ArgumentError(f"http_client must be a httpx.{client_class.__name__}.")
    if token_store is not None and client_class is httpx.Client:
        check_plain("token_store.get", token_store.get)
        check_plain("token_store.set", token_store.set)


def _check_url(base_url: object) -> None:
    try:
        url = httpx.URL(base_url if isinstance(base_url, str) else "")
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.userinfo or url.query or url.fragment:
        raise ArgumentError("base_url must have no credentials, query or fragment.")
    if url.scheme not in ("http", "https") or not url.host:
        raise ArgumentError(f"base_url is not a URL of http or https: {base_url}")


# Renewed when a tenth of its lifetime is left, at most a minute.
_RENEW_BEFORE_SECONDS = 60.0


@dataclass(frozen=True)
class HeldToken:
    token: str = field(repr=False)
    renew_at: float

    @classmethod
    def issued(cls, answer: Mapping[str, Any], requested_at: float) -> HeldToken:
        """Raises an ApiError where the answer has no token."""
        token, lifetime = answer.get("access_token"), answer.get("expires_in")
        if not is_bearer(token) or not isinstance(lifetime, (int, float)) or not 0 < lifetime < math.inf:
            raise unexpected_answer(200)
        return cls(token, requested_at + lifetime - min(_RENEW_BEFORE_SECONDS, lifetime / 10))

    def moved(self, seconds: float) -> HeldToken:
        """The same by another clock."""
        return HeldToken(self.token, self.renew_at + seconds)

    def text(self) -> str:
        """As the store keeps it, by the clock that processes share."""
        return json.dumps({"token": self.token, "renewAtMs": self.renew_at * 1000})

    @classmethod
    def read(cls, text: str | bytes | None, refused: str | None, now: float) -> HeldToken | None:
        """What the store has, if it can be used."""
        kept = json.loads(text) if text else {}
        held = cls(str(kept.get("token")), float(kept.get("renewAtMs", 0)) / 1000)
        return held if held.renew_at > now and held.token != refused and is_bearer(held.token) else None

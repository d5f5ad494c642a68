"""The settings of a client, checked."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Settings:
    base_url: str
    client_id: str | None
    client_secret: str | None = field(repr=False)
    api_key: str | None = field(repr=False)
    timeout_seconds: float
    max_retries: int
    max_retry_after_seconds: float
    # What a test replaces.
    now: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        if bool(self.client_id and self.client_secret) == bool(self.api_key):
            raise ValueError("Give client_id and client_secret, or api_key.")
        if urlsplit(self.base_url).scheme not in ("http", "https"):
            raise ValueError(f"base_url is not a URL: {self.base_url}")

    def url(self, path: str) -> str:
        return self.base_url.rstrip("/") + path

    def token_request(self) -> dict[str, str]:
        return {
            "grant_type": "client_credentials",
            "client_id": self.client_id or "",
            "client_secret": self.client_secret or "",
        }


# Renewed when a tenth of its lifetime is left, at most a minute.
_RENEW_BEFORE_SECONDS = 60.0


@dataclass(frozen=True)
class HeldToken:
    token: str = field(repr=False)
    renew_at: float

    @classmethod
    def issued(cls, token: str, expires_in: float, requested_at: float) -> HeldToken:
        return cls(token, requested_at + expires_in - min(_RENEW_BEFORE_SECONDS, expires_in / 10))

"""Holds the access token: requested once for all callers that need it at the same time, and shared by a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..concurrency import AsyncPlace, AsyncWork, ForkSafeLock, async_place
from ..retry import TimeLimit
from ..settings import HeldToken, Settings

_LONGEST_RENEWAL_SECONDS = 10.0


class AsyncTokenRequest(Protocol):
    async def __call__(self, limit: TimeLimit) -> Mapping[str, Any]: ...


class AsyncAccessTokens:
    def __init__(self, settings: Settings, request: AsyncTokenRequest) -> None:
        self._settings = settings
        self._request = request
        self._lock = ForkSafeLock()
        self._current: HeldToken | None = None
        # The store may still have it.
        self._refused: str | None = None
        self._renewals: dict[AsyncPlace, tuple[AsyncWork[str], TimeLimit]] = {}

    async def get(self, limit: TimeLimit) -> str:
        """Returns a token that is valid for a while."""
        # A store that takes longer is passed over.
        store_seconds = min(1.0, limit.left() / 2)
        while True:
            with self._lock:
                if self._current is not None and self._settings.now() < self._current.renew_at:
                    return self._current.token
                work, its_limit = self._renewals.get(async_place()) or self._begin_renewal(store_seconds)
            if await work.wait(min(limit.left(), its_limit.left())):
                return work.result()
            if limit.left() == 0:
                raise limit.error()
            self._drop(async_place(), its_limit)

    def forget(self, token: str) -> None:
        """Forgets a token that the gateway refused; another caller may have renewed it already."""
        with self._lock:
            self._refused = token
            if self._current is not None and self._current.token == token:
                self._current = None

    def _begin_renewal(self, store_seconds: float) -> tuple[AsyncWork[str], TimeLimit]:
        """The renewal has a limit of its own: a caller that leaves does not end it for the others."""
        here, limit = async_place(), TimeLimit(_LONGEST_RENEWAL_SECONDS)

        async def renew() -> str:
            try:
                held = await self._stored(store_seconds) or await self._issued(limit)
                with self._lock:
                    self._current = held
                return held.token
            finally:
                self._drop(here, limit)

        self._renewals[here] = (AsyncWork(renew), limit)
        return self._renewals[here]

    def _drop(self, here: AsyncPlace, limit: TimeLimit) -> None:
        with self._lock:
            if here in self._renewals and self._renewals[here][1] is limit:
                del self._renewals[here]

    async def _issued(self, limit: TimeLimit) -> HeldToken:
        settings = self._settings
        requested_at = settings.now()
        held = HeldToken.issued(await self._request(limit), requested_at)
        if settings.token_store is not None:
            seconds = max(1, int(held.renew_at - requested_at))
            text = held.moved(settings.wall_clock() - settings.now()).text()
            # No call waits for the store: the token is valid without it.
            AsyncWork(lambda: settings.token_store.set(settings.store_key, text, seconds))
        return held

    async def _stored(self, longest_seconds: float) -> HeldToken | None:
        """Returns the token of the store if it can be used. A store that fails or is slow does not stop the sending."""
        settings = self._settings
        if settings.token_store is None:
            return None
        read = AsyncWork[Any](lambda: settings.token_store.get(settings.store_key))
        if not await read.wait(longest_seconds):
            read.abandon()
            return None
        try:
            held = HeldToken.read(read.result(), self._refused, settings.wall_clock())
        except Exception:  # noqa: BLE001
            return None
        return None if held is None else held.moved(settings.now() - settings.wall_clock())

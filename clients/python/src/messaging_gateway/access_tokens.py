"""Holds the access token: requested once for all threads that need it at the same time, and shared by a store."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedInVain
from typing import Any, TypeVar

from .retry import TimeLimit
from .settings import HeldToken, Settings

LONGEST_RENEWAL_SECONDS = 10.0

Result = TypeVar("Result")


def store_seconds(limit: TimeLimit) -> float:
    """A store that takes longer is passed over."""
    return min(1.0, limit.left() / 2)


class AccessTokens:
    def __init__(self, settings: Settings, request: Callable[[TimeLimit], Mapping[str, Any]]) -> None:
        self._settings = settings
        self._request = request
        self._current: HeldToken | None = None
        # The store may still have it.
        self._refused: str | None = None
        self._begin_in_this_process()

    def _begin_in_this_process(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._renewal: tuple[Future[str | None], TimeLimit] | None = None

    def get(self, limit: TimeLimit) -> str:
        """A token that is valid for a while."""
        # The thread that held the lock, or renewed, is not in a process that was forked meanwhile.
        if self._process != os.getpid():
            self._begin_in_this_process()
        while True:
            with self._lock:
                if self._current is not None and self._settings.now() < self._current.renew_at:
                    return self._current.token
                renewal = self._renewal
                if renewal is None or renewal[1].left() == 0:
                    mine = Future[str | None]()
                    self._renewal = (mine, TimeLimit(min(LONGEST_RENEWAL_SECONDS, limit.left())))
                    renewal = None
            if renewal is None:
                return self._renew(mine, limit)
            future, its_limit = renewal
            try:
                token = future.result(min(limit.left(), its_limit.left()))
            except WaitedInVain:
                token = None
            if token is not None:
                return token
            if limit.left() == 0:
                raise limit.error()

    def forget(self, token: str) -> None:
        """Forgets a token that the gateway refused; another thread may have renewed it already."""
        with self._lock:
            self._refused = token
            if self._current is not None and self._current.token == token:
                self._current = None

    def _renew(self, mine: Future[str | None], limit: TimeLimit) -> str:
        held: HeldToken | None = None
        outcome: Exception | None = None
        try:
            held = self._stored(store_seconds(limit)) or self._issued(limit)
            return held.token
        except Exception as error:
            outcome = error
            raise
        finally:
            with self._lock:
                self._current = held
                if self._renewal is not None and self._renewal[0] is mine:
                    self._renewal = None
            # The limit of this thread, or its interruption, is none of the others: they request a token themselves.
            if outcome is None or limit.left() == 0:
                mine.set_result(held.token if held is not None else None)
            else:
                mine.set_exception(outcome)

    def _issued(self, limit: TimeLimit) -> HeldToken:
        settings = self._settings
        requested_at = settings.now()
        held = HeldToken.issued(self._request(limit), requested_at)
        if settings.token_store is not None:
            seconds = max(1, int(held.renew_at - requested_at))
            text = held.moved(settings.wall_clock() - settings.now()).text()
            # No call waits for the store: the token is valid without it.
            _in_background(lambda: settings.token_store.set(settings.store_key, text, seconds))
        return held

    def _stored(self, longest_seconds: float) -> HeldToken | None:
        """What the store has, if it can be used. A store that is out of order or slow does not stop the sending."""
        settings = self._settings
        if settings.token_store is None:
            return None
        try:
            text = _in_background(lambda: settings.token_store.get(settings.store_key)).result(
                longest_seconds
            )
            held = HeldToken.read(text, self._refused, settings.wall_clock())
        except Exception:  # noqa: BLE001
            return None
        return None if held is None else held.moved(settings.now() - settings.wall_clock())


def _in_background(work: Callable[[], Result]) -> Future[Result]:
    """Works in a thread of its own, which ends with the process: nothing else can leave a store that hangs."""
    future = Future[Result]()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets it
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future

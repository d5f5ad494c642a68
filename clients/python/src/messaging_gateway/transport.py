"""Sends a request until it has an answer: with a valid token, a time limit for each attempt, and safe retries."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

import httpx

from .call import Model, Request, answer_as
from .errors import AuthenticationError, ConnectionError, TimeoutError, api_error
from .retry import Repeat, retry_delay_seconds
from .settings import HeldToken, Settings

Answer = TypeVar("Answer")


class Call(Protocol):
    def __call__(self, request: Request, model: type[Model]) -> Model: ...


class AccessTokens:
    """Holds the access token: requested once for all threads that need it at the same time."""

    def __init__(self, settings: Settings, request: Callable[[], Mapping[str, Any]]) -> None:
        self._settings = settings
        self._request = request
        self._lock = threading.Lock()
        self._current: HeldToken | None = None
        self._renewal: Future[str] | None = None

    def get(self) -> str:
        """A token that is valid for a while."""
        with self._lock:
            if self._current is not None and self._settings.now() < self._current.renew_at:
                return self._current.token
            renewal = self._renewal
            if renewal is None:
                mine = self._renewal = Future[str]()
        if renewal is not None:
            return renewal.result()
        requested_at = self._settings.now()
        try:
            issued = self._request()
            held = HeldToken.issued(issued["access_token"], issued["expires_in"], requested_at)
        except BaseException as error:
            self._settle(None)
            # Only this thread is interrupted, or told to exit.
            interrupted = ConnectionError("The token request was interrupted.")
            mine.set_exception(error if isinstance(error, Exception) else interrupted)
            raise
        self._settle(held)
        mine.set_result(held.token)
        return held.token

    def forget(self, token: str) -> None:
        """Forgets a token that the gateway refused; another thread may have renewed it already."""
        with self._lock:
            if self._current is not None and self._current.token == token:
                self._current = None

    def _settle(self, held: HeldToken | None) -> None:
        with self._lock:
            self._current = held
            self._renewal = None


class Transport:
    def __init__(
        self, settings: Settings, client: httpx.Client, wait: Callable[[float], None] = time.sleep
    ) -> None:
        self._settings = settings
        self._client = client
        self._wait = wait
        self._tokens = AccessTokens(settings, self._request_token)

    def __call__(self, request: Request, model: type[Model]) -> Model:
        headers = request.headers()
        answer = self._with_retries(request.repeat, lambda: self._authorized(request, headers))
        return answer_as(model, answer)

    def _authorized(self, request: Request, headers: dict[str, str]) -> Any:
        if self._settings.api_key:
            return self._attempt(request, {**headers, "Authorization": f"Bearer {self._settings.api_key}"})
        token = self._tokens.get()
        try:
            return self._attempt(request, {**headers, "Authorization": f"Bearer {token}"})
        except AuthenticationError:
            self._tokens.forget(token)
        renewed = self._tokens.get()
        return self._attempt(request, {**headers, "Authorization": f"Bearer {renewed}"})

    def _request_token(self) -> Any:
        request = Request("POST", "/api/v1/auth/token", "always", body=self._settings.token_request())
        return self._with_retries("always", lambda: self._attempt(request, request.headers()))

    def _with_retries(self, repeat: Repeat, work: Callable[[], Answer]) -> Answer:
        failed = 0
        while True:
            try:
                return work()
            except Exception as error:
                failed += 1
                delay = (
                    None
                    if failed > self._settings.max_retries
                    else retry_delay_seconds(
                        error,
                        repeat=repeat,
                        attempt=failed,
                        longest_wait_seconds=self._settings.max_retry_after_seconds,
                        random=self._settings.random(),
                    )
                )
                if delay is None:
                    raise
            self._wait(delay)

    def _attempt(self, request: Request, headers: dict[str, str]) -> Any:
        seconds = request.timeout_seconds or self._settings.timeout_seconds
        deadline = time.monotonic() + seconds
        body = bytearray()
        try:
            with self._client.stream(
                request.method,
                self._settings.url(request.path),
                params=request.params(),
                content=request.content(),
                headers=headers,
                timeout=seconds,
                # The API does not redirect, and credentials must not follow anyone else's redirect.
                follow_redirects=False,
            ) as response:
                # The limit of httpx is for each read: an answer that comes byte by byte would never end.
                for chunk in response.iter_bytes():
                    body += chunk
                    if time.monotonic() > deadline:
                        raise TimeoutError(f"No answer within {seconds} s.")
        except httpx.HTTPError as error:
            raise connection_error(error, seconds) from error
        return answer_of(response, bytes(body))


def connection_error(error: httpx.HTTPError, seconds: float) -> ConnectionError:
    never_sent = isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
    if isinstance(error, httpx.TimeoutException):
        return TimeoutError(f"No answer within {seconds} s.", never_sent=never_sent)
    return ConnectionError("The gateway was not reached, or its answer was lost.", never_sent=never_sent)


def answer_of(response: httpx.Response, body: bytes) -> Any:
    """The body of a success, parsed. Raises what the answer says otherwise."""
    if response.is_success and body == b"":
        return None
    try:
        answer = json.loads(body)
    except ValueError:
        raise api_error(response.status_code, response.headers, None) from None
    if not response.is_success:
        raise api_error(response.status_code, response.headers, answer)
    return answer

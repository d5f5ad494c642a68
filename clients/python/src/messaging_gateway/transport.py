"""Sends a request until it has an answer: with a valid token, a time limit for each attempt, and safe retries.

A call has one budget of retries and one deadline, and its token request counts towards both.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any, Protocol

import httpx

from .access_tokens import AccessTokens
from .call import Model, Request, answer_as
from .errors import (
    ArgumentError,
    AuthenticationError,
    ConnectionError,
    GatewayError,
    TimeoutError,
    api_error,
)
from .options import RequestReport, ResponseReport, notify
from .response import ResponseInfo, remember_response
from .retry import Limits, Repeat, TimeLimit
from .settings import Settings

# What httpx raises for an attempt; a RuntimeError for a client that is closed, or of another event loop.
FAILURES = (httpx.HTTPError, httpx.StreamError, RuntimeError, OSError)


class Call(Protocol):
    def __call__(self, request: Request, model: type[Model]) -> Model: ...


class Transport:
    def __init__(
        self,
        settings: Settings,
        client: httpx.Client | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._given_client = client
        self._own_client: tuple[int, httpx.Client] | None = None
        self._wait = wait
        self._tokens = AccessTokens(settings, self._request_token)

    def __call__(self, request: Request, model: type[Model]) -> Model:
        body, info = self.send(request)
        answer = answer_as(model, body)
        remember_response(answer, info)
        return answer

    def send(self, request: Request) -> tuple[dict[str, Any], ResponseInfo]:
        limits = Limits(self._settings, request.options)
        prepared = Prepared(request, self._settings)
        while True:
            # Until the request itself is sent, nothing can happen twice.
            phase: list[Repeat] = ["always"]
            try:
                return self._attempt(prepared, limits.attempt, limits.begin_attempt(), phase)
            except Exception as error:
                delay = limits.delay_after(error, phase[-1])
                if delay is None:
                    raise
            self._wait(delay)

    def close(self) -> None:
        """Closes the connections, unless they are those of a client that was given."""
        if self._own_client is not None:
            self._own_client[1].close()

    def _attempt(
        self, prepared: Prepared, attempt: int, limit: TimeLimit, phase: list[Repeat]
    ) -> tuple[dict[str, Any], ResponseInfo]:
        def send(credential: str) -> tuple[dict[str, Any], ResponseInfo]:
            phase.append(prepared.repeat)
            return self._exchange(prepared, f"Bearer {credential}", attempt, limit)

        if self._settings.api_key:
            return send(self._settings.api_key)
        token = self._tokens.get(limit)
        try:
            return send(token)
        except AuthenticationError:
            self._tokens.forget(token)
        phase.append("always")
        return send(self._tokens.get(limit))

    def _request_token(self, limit: TimeLimit) -> dict[str, Any]:
        request = Request("POST", "/api/v1/auth/token", "always", body=self._settings.token_request())
        body, _ = self._exchange(Prepared(request, self._settings), None, 1, limit)
        return body

    def _exchange(
        self, prepared: Prepared, authorization: str | None, attempt: int, limit: TimeLimit
    ) -> tuple[dict[str, Any], ResponseInfo]:
        report = prepared.report(attempt)
        seconds = max(0.001, limit.left())
        body = bytearray()
        try:
            with self._client().stream(**prepared.arguments(authorization, seconds)) as response:
                # The limit of httpx is for each read: an answer that comes byte by byte would never end.
                for chunk in response.iter_bytes():
                    body += chunk
                    if limit.left() == 0:
                        raise limit.error()
        except (*FAILURES, TimeoutError) as error:
            raise report.failed(error, limit) from error
        report.answered(response)
        return answer_of(response, bytes(body))

    def _client(self) -> httpx.Client:
        """A process that was forked must not use the connections of its parent."""
        if self._given_client is not None:
            return self._given_client
        if self._own_client is None or self._own_client[0] != os.getpid():
            self._own_client = (os.getpid(), httpx.Client())
        return self._own_client[1]


class Prepared:
    """A request as every attempt sends it, without its credentials. Raises ArgumentError for what cannot be sent."""

    def __init__(self, request: Request, settings: Settings) -> None:
        self.repeat = request.repeat
        self._settings = settings
        self._request = request
        self._headers = request.headers(settings.headers)
        self._params, self._content = request.params(), request.content()
        try:
            httpx.URL(settings.url(request.path), params=self._params)
        except httpx.InvalidURL as error:
            raise ArgumentError(f"The URL of the request cannot be sent: {error}") from error

    def arguments(self, authorization: str | None, seconds: float) -> dict[str, Any]:
        headers = self._headers.copy()
        headers.pop("Authorization", None)
        if authorization is not None:
            headers["Authorization"] = authorization
        return {
            "method": self._request.method,
            "url": self._settings.url(self._request.path),
            "params": self._params,
            "content": self._content,
            "headers": headers,
            "timeout": seconds,
            # The API does not redirect, and credentials must not follow anyone else's redirect.
            "follow_redirects": False,
        }

    def report(self, attempt: int) -> Report:
        return Report(self._settings, self._request.method, self._request.path, attempt)


class Report:
    """Tells the hooks of one attempt."""

    def __init__(self, settings: Settings, method: str, path: str, attempt: int) -> None:
        self._settings, self._method, self._path, self._attempt = settings, method, path, attempt
        self._started_at = time.monotonic()
        notify(settings.on_request, RequestReport(method, path, attempt))

    def answered(self, response: httpx.Response) -> None:
        self._tell(response.status_code, response.headers.get("x-request-id"), None)

    def failed(self, cause: BaseException, limit: TimeLimit) -> GatewayError:
        never_sent = isinstance(cause, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
        error: GatewayError
        if isinstance(cause, RuntimeError):
            advice = "It must be open, and an asynchronous one belongs to one event loop."
            error = ArgumentError(f"The HTTP client cannot be used: {cause}. {advice}")
        elif isinstance(cause, (httpx.TimeoutException, TimeoutError)):
            error = limit.error(never_sent=never_sent)
        else:
            what = "The gateway was not reached, or its answer was lost."
            error = ConnectionError(what, never_sent=never_sent)
        self._tell(None, None, error)
        return error

    def _tell(self, status: int | None, request_id: str | None, error: Exception | None) -> None:
        seconds = time.monotonic() - self._started_at
        report = ResponseReport(self._method, self._path, self._attempt, seconds, status, request_id, error)
        notify(self._settings.on_response, report)


def answer_of(response: httpx.Response, body: bytes) -> tuple[dict[str, Any], ResponseInfo]:
    """The body of a success, parsed. Raises what the answer says otherwise."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        answer = None
    if not response.is_success or not isinstance(answer, dict):
        raise api_error(response.status_code, response.headers, answer)
    return answer, ResponseInfo.of(response)

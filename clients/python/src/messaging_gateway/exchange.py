"""One attempt at a request: its arguments for httpx, the reports of the hooks, and its answer."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx

from .call import Request
from .errors import (
    ArgumentError,
    ConnectionError,
    GatewayError,
    TimeoutError,
    api_error,
)
from .options import RequestReport, ResponseReport, notify
from .response import ResponseInfo
from .retry import TimeLimit
from .settings import Settings

# What httpx raises for an attempt; a RuntimeError for a client that is closed, or of another event loop.
FAILURES = (httpx.HTTPError, httpx.StreamError, RuntimeError, OSError, TimeoutError)


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

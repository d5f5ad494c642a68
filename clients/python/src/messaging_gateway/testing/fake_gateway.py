"""A gateway in memory, for unit tests of an application: nothing is sent, and no server is needed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import httpx

from ..errors import ArgumentError
from ..gateway import AsyncMessagingGateway, MessagingGateway
from .fake_api import FakeApi, FakeRequest, SentMessage
from .fake_reply import FakeReply
from .fake_states import enter, event_of
from .signed_webhook import SignedWebhook, signed_webhook


class FakeGateway:
    """Both clients share what was sent. They repeat nothing, so that a refusal reaches the application."""

    gateway: MessagingGateway
    """Give it to the application in place of its own."""
    async_gateway: AsyncMessagingGateway
    webhook_secret: str = "whsec_ZmFrZS13ZWJob29rLXNlY3JldC1vZi0zMi1ieXRlcyE="
    """With which the webhooks of set_status are signed."""

    def __init__(self) -> None:
        self._api = FakeApi()
        self._requests: list[FakeRequest] = []
        self._replies: list[FakeReply] = []
        transport = httpx.MockTransport(self._answer)
        url, client_id, secret = "https://fake-gateway.invalid", "client_fake", "fake"
        self.gateway = MessagingGateway(
            base_url=url,
            client_id=client_id,
            client_secret=secret,
            max_retries=0,
            http_client=httpx.Client(transport=transport),
        )
        self.async_gateway = AsyncMessagingGateway(
            base_url=url,
            client_id=client_id,
            client_secret=secret,
            max_retries=0,
            http_client=httpx.AsyncClient(transport=transport),
        )

    @property
    def sent(self) -> Sequence[SentMessage]:
        """What the application sent, in its order: also one-time passwords and the messages of bulks."""
        return tuple(self._api.sent)

    @property
    def requests(self) -> Sequence[FakeRequest]:
        """All requests but those for tokens."""
        return tuple(self._requests)

    def reply_once(
        self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> None:
        """The next request gets this reply, and has no other effect. Several calls: the next requests, in their order."""
        self._replies.append(FakeReply(status, body, headers or {}))

    def set_status(
        self,
        message_id: str,
        status: Literal["sent", "delivered", "read", "failed", "expired"],
        error_code: str | None = None,
    ) -> SignedWebhook:
        """Changes a message as the carrier would, and returns the webhook that tells of it.

        Raises ArgumentError for a state that the message cannot enter: none goes back, and an SMS is never read.
        """
        message = self._api.messages.get(message_id)
        if message is None:
            raise ArgumentError(f"The fake gateway has no {message_id}.")
        enter(message, status, error_code)
        return signed_webhook(*event_of(message), self.webhook_secret)

    def code_of(self, otp_id: str) -> str:
        """The code of a one-time password."""
        code = self._api.passwords.code_of(otp_id)
        if code is None:
            raise ArgumentError(f"The fake gateway has no {otp_id}.")
        return code

    def _answer(self, sent: httpx.Request) -> httpx.Response:
        body = json.loads(sent.content) if sent.content else None
        query = dict(sent.url.params)
        request = FakeRequest(sent.method, sent.url.path, query, dict(sent.headers), body)
        is_token = request.path == "/api/v1/auth/token"
        if not is_token:
            self._requests.append(request)
        reply = self._api.answer(request) if is_token or not self._replies else self._replies.pop(0)
        headers = {"X-Request-Id": f"req_fake_{len(self._requests)}", **reply.headers}
        return httpx.Response(reply.status, json=reply.body, headers=headers)


def fake_gateway() -> FakeGateway:
    return FakeGateway()

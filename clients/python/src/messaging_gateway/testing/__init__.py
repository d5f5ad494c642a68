"""For the tests of an application that uses the client: a gateway in memory, and signed webhooks."""

from .fake_api import FakeRequest, SentMessage
from .fake_gateway import FakeGateway, fake_gateway
from .fake_reply import FakeReply
from .signed_webhook import SignedWebhook, signed_webhook

__all__ = [
    "FakeGateway",
    "FakeReply",
    "FakeRequest",
    "SentMessage",
    "SignedWebhook",
    "fake_gateway",
    "signed_webhook",
]

"""Client of the Messaging Gateway."""

from . import models
from .call import NOT_GIVEN
from .errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    ConnectionError,
    ForbiddenError,
    GatewayError,
    InvalidRequestError,
    NotFoundError,
    RateLimitError,
    ServerError,
    TimeoutError,
    WebhookVerificationError,
)
from .gateway import AsyncMessagingGateway, MessagingGateway
from .models import InboundMessageEvent, RecipientEvent, WebhookEndpointDisabledEvent, WebhookEvent
from .pages import AsyncPage, AsyncPages, Page
from .webhook import AnyWebhookEvent, UnknownEvent, verify_webhook

__all__ = [
    "NOT_GIVEN",
    "AnyWebhookEvent",
    "ApiError",
    "AsyncMessagingGateway",
    "AsyncPage",
    "AsyncPages",
    "AuthenticationError",
    "ConflictError",
    "ConnectionError",
    "ForbiddenError",
    "GatewayError",
    "InboundMessageEvent",
    "InvalidRequestError",
    "MessagingGateway",
    "NotFoundError",
    "Page",
    "RateLimitError",
    "RecipientEvent",
    "ServerError",
    "TimeoutError",
    "UnknownEvent",
    "WebhookEndpointDisabledEvent",
    "WebhookEvent",
    "WebhookVerificationError",
    "models",
    "verify_webhook",
]

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
from .models import WebhookEvent
from .pages import AsyncPage, AsyncPages, Page
from .webhook import verify_webhook

__all__ = [
    "NOT_GIVEN",
    "ApiError",
    "AsyncMessagingGateway",
    "AsyncPage",
    "AsyncPages",
    "AuthenticationError",
    "ConflictError",
    "ConnectionError",
    "ForbiddenError",
    "GatewayError",
    "InvalidRequestError",
    "MessagingGateway",
    "NotFoundError",
    "Page",
    "RateLimitError",
    "ServerError",
    "TimeoutError",
    "WebhookEvent",
    "WebhookVerificationError",
    "models",
    "verify_webhook",
]

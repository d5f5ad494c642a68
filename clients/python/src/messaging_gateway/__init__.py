"""Client of the Messaging Gateway."""

from . import models
from .asynchronous.gateway import AsyncMessagingGateway
from .call import NOT_GIVEN
from .errors import (
    ApiError,
    ArgumentError,
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
from .generated.gateway import MessagingGateway
from .models import InboundMessageEvent, RecipientEvent, WebhookEndpointDisabledEvent, WebhookEvent
from .options import (
    AsyncTokenStore,
    ListOptions,
    RequestOptions,
    RequestReport,
    ResponseReport,
    SendOptions,
    TokenStore,
)
from .pages import AsyncPage, AsyncPages, Page
from .response import RawAnswer, ResponseInfo, response_of
from .version import __version__
from .webhook import AnyWebhookEvent, UnknownEvent, verify_webhook

__all__ = [
    "NOT_GIVEN",
    "AnyWebhookEvent",
    "ApiError",
    "ArgumentError",
    "AsyncMessagingGateway",
    "AsyncPage",
    "AsyncPages",
    "AsyncTokenStore",
    "AuthenticationError",
    "ConflictError",
    "ConnectionError",
    "ForbiddenError",
    "GatewayError",
    "InboundMessageEvent",
    "InvalidRequestError",
    "ListOptions",
    "MessagingGateway",
    "NotFoundError",
    "Page",
    "RateLimitError",
    "RawAnswer",
    "RecipientEvent",
    "RequestOptions",
    "RequestReport",
    "ResponseInfo",
    "ResponseReport",
    "SendOptions",
    "ServerError",
    "TimeoutError",
    "TokenStore",
    "UnknownEvent",
    "WebhookEndpointDisabledEvent",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "models",
    "response_of",
    "verify_webhook",
]

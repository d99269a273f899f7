"""Client of the user group service, typed by its OpenAPI document."""

from .api_error import ApiError
from .client import UserGroupClient
from .follow import FollowedEvent
from .streams import ServerSentEvent, Stream
from .transport import ABSENT, Absent, ResponseInfo, Timeout, response_of
from .version import __version__
from .webhooks import WebhookMessage, WebhookVerificationError, verify_webhook

__all__ = [
    "ABSENT",
    "Absent",
    "ApiError",
    "FollowedEvent",
    "ResponseInfo",
    "ServerSentEvent",
    "Stream",
    "Timeout",
    "UserGroupClient",
    "WebhookMessage",
    "WebhookVerificationError",
    "__version__",
    "response_of",
    "verify_webhook",
]

"""Client of the user group service, typed by its OpenAPI document."""

from .api_error import ApiError
from .bind_error import BindError
from .bind_variables import BoundStatement, VariableType, bind_variables
from .bound_values import BoundValue
from .cached_introspector import CachedIntrospector, IntrospectionCounts
from .client import UserGroupClient
from .follow import FollowedEvent
from .refusal import Refusal, RefusalCode
from .sql_dialects import SqlDialect, SqlPlaceholder
from .sql_literal import sql_literal
from .streams import ServerSentEvent, Stream
from .tenant_error import TenantError, TenantErrorCode
from .transport import ABSENT, Absent, ResponseInfo, Timeout, response_of
from .version import __version__
from .viewer import Resource, Viewer, viewer_of
from .webhooks import WebhookMessage, WebhookVerificationError, verify_webhook
from .with_tenant import TenantConnection, with_tenant

__all__ = [
    "ABSENT",
    "Absent",
    "ApiError",
    "BindError",
    "BoundStatement",
    "BoundValue",
    "CachedIntrospector",
    "FollowedEvent",
    "IntrospectionCounts",
    "Refusal",
    "RefusalCode",
    "Resource",
    "ResponseInfo",
    "ServerSentEvent",
    "SqlDialect",
    "SqlPlaceholder",
    "Stream",
    "TenantConnection",
    "TenantError",
    "TenantErrorCode",
    "Timeout",
    "UserGroupClient",
    "VariableType",
    "Viewer",
    "WebhookMessage",
    "WebhookVerificationError",
    "__version__",
    "bind_variables",
    "response_of",
    "sql_literal",
    "verify_webhook",
    "viewer_of",
    "with_tenant",
]

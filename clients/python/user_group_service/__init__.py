"""Client of the user group service, typed by its OpenAPI document."""

from .client import UserGroupClient, __version__
from .problem import ProblemError
from .streams import IncompleteAnswerError, ServerSentEvent, Stream
from .transport import ABSENT, Absent, ResponseInfo, Timeout, response_of

__all__ = [
    "ABSENT",
    "Absent",
    "IncompleteAnswerError",
    "ProblemError",
    "ResponseInfo",
    "ServerSentEvent",
    "Stream",
    "Timeout",
    "UserGroupClient",
    "__version__",
    "response_of",
]

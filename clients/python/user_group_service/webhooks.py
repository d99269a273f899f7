"""Messages of webhooks (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NotRequired, TypedDict, cast

from .json_text import parse
from .models import ChangedObject, ChangedUserGroup


class WebhookData(TypedDict):
    """The change that an event tells of."""

    user_group: NotRequired[ChangedUserGroup]
    object: NotRequired[ChangedObject]


class WebhookMessage(TypedDict):
    """An event that was posted to a webhook endpoint."""

    id: str
    """The same for each attempt: keep the ids of a few days, and ignore a message whose id is known."""

    type: str
    """The kind of event, as `noun.verb`."""

    timestamp: str
    """The time of the event."""

    data: WebhookData


class WebhookVerificationError(Exception):
    """A message is not from the service, or too old: respond with 400."""


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
) -> WebhookMessage:
    """Verifies a message of a webhook, and reads it.

    Args:
        body: The bytes that arrived, before they are parsed.
        headers: The headers that arrived.
        secret: The `whsec_…` of the endpoint, or its `whpk_…`; during a roll, both. A `whpk_…`
            needs the package `cryptography`.
        tolerance: The seconds by which the time of the attempt may differ from the clock.

    Raises:
        WebhookVerificationError: The message is not from the service, or too old.
        ValueError: The secret is none; the message does not show it.
    """
    verifiers = [_verifier(one) for one in ([secret] if isinstance(secret, str) else secret)]
    given = {name.lower(): value for name, value in headers.items()}
    id, sent_at, signatures = (
        given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")
    )
    if not (id and sent_at and signatures):
        raise WebhookVerificationError("a header of the signature is missing")
    # Times of more digits are far from now, and too long for a float or an int.
    is_number = sent_at.isascii() and sent_at.isdigit() and len(sent_at) <= 15
    if not is_number or abs(time.time() - int(sent_at)) > tolerance:
        raise WebhookVerificationError("the message is too old, or a clock is wrong")
    content = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else bytes(body)
    signed = f"{id}.{sent_at}.".encode("utf-8", "surrogatepass") + content
    if not any(verify(one, signed) for one in signatures.split() for verify in verifiers):
        raise WebhookVerificationError("the message is not signed with this secret")
    try:
        message = parse(content)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise WebhookVerificationError("the message is not a JSON object")
    return cast(WebhookMessage, {**message, "id": id})


_KEY_BYTES: Final = range(24, 65)
"""The lengths of a key that Standard Webhooks allows. Anybody could guess a shorter one."""

_Verifier = Callable[[str, bytes], bool]


def _verifier(secret: str) -> _Verifier:
    kind, _, text = secret.strip().partition("_")
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if kind == "whsec" and len(key) in _KEY_BYTES:
        return _symmetric(key)
    if kind == "whpk" and len(key) == 32:
        return _asymmetric(key)
    detail = "whsec_ and the Base64 of 24 to 64 bytes, or whpk_ and a public key"
    raise ValueError(f"the secret of a webhook is {detail}")


def _symmetric(key: bytes) -> _Verifier:
    def verify(signature: str, signed: bytes) -> bool:
        digest = hmac.new(key, signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        return hmac.compare_digest(expected, signature.encode("utf-8", "replace"))

    return verify


def _asymmetric(key: bytes) -> _Verifier:
    # Not imported at the top: only those who use such keys need the package.
    ed25519 = importlib.import_module("cryptography.hazmat.primitives.asymmetric.ed25519")
    invalid = importlib.import_module("cryptography.exceptions").InvalidSignature
    public_key = ed25519.Ed25519PublicKey.from_public_bytes(key)

    def verify(signature: str, signed: bytes) -> bool:
        if not signature.startswith("v1a,"):
            return False
        try:
            public_key.verify(base64.b64decode(signature[4:], validate=True), signed)
        except (invalid, binascii.Error, ValueError):
            return False
        return True

    return verify

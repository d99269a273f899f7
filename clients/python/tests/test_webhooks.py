"""Messages of webhooks, signed as the service signs them.

python3 -m unittest tests/test_webhooks.py
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
import unittest

from user_group_service import WebhookVerificationError, verify_webhook

BODY = '{"type":"user_group.update","timestamp":"2030-01-01T12:00:00.000Z","data":{"x":"ä"}}'
SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
OTHER = "whsec_" + base64.b64encode(b"o" * 32).decode()


def headers(secret: str = SECRET, ago: int = 0, body: str = BODY) -> dict[str, str]:
    sent_at = str(int(time.time()) - ago)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"evt_1.{sent_at}.{body}".encode(), hashlib.sha256).digest()
    return {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": sent_at,
        "Webhook-Signature": "v1," + base64.b64encode(digest).decode(),
    }


class Webhooks(unittest.TestCase):
    def test_a_message_of_the_service_is_read(self) -> None:
        bodies: list[str | bytes] = [BODY, BODY.encode()]
        for body in bodies:
            message = verify_webhook(body, headers(), SECRET)
            self.assertEqual((message["id"], message["type"]), ("evt_1", "user_group.update"))
        both = headers()
        both["Webhook-Signature"] = f"v1,AAAA {both['Webhook-Signature']}"
        verify_webhook(BODY, both, [OTHER, SECRET + "\n"])
        verify_webhook(BODY, headers(ago=400), SECRET, tolerance=500)

    def test_any_other_is_refused(self) -> None:
        refused: list[tuple[str, dict[str, str]]] = [
            (BODY, headers(OTHER)),
            (BODY + " ", headers()),
            (BODY, headers(ago=302)),
            (BODY, headers(ago=-400)),
            (BODY, {**headers(), "Webhook-Id": "evt_2"}),
            (BODY, {**headers(), "Webhook-Timestamp": "soon"}),
            (BODY, {**headers(), "Webhook-Timestamp": "9" * 400}),
            (BODY, {**headers(), "Webhook-Timestamp": "9" * 5000}),
            (BODY, {**headers(), "Webhook-Id": "evt_\ud800"}),
            (BODY, {**headers(), "Webhook-Signature": "v1,\ud800"}),
            (BODY + "\ud800", headers()),
            (BODY, {**headers(), "Webhook-Signature": "v1,ä"}),
            (BODY, {}),
            ("[1]", headers(body="[1]")),
        ]
        for body, given in refused:
            with self.assertRaises(WebhookVerificationError, msg=repr((body, given))):
                verify_webhook(body, given, SECRET)

    def test_a_secret_has_a_key_of_24_to_64_bytes(self) -> None:
        for length in (1, 23, 24, 64, 65):
            secret = "whsec_" + base64.b64encode(b"k" * length).decode()
            if 24 <= length <= 64:
                self.assertEqual(verify_webhook(BODY, headers(secret), secret)["id"], "evt_1")
            else:
                with self.assertRaises(ValueError, msg=str(length)):
                    verify_webhook(BODY, headers(secret), secret)

    def test_a_secret_that_is_none_is_not_shown(self) -> None:
        for secret in ("", "s3cret", "whsec_", "whsec_s3cret!", "whpk_c2VjcmV0"):
            with self.assertRaises(ValueError) as wrong:
                verify_webhook(BODY, headers(), secret)
            self.assertNotIn("s3cret", repr(wrong.exception))

    def test_a_public_key_verifies_what_its_private_key_has_signed(self) -> None:
        try:
            from cryptography.hazmat.primitives import serialization
            from cryptography.hazmat.primitives.asymmetric import ed25519
        except ImportError:
            self.skipTest("the package cryptography is not there")
        private = ed25519.Ed25519PrivateKey.generate()
        raw = private.public_key().public_bytes(
            serialization.Encoding.Raw, serialization.PublicFormat.Raw
        )
        key = "whpk_" + base64.b64encode(raw).decode()
        given = headers()
        signed = f"evt_1.{given['Webhook-Timestamp']}.{BODY}".encode()
        given["Webhook-Signature"] = "v1a," + base64.b64encode(private.sign(signed)).decode()
        self.assertEqual(verify_webhook(BODY, given, key)["id"], "evt_1")
        surrogate = {**given, "Webhook-Signature": "v1a,\ud800"}
        for wrong in (headers(), {**given, "Webhook-Signature": "v1a,AAAA"}, surrogate):
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(BODY, wrong, key)


if __name__ == "__main__":
    unittest.main()

"""Which webhooks are accepted: signed by the library of Standard Webhooks, with either secret during a rotation."""

from __future__ import annotations

import base64
import json
import unittest
from datetime import datetime, timedelta, timezone

from standardwebhooks.webhooks import Webhook

from messaging_gateway import (
    ArgumentError,
    InboundMessageEvent,
    RecipientEvent,
    UnknownEvent,
    WebhookEndpointDisabledEvent,
    WebhookEvent,
    WebhookVerificationError,
    verify_webhook,
)
from messaging_gateway.testing import signed_webhook

OLD, NEW, OTHER = (f"whsec_{base64.b64encode(bytes([one]) * 32).decode()}" for one in (1, 2, 3))
BODY = """{"event":"sms.delivered","timestamp":"2026-11-20T10:00:03.120Z","new":1,"data":
{"message_id":"msg_1","recipient":"+447700900123","status":"delivered","client_id":"client_1","reference":"Grüße 👋"}}"""


NO_SECRETS = ("whsec_", "whsec_€", "whsec_a", "whsec_AA==", "None", "undefined", "whsec_" + "A" * 33)


def signed(*secrets, body=BODY, ago=0):
    at = datetime.now(timezone.utc) - timedelta(seconds=ago)
    signatures = [Webhook(secret).sign("whd_1", at, body) for secret in secrets]
    return {
        "Webhook-Id": "whd_1",
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


class Webhooks(unittest.TestCase):
    def test_a_signed_webhook_is_the_event(self):
        for body in (BODY, BODY.encode()):
            event = verify_webhook(body, signed(NEW), NEW)
            self.assertEqual(
                (event.event, event.data.message_id, event.data.reference),
                ("sms.delivered", "msg_1", "Grüße 👋"),
            )

    def test_each_event_has_its_own_fields(self):
        message = {"message_id": "msg_1", "client_id": "client_1"}
        at = "2026-11-20T10:00:03.120Z"
        received = {
            "status": "received",
            "from": "+447700900123",
            "to": "+447418367358",
            "text": "Hi",
            "received_at": at,
        }
        opted_out = {"recipient": "+447700900123", "channel": "sms", "source": "keyword"}
        disabled = {
            "endpoint_id": "whe_1",
            "url": "https://example.com/",
            "disabled_at": at,
            "reason": "no_successful_delivery",
            "client_id": "client_1",
        }
        for name, data, model, read, value in [
            (
                "sms.sent",
                {**message, "recipient": "+44", "status": "sent"},
                WebhookEvent,
                lambda got: got.recipient,
                "+44",
            ),
            ("sms.received", {**message, **received}, InboundMessageEvent, lambda got: got.text, "Hi"),
            (
                "recipient.opted_out",
                {**message, **opted_out},
                RecipientEvent,
                lambda got: got.source,
                "keyword",
            ),
            (
                "webhook_endpoint.disabled",
                disabled,
                WebhookEndpointDisabledEvent,
                lambda got: got.endpoint_id,
                "whe_1",
            ),
            ("fax.sent", {"pages": 2}, UnknownEvent, lambda got: got["pages"], 2),
        ]:
            body = json.dumps({"event": name, "timestamp": at, "data": data})
            event = verify_webhook(body, signed(NEW, body=body), NEW)
            self.assertEqual((type(event), read(event.data)), (model, value))

    def test_both_secrets_accept_every_webhook_of_a_rotation(self):
        for signers in [(OLD,), (OLD, NEW), (NEW,)]:
            for secrets in ([OLD, NEW], [NEW, OLD]):
                self.assertEqual(verify_webhook(BODY, signed(*signers), secrets).event, "sms.delivered")

    def test_anything_else_is_refused_with_its_reason(self):
        for headers, body, reason in [
            (signed(OTHER), BODY, "No signature"),
            (signed(NEW), BODY.replace("msg_1", "msg_2"), "No signature"),
            (signed(NEW, ago=3600), BODY, "five minutes"),
            (signed(NEW, ago=-3600), BODY, "five minutes"),
            ({}, BODY, "no header webhook-id"),
            ({**signed(NEW), "webhook-signature": ""}, BODY, "no header webhook-signature"),
            ({**signed(NEW), "webhook-signature": "v1,é"}, BODY, "No signature"),
            ({**signed(NEW), "webhook-signature": "garbage"}, BODY, "No signature"),
            ({**signed(NEW), "webhook-timestamp": "now"}, BODY, "whole seconds"),
            ({**signed(NEW), "webhook-timestamp": "9" * 400}, BODY, "whole seconds"),
            ({**signed(NEW), "webhook-timestamp": "9" * 15}, BODY, "five minutes"),
            (signed(NEW), b"\xff\xfe", "No signature"),
        ]:
            with self.subTest(reason), self.assertRaisesRegex(WebhookVerificationError, reason) as caught:
                verify_webhook(body, headers, [OLD, NEW])
            self.assertIsNone(caught.exception.__cause__)

    def test_a_time_is_only_digits(self):
        given = signed(NEW)
        for form in ("$.5", "$_0", " $", "$ ", "0$", "$abc", "+$", "$.0"):
            wrong = form.replace("$", given["webhook-timestamp"])
            with self.subTest(form), self.assertRaises(WebhookVerificationError):
                verify_webhook(BODY, {**given, "webhook-timestamp": wrong}, NEW)

    def test_other_bytes_than_were_signed_are_refused(self):
        text = BODY.replace("msg_1", "\ufffd")
        given, data = signed(NEW, body=text), text.encode()
        self.assertEqual(verify_webhook(data, given, NEW).event, "sms.delivered")
        for wrong in (b"\xef\xbb\xbf" + data, data.replace("\ufffd".encode(), b"\xff")):
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(wrong, given, NEW)

    def test_a_valid_signature_counts_also_after_malformed_ones(self):
        given = signed(NEW)
        for before in ("v1a ", "v1,A ", " ", "v1,é ", "v1,a,b "):
            headers = {**given, "webhook-signature": before + given["webhook-signature"] + " v1a"}
            with self.subTest(before):
                self.assertEqual(verify_webhook(BODY, headers, NEW).event, "sms.delivered")

    def test_a_secret_that_is_none_is_a_typed_error_that_says_what_to_do(self):
        for secrets in ("", [], [NEW, ""], None, [NEW, None], 42, *NO_SECRETS):
            with self.subTest(secrets), self.assertRaisesRegex(ArgumentError, "whsec_") as caught:
                verify_webhook(BODY, signed(NEW), secrets)
            self.assertIsInstance(caught.exception, ValueError)

    def test_a_parsed_body_or_no_headers_are_a_typed_error(self):
        for body, headers in [(json.loads(BODY), signed(NEW)), (BODY, None), (BODY, 1)]:
            with self.assertRaises(ArgumentError):
                verify_webhook(body, headers, NEW)

    def test_headers_may_be_pairs_or_bytes_or_lists(self):
        given = signed(NEW)
        for headers in [
            list(given.items()),
            [(name.encode(), value.encode()) for name, value in given.items()],
            {name: [value] for name, value in given.items()},
        ]:
            self.assertEqual(verify_webhook(BODY, headers, NEW).event, "sms.delivered")

    def test_a_signed_body_that_is_no_event_is_refused(self):
        for body in ("[]", "null", "Hello", "", '{"event":"sms.sent"}', '{"event":"sms.sent","data":{}}'):
            with self.subTest(body), self.assertRaises(WebhookVerificationError):
                verify_webhook(body, signed(NEW, body=body), NEW)


class Signing(unittest.TestCase):
    def test_a_signed_webhook_is_accepted_with_its_secret_and_no_other_and_not_when_it_is_old(self):
        secret, other = (f"whsec_{base64.b64encode(bytes([one]) * 32).decode()}" for one in (1, 2))
        data = {"message_id": "m", "client_id": "c", "recipient": "+44", "status": "delivered"}
        webhook = signed_webhook("sms.delivered", data, secret, webhook_id="whd_1")
        self.assertEqual(webhook.headers["webhook-id"], "whd_1")
        self.assertEqual(verify_webhook(webhook.body, webhook.headers, secret).data.message_id, "m")
        zone = timezone(timedelta(hours=5))
        for now in (datetime.now(), datetime.now(zone), datetime.now(timezone.utc)):
            webhook = signed_webhook("sms.delivered", data, secret, at=now)
            event = verify_webhook(webhook.body, webhook.headers, secret)
            self.assertEqual(event.timestamp.timestamp(), int(now.timestamp() * 1000) / 1000)
        hour_ago = datetime.now(timezone.utc) - timedelta(hours=1)
        old = signed_webhook("sms.delivered", data, secret, at=hour_ago)
        for given, key in [(webhook, other), (old, secret)]:
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(given.body, given.headers, key)


if __name__ == "__main__":
    unittest.main()

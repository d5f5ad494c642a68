"""The fake gateway behaves as the gateway does, towards an application that uses the client."""

from __future__ import annotations

import asyncio
import base64
import unittest
from datetime import datetime, timedelta, timezone

from messaging_gateway import (
    ArgumentError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    RateLimitError,
    WebhookVerificationError,
    response_of,
    verify_webhook,
)
from messaging_gateway.testing import fake_gateway, signed_webhook

SMS = {"to": "+447700900123", "message": "Hello"}


class Fake(unittest.TestCase):
    def setUp(self):
        self.fake = fake_gateway()
        self.gateway = self.fake.gateway

    def test_it_shows_what_was_sent_by_both_clients(self):
        self.gateway.sms.send(**SMS)
        rows = [{"to": "+33", "variables": {"name": "Ada"}}]
        batch = self.gateway.sms.send_bulk(message="Hi {{name}}", recipients=rows)
        self.gateway.otp.send(to="+49", channel="whatsapp")
        asyncio.run(self.fake.async_gateway.whatsapp.send(to="+1", message="Hello"))
        shown = [(one.channel, one.to, one.request.get("message")) for one in self.fake.sent]
        expected = [
            ("sms", "+447700900123", "Hello"),
            ("sms", "+33", "Hi {{name}}"),
            ("whatsapp", "+49", None),
            ("whatsapp", "+1", "Hello"),
        ]
        self.assertEqual(shown, expected)
        self.assertEqual(len(self.fake.requests), 4)
        self.assertEqual(self.gateway.batches.get(batch.batch_id).total, 1)

    def test_nothing_is_sent_twice_with_one_key(self):
        first = self.gateway.sms.send(**SMS, idempotency_key="order-42")
        second = self.gateway.sms.send(**SMS, idempotency_key="order-42")
        self.assertEqual((second.message_id, len(self.fake.sent)), (first.message_id, 1))
        self.assertTrue(response_of(second).is_replay)
        with self.assertRaises(InvalidRequestError):
            self.gateway.sms.send(to="+1", message="Other", idempotency_key="order-42")

    def test_it_refuses_once_what_it_was_told_to_refuse(self):
        self.fake.reply_once(429, {"error": "rate_limit_exceeded", "message": "Wait.", "retry_after": 7})
        with self.assertRaises(RateLimitError) as caught:
            self.gateway.sms.send(**SMS)
        self.assertEqual(caught.exception.retry_after, 7)
        self.gateway.sms.send(**SMS)
        self.assertEqual(len(self.fake.sent), 1)

    def test_a_one_time_password_is_verified_by_its_code_once(self):
        otp = self.gateway.otp.send(to="+44", code_length=4)
        wrong = self.gateway.otp.verify(otp_id=otp.otp_id, code="no")
        self.assertEqual((wrong.verified, wrong.attempts_remaining), (False, 2))
        code = self.fake.code_of(otp.otp_id)
        self.assertTrue(self.gateway.otp.verify(to="+44", code=code).verified)
        with self.assertRaises(ConflictError):
            self.gateway.otp.verify(otp_id=otp.otp_id, code=code)

    def test_a_message_changes_and_its_webhook_tells_of_it(self):
        sent = self.gateway.sms.send(**SMS, reference="r")
        webhook = self.fake.set_status(sent.message_id, "failed", "unreachable")
        event = verify_webhook(webhook.body, webhook.headers, self.fake.webhook_secret)
        self.assertEqual((event.event, event.data.message_id), ("sms.failed", sent.message_id))
        message = self.gateway.messages.get(sent.message_id)
        self.assertEqual((message.status, message.error.code), ("failed", "unreachable"))
        with self.assertRaises(ArgumentError):
            self.fake.set_status("msg_none", "sent")

    def test_lists_have_pages_the_newest_first(self):
        for reference in "abc":
            self.gateway.sms.send(**SMS, reference=reference)
        found = self.gateway.messages.list(limit=2).to_list()
        self.assertEqual([one.reference for one in found], ["c", "b", "a"])
        self.assertEqual(len(self.gateway.messages.list(reference="a").to_list()), 1)

    def test_what_is_scheduled_can_be_canceled_and_nothing_else(self):
        scheduled = self.gateway.sms.send(**SMS, scheduled_at="2030-01-01T00:00:00Z")
        self.assertEqual(self.gateway.messages.cancel(scheduled.message_id).status, "canceled")
        with self.assertRaises(ConflictError):
            self.gateway.messages.cancel(self.gateway.sms.send(**SMS).message_id)

    def test_it_says_how_to_answer_what_it_does_not_know(self):
        with self.assertRaisesRegex(NotFoundError, "reply_once"):
            self.gateway.account.get()
        self.fake.reply_once(200, {"client_id": "c", "name": "Test", "webhook_url": None, "limits": {}})
        self.assertEqual(self.gateway.account.get().name, "Test")


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

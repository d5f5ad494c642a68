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
        self.assertEqual((wrong.verified, wrong.attempts_remaining), (False, 4))
        code = self.fake.code_of(otp.otp_id)
        self.assertTrue(self.gateway.otp.verify(to="+44", code=code).verified)
        with self.assertRaises(ConflictError):
            self.gateway.otp.verify(otp_id=otp.otp_id, code=code)

    def test_a_one_time_password_is_found_only_by_what_is_its_own(self):
        otp = self.gateway.otp.send(to="+44", purpose="sign-in")
        code = self.fake.code_of(otp.otp_id)
        for wrong in [
            {"otp_id": otp.otp_id, "purpose": "pay"},
            {"otp_id": otp.otp_id, "to": "+33"},
            {"to": "+44"},
            {"otp_id": "otp_no"},
        ]:
            with self.subTest(wrong), self.assertRaises(NotFoundError):
                self.gateway.otp.verify(**wrong, code=code)
        self.assertTrue(self.gateway.otp.verify(to="+44", purpose="sign-in", code=code).verified)

    def test_a_one_time_password_that_is_sent_again_while_pending_is_the_same_and_they_are_limited(self):
        first = self.gateway.otp.send(to="+44", max_attempts=1, ttl=60)
        again = self.gateway.otp.send(to="+44", code_length=4)
        self.assertEqual((again.otp_id, again.expires_at), (first.otp_id, first.expires_at))
        self.assertNotEqual(again.message_id, first.message_id)
        self.assertEqual((len(self.fake.code_of(again.otp_id)), again.attempts_remaining), (6, 1))
        self.assertNotEqual(self.gateway.otp.send(to="+44", purpose="pay").otp_id, first.otp_id)
        self.gateway.otp.verify(otp_id=first.otp_id, code="0000")
        with self.assertRaises(ConflictError) as caught:
            self.gateway.otp.verify(otp_id=first.otp_id, code="0000")
        self.assertEqual(caught.exception.error, "otp_attempts_exhausted")
        self.assertNotEqual(self.gateway.otp.send(to="+44").otp_id, first.otp_id)
        self.gateway.otp.send(to="+44")
        with self.assertRaises(RateLimitError):
            self.gateway.otp.send(to="+44")
        self.gateway.otp.send(to="+33")

    def test_a_faulty_row_of_a_bulk_is_reported(self):
        ada = {"to": "+33", "variables": {"name": "Ada"}}
        rows = [ada, {"to": "+34", "variables": {"name": None}}, ada]
        batch = self.gateway.sms.send_bulk(message="Hi {{ name }}", recipients=rows)
        self.assertEqual((batch.accepted, batch.rejected), (1, 2))
        shown = [(one.index, one.error) for one in batch.errors]
        self.assertEqual(shown, [(1, "missing_variable"), (2, "duplicate_recipient")])
        self.assertEqual(self.gateway.batches.get(batch.batch_id).rejected, 2)
        with self.assertRaises(InvalidRequestError) as caught:
            self.gateway.sms.send_bulk(message="Hi {{name}}", recipients=["+33"])
        self.assertEqual(caught.exception.details[0].field, "recipients[0].variables")

    def test_a_key_is_of_an_endpoint_and_nulls_and_defaults_are_what_they_mean(self):
        self.gateway.sms.send(**SMS, idempotency_key="order-42")
        spelled_out = {**SMS, "type": "transactional", "validity_period": 259_200, "reference": None}
        self.assertTrue(
            response_of(self.gateway.sms.send(**spelled_out, idempotency_key="order-42")).is_replay
        )
        self.gateway.otp.send(to="+44", idempotency_key="order-42")
        self.gateway.otp.send(to="+44", ttl=300, purpose="default", idempotency_key="order-42")
        self.assertEqual(len(self.fake.sent), 2)
        message = self.gateway.messages.get(self.gateway.sms.send(**SMS).message_id)
        hours = (message.expires_at - message.created_at).total_seconds() / 3600
        self.assertAlmostEqual(hours, 72, 2)

    def test_the_events_are_those_of_the_gateway_and_no_state_goes_back(self):
        def event(message_id, *how):
            webhook = self.fake.set_status(message_id, *how)
            return verify_webhook(webhook.body, webhook.headers, self.fake.webhook_secret)

        whatsapp = self.gateway.whatsapp.send(**SMS).message_id
        text = self.gateway.sms.send(**SMS).message_id
        for message_id, name in [(whatsapp, "whatsapp.failed"), (text, "sms.expired")]:
            timed_out = event(message_id, "expired")
            shown = (timed_out.event, timed_out.data.status, timed_out.data.error_code)
            self.assertEqual(shown, (name, "expired", "expired"))
        self.assertEqual(event(whatsapp, "read").event, "whatsapp.read")
        history = [one.status for one in self.gateway.messages.get(whatsapp).history]
        self.assertEqual(history, ["queued", "sent", "expired", "delivered", "read"])
        event(text, "delivered")
        canceled = self.gateway.sms.send(**SMS, scheduled_at="2030-01-01T00:00:00Z").message_id
        self.gateway.messages.cancel(canceled)
        for message_id in (text, canceled):
            for status in ("sent", "delivered", "failed", "expired", "read", "queued"):
                with self.subTest(status), self.assertRaises(ArgumentError):
                    self.fake.set_status(message_id, status)
        with self.assertRaises(ArgumentError):
            self.fake.set_status(self.gateway.sms.send(**SMS).message_id, "sent", "unreachable")

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

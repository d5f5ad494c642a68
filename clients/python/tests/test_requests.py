"""What the clients promise of their requests, for MessagingGateway and AsyncMessagingGateway alike."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

from fault_server import ACCEPTED_SMS, FaultServer, refusal

from messaging_gateway import (
    ApiError,
    AsyncMessagingGateway,
    AuthenticationError,
    ConflictError,
    ConnectionError,
    ForbiddenError,
    GatewayError,
    InvalidRequestError,
    MessagingGateway,
    NotFoundError,
    RateLimitError,
    ServerError,
    TimeoutError,
    models,
)

CREDENTIALS = {"client_id": "client_1", "client_secret": "hidden-secret"}
SMS = {"to": "+447700900123", "message": "Hello"}
SHORT = {"timeout_seconds": 0.4, "max_retries": 20}
UNAUTHORIZED = refusal(401, "unauthorized")
UNAVAILABLE = refusal(503, "service_unavailable")


class Sync:
    """The two kinds of clients behind one face, so that each test is of both."""

    gateway_class = MessagingGateway

    def __init__(self, base_url, **options):
        self.gateway = self.gateway_class(base_url=base_url, **{**CREDENTIALS, **options})
        self.waits, self.now = [], 0.0
        self._prepare(self.waits.append)

    def _prepare(self, wait):
        transport = self.gateway.sms._call
        settings = dataclasses.replace(transport._settings, now=lambda: self.now, random=lambda: 1.0)
        transport._settings = transport._tokens._settings = settings
        transport._wait = wait

    def do(self, work):
        return work(self.gateway)

    def do_together(self, count, work):
        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(lambda _: work(self.gateway), range(count)))

    def items(self, work):
        return list(work(self.gateway))

    def first_page(self, work):
        return work(self.gateway)

    def close(self):
        self.gateway.close()


class Async(Sync):
    gateway_class = AsyncMessagingGateway

    def __init__(self, base_url, **options):
        self.gateway = self.gateway_class(base_url=base_url, **{**CREDENTIALS, **options})
        self.waits, self.now = [], 0.0
        self._loop = asyncio.new_event_loop()

        async def wait(seconds):
            self.waits.append(seconds)

        self._prepare(wait)

    def do(self, work):
        return self._loop.run_until_complete(self._awaited(work))

    async def _awaited(self, work):
        return await work(self.gateway)

    def do_together(self, count, work):
        async def together():
            return await asyncio.gather(*(work(self.gateway) for _ in range(count)))

        return self._loop.run_until_complete(together())

    def items(self, work):
        async def all_items():
            return [item async for item in work(self.gateway)]

        return self._loop.run_until_complete(all_items())

    def first_page(self, work):
        return self.do(work)

    def close(self):
        self._loop.run_until_complete(self.gateway.close())
        self._loop.close()


class Requests:
    kind: type[Sync]

    def start(self, *replies, token_replies=(), **options):
        server = FaultServer(*replies, token_replies=token_replies)
        client = self.kind(server.base_url, **options)
        self.addCleanup(server.close)
        self.addCleanup(client.close)
        return client, server

    def test_a_token_is_requested_once_for_all_calls_at_the_same_time(self):
        client, server = self.start()
        client.do_together(20, lambda gateway: gateway.sms.send(**SMS))
        self.assertEqual(len(server.token_requests), 1)
        self.assertEqual(
            server.token_requests[0]["body"], {"grant_type": "client_credentials", **CREDENTIALS}
        )
        self.assertEqual({one["headers"]["authorization"] for one in server.requests}, {"Bearer token-1"})

    def test_a_token_that_cannot_be_had_fails_all_calls_that_wait_for_it_and_is_requested_anew(self):
        client, server = self.start(token_replies=[refusal(401, "invalid_client")])
        with self.assertRaises(AuthenticationError) as caught:
            client.do(lambda gateway: gateway.sms.send(**SMS))
        self.assertEqual((caught.exception.error, len(server.token_requests)), ("invalid_client", 1))
        client.do(lambda gateway: gateway.sms.send(**SMS))
        self.assertEqual(len(server.token_requests), 2)

    def test_a_token_is_renewed_a_minute_before_it_expires_and_not_earlier(self):
        client, server = self.start()
        client.do(lambda gateway: gateway.sms.send(**SMS))
        client.now = 3539.0
        client.do(lambda gateway: gateway.sms.send(**SMS))
        self.assertEqual(len(server.token_requests), 1)
        client.now = 3540.0
        client.do_together(5, lambda gateway: gateway.sms.send(**SMS))
        self.assertEqual(len(server.token_requests), 2)

    def test_a_refused_token_is_renewed_once_for_all_and_each_send_keeps_its_key(self):
        barrier = threading.Barrier(10, timeout=30)

        def unless_new(request):
            if request["headers"]["authorization"] != "Bearer token-1":
                return 202, ACCEPTED_SMS, {}
            # All ten have the old token before the first of them is refused.
            barrier.wait()
            return UNAUTHORIZED

        client, server = self.start(*[unless_new] * 20)
        client.do_together(10, lambda gateway: gateway.sms.send(**SMS))
        self.assertEqual((len(server.token_requests), len(server.requests)), (2, 20))
        self.assertEqual(len({one["headers"]["idempotency-key"] for one in server.requests}), 10)

    def test_a_token_that_is_refused_again_is_an_error(self):
        client, server = self.start(UNAUTHORIZED, UNAUTHORIZED)
        with self.assertRaises(AuthenticationError):
            client.do(lambda gateway: gateway.account.get())
        self.assertEqual((len(server.requests), len(server.token_requests)), (2, 2))

    def test_an_api_key_needs_no_token(self):
        client, server = self.start(client_id=None, client_secret=None, api_key="sk-1")
        client.do(lambda gateway: gateway.sms.send(**SMS))
        self.assertEqual(server.requests[0]["headers"]["authorization"], "Bearer sk-1")
        self.assertEqual(server.token_requests, [])

    def test_a_send_is_repeated_with_the_same_key_after_a_wait(self):
        for what, reply, seconds in [
            ("429", refusal(429, "rate_limit_exceeded", retry_after=7), 7.25),
            ("429 of a proxy", (429, "slow down", {"Retry-After": "3"}), 3.25),
            ("500", refusal(500, "internal_error"), 0.5),
            ("502 of a proxy", (502, "<html>Bad gateway</html>", {}), 0.5),
            ("503", UNAVAILABLE, 0.5),
            ("a dropped connection", "drop", 0.5),
            ("half an answer", "half", 0.5),
            ("no answer in time", "hang", 0.5),
            ("an answer byte by byte", "drip", 0.5),
            ("requests at the same moment", refusal(409, "concurrent_change"), 0.5),
            ("the first attempt still at work", refusal(409, "idempotency_in_progress"), 0.5),
        ]:
            with self.subTest(what):
                # On a slow machine the repeat may be late too.
                client, server = self.start(reply, **SHORT if reply in ("hang", "drip") else {})
                sent = client.do(lambda gateway: gateway.sms.send(**SMS))
                self.assertEqual((sent.status, client.waits[0]), ("queued", seconds))
                first, *repeats = server.requests
                self.assertRegex(first["headers"]["idempotency-key"], r"^[A-Za-z0-9._:-]{1,255}$")
                for repeat in repeats:
                    self.assertEqual(
                        first["headers"]["idempotency-key"], repeat["headers"]["idempotency-key"]
                    )
                    self.assertEqual((first["path"], first["body"]), (repeat["path"], repeat["body"]))
                self.assertEqual(len(repeats), len(client.waits))

    def test_a_send_gives_up_after_three_retries_each_with_a_longer_wait(self):
        client, server = self.start(*[UNAVAILABLE] * 9)
        with self.assertRaises(ServerError) as caught:
            client.do(lambda gateway: gateway.sms.send(**SMS))
        self.assertEqual((client.waits, len(server.requests)), ([0.5, 1.0, 2.0], 4))
        self.assertEqual(caught.exception.request_id, "req_1")

    def test_a_limit_that_resets_in_hours_is_not_waited_for(self):
        client, _ = self.start(refusal(429, "spend_limit_reached", retry_after=5400))
        with self.assertRaises(RateLimitError) as caught:
            client.do(lambda gateway: gateway.sms.send(**SMS))
        self.assertEqual(
            (caught.exception.error, caught.exception.retry_after), ("spend_limit_reached", 5400)
        )
        self.assertEqual(client.waits, [])

    def test_no_answer_in_time_is_a_timeout_error(self):
        client, _ = self.start("hang", max_retries=0)
        with self.assertRaises(TimeoutError):
            client.do(lambda gateway: gateway.sms.send(**SMS, timeout_seconds=0.2))

    def test_each_kind_of_send_has_a_key_of_its_own_or_the_callers(self):
        sends = [
            lambda gateway: gateway.sms.send(**SMS),
            lambda gateway: gateway.sms.send(**SMS, idempotency_key="order-42"),
        ]
        client, server = self.start()
        for send in sends:
            client.do(send)
        keys = [one["headers"]["idempotency-key"] for one in server.requests]
        self.assertEqual((len(set(keys)), keys[1]), (2, "order-42"))

    def test_what_must_not_be_done_twice_is_repeated_only_where_it_was_refused(self):
        for what, reply, requests in [
            ("a dropped connection", "drop", 1),
            ("503", UNAVAILABLE, 1),
            ("no answer in time", "hang", 1),
            ("429", refusal(429, "rate_limit_exceeded", retry_after=1), 2),
        ]:
            with self.subTest(what):
                verified = (200, {"otp_id": "otp_1", "verified": True, "status": "verified"}, {})
                client, server = self.start(reply, verified, **SHORT if reply == "hang" else {})
                try:
                    client.do(lambda gateway: gateway.otp.verify(otp_id="otp_1", code="1234"))
                except GatewayError:
                    pass
                self.assertEqual(len(server.requests), requests)
                self.assertNotIn("idempotency-key", server.requests[0]["headers"])

    def test_what_was_never_sent_is_repeated(self):
        client, server = self.start(client_id=None, client_secret=None, api_key="sk-1")
        server.close()
        with self.assertRaises(ConnectionError):
            client.do(lambda gateway: gateway.otp.verify(otp_id="otp_1", code="1234"))
        self.assertEqual(len(client.waits), 3)

    def test_an_error_has_what_the_gateway_says(self):
        details = [{"field": "to", "message": "must be a phone number"}]
        client, _ = self.start(refusal(400, "invalid_request", details=details))
        with self.assertRaises(InvalidRequestError) as caught:
            client.do(lambda gateway: gateway.sms.send(**SMS))
        error = caught.exception
        self.assertEqual((error.status, error.error, error.request_id), (400, "invalid_request", "req_1"))
        self.assertEqual(
            [(one.field, one.message) for one in error.details], [("to", "must be a phone number")]
        )
        self.assertIn("to must be a phone number", str(error))

    def test_errors_are_told_apart_by_their_class(self):
        for kind, reply in [
            (ForbiddenError, refusal(403, "forbidden")),
            (NotFoundError, refusal(404, "not_found")),
            (ConflictError, refusal(410, "otp_expired")),
            (ApiError, (200, "<html>Sign in</html>", {})),
            (ApiError, (418, {"error": {}, "message": 1, "details": "x", "retry_after": "5"}, {})),
            (ApiError, (307, "", {"Location": "/elsewhere"})),
            (GatewayError, (200, {"not": "an account"}, {})),
        ]:
            with self.subTest(kind.__name__):
                client, server = self.start(reply)
                with self.assertRaises(kind):
                    client.do(lambda gateway: gateway.account.get())
                self.assertEqual(len(server.requests), 1)

    def test_a_list_is_iterated_over_all_pages(self):
        def page(cursor, *ids):
            messages = [{**MESSAGE, "message_id": one} for one in ids]
            return 200, {"messages": messages, **({"next_cursor": cursor} if cursor else {})}, {}

        client, server = self.start(page("c1", "a", "b"), page("c2"), page(None, "c"), page("c1", "a"))
        found = client.items(lambda gateway: gateway.messages.list(status="failed", limit=2))
        self.assertEqual([one.message_id for one in found], ["a", "b", "c"])
        query = "/api/v1/messages?status=failed&limit=2"
        self.assertEqual(
            [one["path"] for one in server.requests], [query, f"{query}&cursor=c1", f"{query}&cursor=c2"]
        )
        first = client.first_page(lambda gateway: gateway.messages.list())
        self.assertEqual(([one.message_id for one in first.items], first.next_cursor), (["a"], "c1"))

    def test_arguments_become_json_and_a_null_is_sent_only_by_an_update(self):
        client, server = self.start(*[(200, ACCOUNT, {})] * 2)
        client.do(lambda gateway: gateway.account.update(webhook_url=None))
        client.do(lambda gateway: gateway.account.update())
        self.assertEqual([one["body"] for one in server.requests], [{"webhook_url": None}, {}])
        at = datetime(2026, 11, 20, 10, tzinfo=timezone.utc)
        client.do(lambda gateway: gateway.sms.send(**SMS, from_="ACME", scheduled_at=at))
        scheduled = {**SMS, "from": "ACME", "scheduled_at": "2026-11-20T10:00:00.000Z"}
        self.assertEqual(server.requests[2]["body"], scheduled)

    def test_models_and_dictionaries_are_taken_alike(self):
        template = models.WhatsappTemplate(
            name="parcel", language="en_GB", parameters=models.TemplateParameters(body=["Ada"])
        )
        client, server = self.start(*[(202, ACCEPTED_SMS, {})] * 2)
        for given in (template, template.model_dump(exclude_unset=True)):
            client.do(
                lambda gateway, one=given: gateway.whatsapp.send(to="+4", type="template", template=one)
            )
        expected = {"name": "parcel", "language": "en_GB", "parameters": {"body": ["Ada"]}}
        self.assertEqual([one["body"]["template"] for one in server.requests], [expected, expected])

    def test_an_id_is_text_in_the_path_and_what_is_none_is_refused(self):
        client, server = self.start((200, MESSAGE, {}))
        client.do(lambda gateway: gateway.messages.get("a/b?c"))
        self.assertEqual(server.requests[0]["path"], "/api/v1/sms/status/a%2Fb%3Fc")
        for wrong in ("..", ""):
            with self.assertRaises(ValueError):
                client.do(lambda gateway, one=wrong: gateway.messages.cancel(one))

    def test_credentials_of_one_kind_are_needed_and_not_shown(self):
        for wrong in [
            {},
            {"client_id": "a"},
            {"client_id": "a", "client_secret": ""},
            {**CREDENTIALS, "api_key": "sk-1"},
        ]:
            with self.assertRaises(ValueError):
                self.kind.gateway_class(base_url="https://gateway.test", **wrong)
        client, _ = self.start()
        client.do(lambda gateway: gateway.sms.send(**SMS))
        transport = client.gateway.sms._call
        self.assertNotIn("hidden-secret", repr(transport._settings))
        self.assertNotIn("token-1", repr(transport._tokens._current))


MESSAGE = {
    **ACCEPTED_SMS,
    "client_id": "client_1",
    # A later release may add one.
    "status": "a new status",
    **dict.fromkeys(
        ["from", "cost", "currency", "error", "scheduled_at", "sent_at", "delivered_at", "read_at"]
    ),
    "type": "transactional",
    "expires_at": "2026-11-20T10:00:00.000Z",
    "history": [],
}
ACCOUNT = {"client_id": "client_1", "name": "Test", "webhook_url": None, "limits": {}}


class SyncRequests(Requests, unittest.TestCase):
    kind = Sync


class AsyncRequests(Requests, unittest.TestCase):
    kind = Async

    def test_a_canceled_call_does_not_end_the_token_request_of_the_others(self):
        client, server = self.start(token_replies=["hang"], max_retries=1)

        async def two():
            first = asyncio.create_task(client.gateway.sms.send(**SMS))
            second = asyncio.create_task(client.gateway.sms.send(**SMS))
            await asyncio.sleep(0.2)
            first.cancel()
            server.released.set()
            return await second

        self.assertEqual(client._loop.run_until_complete(two()).status, "queued")
        self.assertEqual(len(server.requests), 1)


if __name__ == "__main__":
    unittest.main()

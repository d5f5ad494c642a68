"""What a caller can set and learn, for MessagingGateway and AsyncMessagingGateway alike."""

from __future__ import annotations

import asyncio
import copy
import enum
import hashlib
import multiprocessing
import os
import pickle
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import httpx
from fault_server import ACCEPTED_SMS, FaultServer, refusal
from test_requests import CREDENTIALS, MESSAGE, SMS, UNAVAILABLE, Async, Sync

import messaging_gateway
from messaging_gateway import (
    ApiError,
    ArgumentError,
    AsyncMessagingGateway,
    ConnectionError,
    GatewayError,
    InvalidRequestError,
    MessagingGateway,
    ServerError,
    TimeoutError,
    response_of,
)


class Store:
    """Keeps texts, for both kinds of clients."""

    def __init__(self, is_async, fails=False, hangs=False):
        self.kept, self.seconds, self._async, self._fails, self._hangs = {}, None, is_async, fails, hangs
        self.calls, self.released = [], threading.Event()

    def get(self, key):
        return self._result(lambda: self.kept.get(key))

    def set(self, key, value, seconds):
        def keep():
            self.kept[key], self.seconds = value, seconds

        return self._result(keep)

    def _result(self, work):
        self.calls.append(work)
        if self._fails:
            raise OSError("no store")
        if self._hangs and not self._async:
            self.released.wait(60)

        async def later():
            while self._hangs and not self.released.is_set():
                await asyncio.sleep(0.02)
            return work()

        return later() if self._async else work()


class AsyncStore:
    async def get(self, key):
        pass

    async def set(self, key, value, seconds):
        pass


class Status(str, enum.Enum):
    FAILED = "failed"


class Options:
    kind: type[Sync]

    def start(self, *replies, token_replies=(), **options):
        server = FaultServer(*replies, token_replies=token_replies)
        client = self.kind(server.base_url, **options)
        self.addCleanup(server.close)
        self.addCleanup(client.close)
        return client, server

    def send(self, client, **options):
        return client.do(lambda gateway: gateway.sms.send(**SMS, **options))

    def test_a_call_and_its_token_have_one_budget_of_retries(self):
        client, server = self.start(token_replies=[UNAVAILABLE] * 20)
        with self.assertRaises(ServerError):
            self.send(client)
        self.assertEqual((len(server.token_requests), client.waits), (4, [0.5, 1.0, 2.0]))

    def test_limits_of_a_call_are_those_of_its_token_request_too(self):
        client, server = self.start(token_replies=["hang"])
        with self.assertRaises(TimeoutError):
            self.send(client, timeout_seconds=0.2, max_retries=0)
        # None, where a busy machine has not read it by then.
        self.assertLessEqual(len(server.token_requests), 1)

    def test_a_failed_token_request_is_repeated_also_for_what_must_not_be_done_twice(self):
        verified = (200, {"otp_id": "otp_1", "verified": True, "status": "verified"}, {})
        client, server = self.start(verified, token_replies=[UNAVAILABLE])
        client.do(lambda gateway: gateway.otp.verify(otp_id="otp_1", code="1234"))
        self.assertEqual((len(server.token_requests), len(server.requests)), (2, 1))

    def test_no_wait_begins_that_would_end_after_the_deadline(self):
        client, _ = self.start(token_replies=[UNAVAILABLE] * 20)
        with self.assertRaises(ServerError):
            self.send(client, deadline_seconds=0.9)
        self.assertEqual(client.waits, [0.5])

    def test_retries_are_switched_off_for_one_call(self):
        client, server = self.start(UNAVAILABLE)
        with self.assertRaises(ServerError):
            self.send(client, max_retries=0)
        self.assertEqual(len(server.requests), 1)

    def test_a_shared_token_request_that_never_ends_is_not_waited_for(self):
        client, server = self.start(token_replies=["hang"])
        with self.assertRaises(TimeoutError):
            self.send(client, timeout_seconds=0.2, max_retries=0)
        server.released.set()
        self.assertEqual(self.send(client).status, "queued")

    def test_what_cannot_be_sent_is_an_argument_error_before_anything_is_sent(self):
        client, server = self.start()
        for wrong in [
            {"idempotency_key": ""},
            {"idempotency_key": "€"},
            {"idempotency_key": "a\nb"},
            {"timeout_seconds": float("inf")},
            {"timeout_seconds": float("nan")},
            {"timeout_seconds": 0},
            {"deadline_seconds": -1},
            {"max_retries": -1},
            {"max_retries": 1.5},
            {"headers": {"X-Tenant": "€"}},
            {"headers": {"X Tenant": "a"}},
        ]:
            with self.subTest(wrong), self.assertRaises(ArgumentError):
                self.send(client, **wrong)
        with self.assertRaises(ArgumentError):
            client.do(lambda gateway: gateway.sms.send(to="+44", message=object()))
        with self.assertRaises(TypeError):
            self.send(client, timeout=1)
        self.assertEqual((server.requests, server.token_requests), ([], []))
        for wrong in (1.5, -1, float("nan"), "x"):
            with self.subTest(max_items=wrong), self.assertRaises(ArgumentError):
                client.first_page(lambda gateway, one=wrong: gateway.messages.list(max_items=one))
        with self.assertRaises(ArgumentError):
            client.do(lambda gateway: gateway.messages.get("a" * 70_000))
        self.assertEqual((server.requests, server.token_requests), ([], []))

    def test_a_client_that_cannot_work_is_an_argument_error(self):
        async def hook(_):
            pass

        class AsyncHook:
            async def __call__(self, _):
                pass

        for wrong in [
            {"api_key": "sk\n1"},
            {"api_key": "sk-é"},
            {"api_key": "sk-1\n"},
            {"api_key": 5},
            {**CREDENTIALS, "client_secret": 5},
            {**CREDENTIALS, "timeout_seconds": float("inf")},
            {**CREDENTIALS, "max_retries": 1.5},
            {**CREDENTIALS, "base_url": "https://user:password@gateway.test"},
            {**CREDENTIALS, "base_url": "https://gateway.test?a=1"},
            {**CREDENTIALS, "base_url": "https://gateway.test:port"},
            {**CREDENTIALS, "base_url": 5},
            {**CREDENTIALS, "http_client": 5},
            {**CREDENTIALS, "token_store": 5},
            {**CREDENTIALS, "on_request": 5},
            {**CREDENTIALS, "on_request": hook},
            {**CREDENTIALS, "on_response": AsyncHook()},
        ]:
            with self.subTest(wrong), self.assertRaises(ArgumentError) as caught:
                self.kind.gateway_class(**{"base_url": "https://gateway.test", **wrong})
            self.assertNotIn("password", str(caught.exception))

    def test_a_strange_answer_is_a_typed_error(self):
        for reply in [(200, "", {}), (200, "null", {}), (200, "[]", {})]:
            client, _ = self.start(reply)
            with self.assertRaises(ApiError) as caught:
                client.do(lambda gateway: gateway.account.get())
            self.assertEqual(caught.exception.error, "unexpected_response")
        for token in [
            {"token_type": "bearer"},
            {"access_token": ""},
            {"access_token": "a"},
            {"access_token": "a\nb", "expires_in": 3600},
            {"access_token": "é", "expires_in": 3600},
            {"access_token": "a", "expires_in": float("inf")},
        ]:
            client, server = self.start(token_replies=[(200, token, {})])
            with self.assertRaises(ApiError):
                self.send(client)
            self.assertEqual(server.requests, [])

    def test_an_answer_has_its_headers_request_id_and_replay_flag(self):
        headers = {"X-Request-Id": "req_7", "Idempotent-Replayed": "true", "X-RateLimit-Remaining": "9"}
        client, _ = self.start((202, ACCEPTED_SMS, headers))
        replayed, fresh = self.send(client), self.send(client)
        info = response_of(replayed)
        self.assertEqual((info.status, info.request_id, info.is_replay), (202, "req_7", True))
        self.assertEqual(info.headers["x-ratelimit-remaining"], "9")
        self.assertFalse(response_of(fresh).is_replay)
        self.assertEqual(replayed, fresh)
        with self.assertRaises(ArgumentError):
            response_of(copy.copy(replayed))

    def test_the_hooks_see_each_attempt_without_secrets_or_phone_numbers(self):
        requests, responses = [], []
        hooks = {"on_request": requests.append, "on_response": responses.append}
        client, _ = self.start(UNAVAILABLE, "drop", **hooks)
        self.send(client)
        token, send = "/api/v1/auth/token", "/api/v1/sms/send"
        expected = [(token, 1), (send, 1), (send, 2), (send, 3)]
        self.assertEqual([(one.path, one.attempt) for one in requests], expected)
        outcomes = [(one.status, type(one.error)) for one in responses]
        nothing = type(None)
        self.assertEqual(outcomes, [(200, nothing), (503, nothing), (None, ConnectionError), (202, nothing)])
        self.assertNotRegex(repr([requests, responses]), "hidden-secret|token-1|447700900123")

    def test_a_hook_that_fails_does_not_make_a_sent_message_look_as_if_it_was_not(self):
        def fail(_):
            raise OSError("the log is full")

        client, server = self.start(on_response=fail, on_request=fail)
        self.assertEqual(self.send(client).status, "queued")
        self.assertEqual(len(server.requests), 1)

    def test_further_headers_are_sent_and_replace_none_of_its_own(self):
        client, server = self.start(headers={"X-Tenant": "a", "X-Trace": "1"})
        self.send(client, headers={"x-trace": "2", "authorization": "mine", "idempotency-key": "mine"})
        headers = server.requests[0]["headers"]
        self.assertEqual((headers["x-tenant"], headers["x-trace"]), ("a", "2"))
        self.assertEqual(headers["authorization"], "Bearer token-1")
        self.assertNotEqual(headers["idempotency-key"], "mine")

    def test_a_raw_request_goes_the_way_of_every_other(self):
        client, server = self.start(UNAVAILABLE, (200, {"new": True}, {"X-Request-Id": "req_9"}), UNAVAILABLE)
        answer = client.do(lambda gateway: gateway.request("GET", "/api/v1/new", query={"all": True}))
        self.assertEqual((answer["new"], response_of(answer).request_id), (True, "req_9"))
        self.assertEqual(server.requests[1]["path"], "/api/v1/new?all=true")
        with self.assertRaises(ServerError):
            client.do(lambda gateway: gateway.request("POST", "/api/v1/new", body={"a": 1}))
        self.assertEqual(len(server.requests), 3)
        with self.assertRaises(ArgumentError):
            client.do(lambda gateway: gateway.request("GET", "api/v1/new"))

    def test_a_token_store_gives_one_token_to_many_processes(self):
        store = Store(self.kind is Async)
        client, server = self.start(token_store=store)
        self.send(client)
        other = self.kind(server.base_url, token_store=store)
        self.addCleanup(other.close)
        self.send(other)
        self.assertEqual((len(server.token_requests), store.seconds), (1, 3540))
        refused = self.kind(server.base_url, token_store=store)
        self.addCleanup(refused.close)
        server._replies.append(refusal(401, "unauthorized"))
        self.send(refused)
        self.assertEqual(server.requests[-1]["headers"]["authorization"], "Bearer token-2")

    def test_a_token_store_gives_no_token_to_other_credentials(self):
        store = Store(self.kind is Async)
        client, server = self.start(token_store=store)
        self.send(client)
        for options, requests in [({"client_secret": "cs_test_1"}, 2), ({}, 2)]:
            other = self.kind(server.base_url + "/", token_store=store, **options)
            self.addCleanup(other.close)
            self.send(other)
            self.assertEqual(len(server.token_requests), requests)
        secret = hashlib.sha256(b"hidden-secret").hexdigest()[:16]
        # The client in TypeScript has the same keys.
        self.assertIn(f"messaging-gateway-token:{server.base_url}:client_1:{secret}", store.kept)
        self.assertNotRegex(",".join(store.kept), "hidden-secret|cs_test_1")

    def test_a_token_store_that_hangs_does_not_stop_the_sending(self):
        store = Store(self.kind is Async, hangs=True)
        self.addCleanup(store.released.set)
        client, _ = self.start(token_store=store)
        self.assertEqual(self.send(client, max_retries=0).status, "queued")
        self.assertTrue(store.calls)

    def test_a_token_store_that_is_out_of_order_does_not_stop_the_sending(self):
        client, _ = self.start(token_store=Store(self.kind is Async, fails=True))
        self.assertEqual(self.send(client).status, "queued")
        store = Store(self.kind is Async)
        client, _ = self.start(token_store=store)
        store.kept[client.gateway.sms._call._settings.store_key] = '{"token": 1}'
        self.assertEqual(self.send(client).status, "queued")

    def test_an_enum_and_a_truth_value_are_sent_as_their_values(self):
        client, server = self.start(*[(200, {"messages": []}, {})] * 2)
        client.first_page(lambda gateway: gateway.messages.list(status=Status.FAILED))
        self.assertEqual(server.requests[0]["path"], "/api/v1/messages?status=failed")

    def test_a_list_ends_after_max_items_and_its_pages_fetch_the_next(self):
        def pages():
            first = {"messages": [{**MESSAGE, "message_id": one} for one in "ab"], "next_cursor": "c1"}
            return (200, first, {"X-Request-Id": "req_8"}), (200, {"messages": [MESSAGE]}, {})

        for most, count, requests in [(2, 2, 1), (None, 3, 2)]:
            client, server = self.start(*pages())
            found = client.items(lambda gateway, one=most: gateway.messages.list(max_items=one))
            self.assertEqual((len(found), len(server.requests)), (count, requests))
        client, server = self.start(*pages())
        first = client.first_page(lambda gateway: gateway.messages.list(status="failed"))
        self.assertEqual(response_of(first).request_id, "req_8")
        second = client.do(lambda _: first.next_page())
        self.assertEqual((len(second.items), second.next_cursor), (1, None))
        self.assertIsNone(client.do(lambda _: second.next_page()))
        self.assertEqual(server.requests[1]["path"], "/api/v1/messages?status=failed&cursor=c1")

    def test_errors_can_be_pickled_and_copied(self):
        details = [{"field": "to", "message": "must be a phone number"}]
        client, _ = self.start(refusal(400, "invalid_request", details=details))
        with self.assertRaises(InvalidRequestError) as caught:
            self.send(client)
        error = caught.exception
        for same in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            self.assertEqual((type(same), str(same)), (InvalidRequestError, str(error)))
            self.assertEqual(same.details, error.details)
        lost = pickle.loads(pickle.dumps(TimeoutError("late", never_sent=True)))
        self.assertEqual((type(lost), str(lost), lost.never_sent), (TimeoutError, "late", True))


class SyncOptions(Options, unittest.TestCase):
    kind = Sync

    def test_a_client_that_was_given_stays_open(self):
        server = FaultServer()
        self.addCleanup(server.close)
        with httpx.Client() as mine:
            with MessagingGateway(base_url=server.base_url, **CREDENTIALS, http_client=mine) as gateway:
                gateway.sms.send(**SMS)
            self.assertFalse(mine.is_closed)
        with MessagingGateway(base_url=server.base_url, **CREDENTIALS) as gateway:
            gateway.sms.send(**SMS)
            own = gateway._transport._client()
        self.assertTrue(own.is_closed)

    def test_a_given_client_that_is_closed_is_a_typed_error(self):
        mine = httpx.Client()
        mine.close()
        gateway = MessagingGateway(base_url="http://127.0.0.1:9", **CREDENTIALS, http_client=mine)
        with self.assertRaises(GatewayError):
            gateway.sms.send(**SMS)

    def test_all_items_as_a_list(self):
        client, _ = self.start((200, {"messages": [MESSAGE]}, {}))
        self.assertEqual(len(client.gateway.messages.list().to_list()), 1)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_a_fork_while_another_thread_renews_the_token_does_not_hang(self):
        server = FaultServer(token_replies=["hang"])
        self.addCleanup(server.close)
        gateway = MessagingGateway(base_url=server.base_url, **CREDENTIALS, max_retries=0, timeout_seconds=30)
        threading.Thread(target=lambda: self.assertRaises(GatewayError, gateway.sms.send, **SMS)).start()
        while not server.token_requests:
            threading.Event().wait(0.01)
        child = multiprocessing.get_context("fork").Process(
            target=lambda: os._exit(0 if gateway.sms.send(**SMS).status == "queued" else 1)
        )
        child.start()
        child.join(20)
        server.released.set()
        self.assertEqual(child.exitcode, 0)

    def test_a_token_store_for_asyncio_is_refused(self):
        with self.assertRaises(ArgumentError):
            MessagingGateway(base_url="https://gateway.test", **CREDENTIALS, token_store=AsyncStore())

    def test_the_package_has_its_version(self):
        self.assertRegex(messaging_gateway.__version__, r"^\d+\.\d+\.\d+")


class AsyncOptions(Options, unittest.TestCase):
    kind = Async

    def test_one_object_is_used_in_one_event_loop_after_another(self):
        server = FaultServer()
        self.addCleanup(server.close)
        gateway = AsyncMessagingGateway(base_url=server.base_url, **CREDENTIALS)
        for _ in range(2):
            self.assertEqual(asyncio.run(gateway.sms.send(**SMS)).status, "queued")
        asyncio.run(gateway.close())

    def test_one_object_is_used_in_several_event_loops_at_once(self):
        server = FaultServer()
        self.addCleanup(server.close)
        gateway = AsyncMessagingGateway(base_url=server.base_url, **CREDENTIALS)
        with ThreadPoolExecutor(6) as pool:
            sent = list(pool.map(lambda _: asyncio.run(gateway.sms.send(**SMS)).status, range(6)))
        self.assertEqual(sent, ["queued"] * 6)
        # Each loop may request a token of its own; later ones use what is there.
        self.assertLessEqual(len(server.token_requests), 6)
        seen = len(server.token_requests)
        asyncio.run(gateway.sms.send(**SMS))
        self.assertEqual(len(server.token_requests), seen)

    def test_a_given_client_of_another_event_loop_is_a_clear_error_or_works(self):
        server = FaultServer()
        self.addCleanup(server.close)
        mine = httpx.AsyncClient()
        gateway = AsyncMessagingGateway(base_url=server.base_url, **CREDENTIALS, http_client=mine)
        asyncio.run(gateway.sms.send(**SMS))
        try:
            asyncio.run(gateway.sms.send(**SMS))
        except ArgumentError as error:
            self.assertIn("event loop", str(error))

    def test_a_client_that_was_given_stays_open(self):
        server = FaultServer()
        self.addCleanup(server.close)

        async def use():
            async with httpx.AsyncClient() as mine:
                options = {"base_url": server.base_url, **CREDENTIALS, "http_client": mine}
                async with AsyncMessagingGateway(**options) as gateway:
                    await gateway.sms.send(**SMS)
                return mine.is_closed

        # Its own `async with` has closed it only after the return value was known.
        self.assertFalse(asyncio.run(use()))

    def test_all_items_as_a_list(self):
        client, _ = self.start((200, {"messages": [MESSAGE]}, {}))
        self.assertEqual(len(client._loop.run_until_complete(client.gateway.messages.list().to_list())), 1)


if __name__ == "__main__":
    unittest.main()

"""What a user does with the wheel, also from a process pool."""

import asyncio
import sys
from concurrent.futures import ProcessPoolExecutor

from messaging_gateway import (
    AsyncMessagingGateway,
    InvalidRequestError,
    MessagingGateway,
    RateLimitError,
    __version__,
    response_of,
    verify_webhook,
)
from messaging_gateway.testing import fake_gateway

OPTIONS = {"base_url": sys.argv[1], "client_id": "client_1", "client_secret": "secret"}


def send(to: str) -> str:
    with MessagingGateway(**OPTIONS) as gateway:
        return gateway.sms.send(to=to, message="Hello").message_id


async def send_async() -> int:
    async with AsyncMessagingGateway(**OPTIONS) as gateway:
        await gateway.sms.send(to="+447700900123", message="Hello")
        return len([one async for one in gateway.messages.list(limit=2)])


def main() -> None:
    with MessagingGateway(**OPTIONS) as gateway:
        sent = gateway.sms.send(to="+447700900123", message="Hello")
        assert response_of(sent).request_id == "req_1"
        assert len(list(gateway.messages.list(limit=2))) == 3
        for to, kind in [("1", InvalidRequestError), ("+429", RateLimitError)]:
            try:
                gateway.sms.send(to=to, message="Hello")
                raise AssertionError("not refused")
            except kind:
                pass
    with MessagingGateway(base_url=sys.argv[1], api_key="sk-test-1") as tester:
        assert [one.body for one in tester.test.list_outbox(to="+447700900123")] == ["Hello"]
    assert asyncio.run(send_async()) == 3
    # The error of another process comes as it is.
    with ProcessPoolExecutor(1) as pool:
        try:
            pool.submit(send, "1").result()
            raise AssertionError("not refused")
        except InvalidRequestError as error:
            assert error.details[0].field == "to"
        assert pool.submit(send, "+447700900123").result()
    fake = fake_gateway()
    message = fake.gateway.sms.send(to="+447700900123", message="Hello")
    webhook = fake.set_status(message.message_id, "delivered")
    assert verify_webhook(webhook.body, webhook.headers, fake.webhook_secret).event == "sms.delivered"
    assert __version__
    print("OK")


if __name__ == "__main__":
    main()

"""The Python client against the running gateway, behind a proxy that first gives an expired token, and loses an answer."""

import asyncio
import os

from messaging_gateway import (
    ApiError,
    AsyncMessagingGateway,
    AuthenticationError,
    InvalidRequestError,
    MessagingGateway,
    NotFoundError,
    models,
)

TO = "+447700900123"
OPTIONS = {name: os.environ[name.upper()] for name in ("base_url", "client_id", "client_secret")}

with MessagingGateway(**OPTIONS) as gateway:
    # The first token has expired: the gateway refuses it, and the client gets another.
    ids = {gateway.sms.send(to=TO, message="Hello", reference="pages").message_id}
    # The answer is lost after the gateway has accepted the message: the repeat gets it, and nothing is sent again.
    kept = gateway.whatsapp.send(to=TO, message="Hello", reference="lost")
    assert [one.message_id for one in gateway.messages.list(reference="lost")] == [kept.message_id]

    for count in range(4):
        ids.add(gateway.sms.send(to=TO, message=f"Hello {count}", reference="pages").message_id)
    listed = [one.message_id for one in gateway.messages.list(reference="pages", limit=2)]
    assert len(listed) == len(ids) and set(listed) == ids, listed

    batch = gateway.sms.send_bulk(
        message="Hello {{name}}", recipients=[{"to": TO, "variables": {"name": "Ada"}}, models.BulkRow(to="+33")]
    )
    assert gateway.batches.get(batch.batch_id).total == 2
    dry_run = gateway.sms.dry_run_bulk(message="Hello", recipients=[TO, "+33"])
    assert (dry_run.accepted, dry_run.rejected) == (1, 1), dry_run
    otp = gateway.otp.send(to=TO)
    assert not gateway.otp.verify(otp_id=otp.otp_id, code="0000").verified
    assert gateway.account.update(webhook_url="https://example.com/webhooks").webhook_url
    assert gateway.account.update(webhook_url=None).webhook_url is None
    assert gateway.account.get_usage(interval="day").currency

    try:
        gateway.sms.send(to="1", message="")
        raise AssertionError("not refused")
    except InvalidRequestError as error:
        assert [one.field for one in error.details] == ["to", "message"], error
        assert error.request_id, error
    try:
        gateway.messages.get("msg_01KC9V7Q8Z4N6M2R5T8W1Y3X0A")
        raise AssertionError("found")
    except NotFoundError as error:
        assert error.error == "not_found", error

try:
    MessagingGateway(**{**OPTIONS, "client_secret": "wrong"}).account.get()
    raise AssertionError("let in")
except AuthenticationError as error:
    assert isinstance(error, ApiError) and error.error == "invalid_client", error


async def with_asyncio():
    async with AsyncMessagingGateway(**OPTIONS) as gateway:
        sends = [gateway.sms.send(to=TO, message=f"At once {count}", reference="async") for count in range(5)]
        ids = {one.message_id for one in await asyncio.gather(*sends)}
        assert {one.message_id async for one in gateway.messages.list(reference="async", limit=2)} == ids
        assert len((await gateway.messages.list(reference="async", limit=2)).items) == 2


asyncio.run(with_asyncio())

"""Calls every operation with the classes that openapi-generator makes for Python."""

import os
from datetime import datetime, timedelta, timezone

import openapi_client as gateway

TO = "+447700900123"
configuration = gateway.Configuration(host=os.environ["BASE_URL"])
client = gateway.ApiClient(configuration)
credentials = gateway.TokenRequest(
    client_id=os.environ["CLIENT_ID"], client_secret=os.environ["CLIENT_SECRET"], grant_type="client_credentials"
)
configuration.access_token = gateway.AuthenticationApi(client).issue_token(credentials).access_token
sending, messages = gateway.SendingApi(client), gateway.MessagesApi(client)
passwords, accounts = gateway.OneTimePasswordsApi(client), gateway.AccountApi(client)

in_an_hour = datetime.now(timezone.utc) + timedelta(hours=1)
sent = sending.send_sms(gateway.SmsMessage(to=TO, message="Hello", scheduled_at=in_an_hour))
found = messages.get_message_status(sent.message_id)
assert (found.message_id, found.status) == (sent.message_id, gateway.MessageStatus.SCHEDULED), found
assert messages.cancel_message(sent.message_id).status == gateway.MessageStatus.CANCELED

ada = gateway.BulkRow(to=TO, variables={"name": "Ada", "count": 2})
recipients = [gateway.BulkRecipient(ada), gateway.BulkRecipient("+33")]
batch = sending.send_bulk_sms(gateway.BulkSms(message="Hello {{name}}", recipients=recipients))
assert (batch.accepted, batch.errors[0].index) == (1, 1), batch
counts = messages.get_message_status(batch.batch_id)
assert (counts.batch_id, counts.total) == (batch.batch_id, 2), counts

parameters = gateway.TemplateParameters(header="Hello", body=["Ada", "today"])
template = gateway.WhatsappTemplate(name="parcel", language="en_GB", parameters=parameters)
sending.send_whatsapp(gateway.WhatsappMessage(to=TO, type=gateway.WhatsappType.TEMPLATE, template=template))
otp = passwords.send_otp(gateway.OtpMessage(to=TO))
result = passwords.verify_otp(gateway.OtpVerification(otp_id=otp.otp_id, code="0000"))
assert not result.verified and result.attempts_remaining < 5, result
assert messages.list_messages(channel=gateway.Channel.SMS, limit=2).messages
url = "https://example.com/webhooks"
assert accounts.update_account(gateway.AccountUpdate(webhook_url=url)).webhook_url == url
assert accounts.get_account().client_id == os.environ["CLIENT_ID"]
assert isinstance(accounts.get_usage(interval="day").usage, list)
assert accounts.rotate_webhook_secret().webhook_secret.startswith("whsec_")

try:
    # A valid number for the generated check of the pattern, but of no country.
    sending.send_sms(gateway.SmsMessage(to="+9990000000", message="x"))
except gateway.exceptions.BadRequestException as refused:
    assert refused.data.details[0].var_field == "to", refused.data
else:
    raise AssertionError("not refused")

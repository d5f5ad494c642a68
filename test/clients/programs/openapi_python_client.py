"""Calls every operation with the client that openapi-python-client generates."""

import importlib
import os
import pkgutil
import sys
from datetime import datetime, timedelta, timezone

import messaging_gateway_client as generated
from messaging_gateway_client import AuthenticatedClient, Client, models
from messaging_gateway_client.api.account import get_account, get_usage, rotate_webhook_secret, update_account
from messaging_gateway_client.api.authentication import issue_token
from messaging_gateway_client.api.messages import cancel_message, get_message_status, list_messages
from messaging_gateway_client.api.one_time_passwords import send_otp, verify_otp
from messaging_gateway_client.api.sending import send_bulk_sms, send_sms, send_whatsapp

TO = "+447700900123"


def expect(answer, kind, status):
    if answer.status_code != status or not isinstance(answer.parsed, kind):
        sys.exit(f"{answer.status_code} instead of {status}: {answer.content!r}")
    return answer.parsed


for module in pkgutil.walk_packages(generated.__path__, f"{generated.__name__}."):
    importlib.import_module(module.name)

base_url = os.environ["BASE_URL"]
credentials = models.TokenRequest(
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    grant_type=models.TokenRequestGrantType.CLIENT_CREDENTIALS,
)
token = expect(issue_token.sync_detailed(client=Client(base_url), body=credentials), models.AccessToken, 200)
client = AuthenticatedClient(base_url, token.access_token)

sms = models.SmsMessage(
    to=TO, message="Hello", scheduled_at=datetime.now(timezone.utc) + timedelta(hours=1), reference="python"
)
sent = expect(send_sms.sync_detailed(client=client, body=sms), models.AcceptedSms, 202)
status = expect(get_message_status.sync_detailed(sent.message_id, client=client), models.MessageOrBatch, 200)
assert status.status == models.MessageStatus.SCHEDULED
canceled = expect(cancel_message.sync_detailed(sent.message_id, client=client), models.Message, 200)
assert canceled.status == models.MessageStatus.CANCELED

ada = models.BulkRow(to=TO, variables=models.TemplateVariables.from_dict({"name": "Ada", "count": 2}))
bulk = models.BulkSms(message="Hello {{name}}", recipients=[ada, "+33"])
batch = expect(send_bulk_sms.sync_detailed(client=client, body=bulk), models.AcceptedBatch, 202)
assert (batch.accepted, batch.errors[0].index) == (1, 1)
counts = expect(get_message_status.sync_detailed(batch.batch_id, client=client), models.MessageOrBatch, 200)
assert counts.total == 2

template = models.WhatsappTemplate(
    name="parcel", language="en_GB", parameters=models.TemplateParameters(header="Hello", body=["Ada", "today"])
)
whatsapp = models.WhatsappMessage(to=TO, type_=models.WhatsappType.TEMPLATE, template=template)
expect(send_whatsapp.sync_detailed(client=client, body=whatsapp), models.AcceptedWhatsapp, 202)

otp = expect(send_otp.sync_detailed(client=client, body=models.OtpMessage(to=TO)), models.SentOtp, 202)
attempt = models.OtpVerification(code="0000", otp_id=otp.otp_id)
wrong = expect(verify_otp.sync_detailed(client=client, body=attempt), models.OtpVerificationResult, 200)
assert not wrong.verified and wrong.attempts_remaining < 5

page = expect(list_messages.sync_detailed(client=client, channel=models.Channel.SMS, limit=2), models.MessageList, 200)
assert len(page.messages) > 0
url = "https://example.com/webhooks"
change = models.AccountUpdate(webhook_url=url)
assert expect(update_account.sync_detailed(client=client, body=change), models.Account, 200).webhook_url == url
expect(get_account.sync_detailed(client=client), models.Account, 200)
day = models.GetUsageInterval.DAY
expect(get_usage.sync_detailed(client=client, interval=day), models.Usage, 200)
expect(rotate_webhook_secret.sync_detailed(client=client), models.WebhookSecret, 200)

refused = expect(send_sms.sync_detailed(client=client, body=models.SmsMessage(to="1", message="x")), models.ErrorResponse, 400)
assert refused.details[0].field == "to"

"""Values of the formats that JSON Schema only names. No case is changed: what the document allows is sent as it was drawn."""

import base64
import os
from datetime import datetime, timedelta, timezone

import schemathesis
from hypothesis import strategies as st

STARTED = datetime.now(timezone.utc)
PHONE_NUMBERS = st.integers(0, 10**6 - 1).map(lambda number: f"+447400{number:06d}")
WEBHOOK_ENDPOINT = os.environ["WEBHOOK_ENDPOINT"]
NAMES = st.from_regex(r"\A[A-Z][A-Za-z0-9]{0,9}\Z")


# A queue and the role that may send to it are in one account.
ACCOUNT = "123456789012"


def unpadded(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def time_ahead(minutes):
    return (STARTED + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


schemathesis.openapi.format("phone-number", PHONE_NUMBERS)
schemathesis.openapi.format("sender", st.one_of(PHONE_NUMBERS, NAMES))
# Positions of both lists have the same form.
for name in ("cursor", "delivery-cursor"):
    schemathesis.openapi.format(name, st.just(os.environ["CURSOR"]))
schemathesis.openapi.format("suppression-cursor", PHONE_NUMBERS.map(unpadded))
schemathesis.openapi.format("origin", st.integers(0, 10**6).map(lambda number: f"https://host{number}.example.com"))
schemathesis.openapi.format("queue-arn", NAMES.map(lambda name: f"arn:aws:sqs:eu-west-1:{ACCOUNT}:{name}"))
schemathesis.openapi.format("bus-arn", NAMES.map(lambda name: f"arn:aws:events:eu-west-1:{ACCOUNT}:event-bus/{name}"))
schemathesis.openapi.format("role-arn", NAMES.map(lambda name: f"arn:aws:iam::{ACCOUNT}:role/{name}"))
schemathesis.openapi.format("date-time", st.integers(60, 250_000).map(time_ahead))
schemathesis.openapi.format("uri", st.integers(0, 10**6).map(lambda number: f"{WEBHOOK_ENDPOINT}/{number}"))


@schemathesis.auth().skip_for(path=["/api/v1/auth/token"])
class ApiKey:
    def get(self, case, context):
        return os.environ["API_KEY"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"

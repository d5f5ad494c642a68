"""Values of the formats of the document that JSON Schema does not define, and of `uri`. No case is changed."""

import base64
import os

import schemathesis
from hypothesis import strategies as st

COUNTRIES = [("+447400", 6), ("+3361", 7), ("+491511", 7), ("+919811", 6), ("+234803", 7), ("+55119", 8), ("+659", 7)]
PHONE_NUMBERS = st.one_of(
    *(st.integers(0, 10**digits - 1).map(f"{prefix}{{:0{digits}d}}".format) for prefix, digits in COUNTRIES)
)
NAMES = st.from_regex(r"\A[A-Z][A-Za-z0-9]{0,9}\Z")
# A queue and the role that may send to it are in one account.
ACCOUNT = "123456789012"


def unpadded(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


# Which numbers are possible is known to libphonenumber.
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
# Webhooks are posted to it: a drawn one would be a stranger's.
schemathesis.openapi.format("uri", st.integers(0, 10**6).map((os.environ["WEBHOOK_ENDPOINT"] + "/{}").format))

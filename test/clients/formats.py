"""Values of the formats that JSON Schema only names. No case is changed: what the document allows is sent as it was drawn."""

import os
from datetime import datetime, timedelta, timezone

import schemathesis
from hypothesis import strategies as st

STARTED = datetime.now(timezone.utc)
PHONE_NUMBERS = st.integers(0, 10**6 - 1).map(lambda number: f"+447400{number:06d}")
NAMES = st.from_regex(r"\A[A-Z][A-Za-z0-9]{0,9}\Z")


def time_ahead(minutes):
    return (STARTED + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


schemathesis.openapi.format("phone-number", PHONE_NUMBERS)
schemathesis.openapi.format("sender", st.one_of(PHONE_NUMBERS, NAMES))
schemathesis.openapi.format("cursor", st.just(os.environ["CURSOR"]))
schemathesis.openapi.format("date-time", st.integers(60, 250_000).map(time_ahead))
schemathesis.openapi.format("uri", st.integers(0, 10**6).map(lambda number: f"https://example.com/{number}"))


@schemathesis.auth().skip_for(path=["/api/v1/auth/token"])
class ApiKey:
    def get(self, case, context):
        return os.environ["API_KEY"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"

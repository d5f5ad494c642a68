"""Schemathesis hooks: makes a case that the document calls valid one that the gateway must accept.

JSON Schema cannot say which numbers a country has, that a time lies ahead, or which ids there are. So what was drawn
for such a field is replaced by a value that keeps those rules too, chosen by a hash of the case, so that a run can be
repeated; all else stays as it was drawn. A case that breaks the document on purpose is left alone.
"""

import json
import os
import re
import zlib
from datetime import datetime, timedelta, timezone

import schemathesis
from schemathesis import GenerationMode
from schemathesis.generation.meta import TestPhase

STARTED = datetime.now(timezone.utc)
KNOWN = json.loads(os.environ["FUZZ_KNOWN"])
COUNTRIES = [("+447400", 6), ("+3361", 7), ("+491511", 7), ("+919811", 6), ("+234803", 7), ("+55119", 8), ("+659", 7)]
BULK = "/api/v1/sms/bulk"
CONTENT_WITHOUT_CAPTION = ("audio", "sticker")


@schemathesis.auth().skip_for(path=["/api/v1/auth/token", "/openapi.json", "/docs", "/docs/webhooks"])
class ApiKey:
    """Sent wherever the document asks for a credential, and nowhere else."""

    def get(self, case, context):
        return os.environ["FUZZ_API_KEY"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    draw = Draw(case)
    if isinstance(case.body, dict) and case.meta.phase.name != TestPhase.EXAMPLES:
        case.body = accepted_body(case.path, dict(case.body), draw)
    if isinstance(case.query, dict) and "cursor" in case.query:
        case.query["cursor"] = draw.one_of(KNOWN["cursors"])
    if isinstance(case.query, dict) and "to" in case.query:
        case.query["to"] = draw.phone_number()
    # Values from an earlier response stay.
    if case.meta.phase.name != TestPhase.STATEFUL and draw.often():
        for name in case.path_parameters or {}:
            known = KNOWN[case.method] if name == "message_id" else KNOWN.get(name)
            if known:
                case.path_parameters[name] = draw.one_of(known)
    key = "Idempotency-Key"
    if isinstance(case.headers.get(key), str):
        # A different key for every request, so that none repeats another request.
        case.headers[key] = f"{case.headers[key][:240]}.{draw.number:08x}"


class Draw:
    """Numbers that follow from the case."""

    def __init__(self, case):
        parts = [case.meta.phase.name, case.path, case.body, dict(case.query or {}), dict(case.path_parameters or {})]
        text = json.dumps(parts, default=repr)
        self.number = zlib.crc32(text.encode("utf-8", "surrogatepass"))

    def below(self, limit, salt=""):
        return zlib.crc32(f"{self.number}/{salt}".encode()) % limit

    def often(self):
        """For three cases of four; the fourth shows what is unknown."""
        return self.below(4, "often") > 0

    def mostly(self):
        """For seven of eight: of credentials only those that hold lead any further."""
        return self.below(8, "mostly") > 0

    def one_of(self, values, salt="one"):
        return values[self.below(len(values), salt)]

    def phone_number(self, salt=""):
        prefix, digits = self.one_of(COUNTRIES, f"country{salt}")
        return f"{prefix}{self.below(10**digits, f'digits{salt}'):0{digits}d}"

    def time_ahead(self):
        at = STARTED + timedelta(minutes=60 + self.below(250_000, "time"))
        return at.astimezone(timezone(timedelta(hours=self.below(24, "zone") - 12))).isoformat(timespec="seconds")


def accepted_body(path, body, draw):
    if path.endswith("/auth/token"):
        return known_credentials(body) if draw.mostly() else body
    if path.endswith("/otp/verify"):
        return known_password(body, draw)
    if isinstance(body.get("to"), str):
        body["to"] = draw.phone_number()
    legs = body["fallback"] if isinstance(body.get("fallback"), list) else []
    for leg in [body, *legs]:
        if isinstance(leg, dict) and isinstance(leg.get("from"), str) and re.search("[+\uff0b]", leg["from"]):
            leg["from"] = draw.phone_number("from")
        if path.endswith("/otp/send") and isinstance(leg, dict) and isinstance(leg.get("after_seconds"), int):
            # The waits end before the shortest-lived password does.
            leg["after_seconds"] = 10 + draw.below(20)
    for name in ("webhook_url", "url"):
        if isinstance(body.get(name), str):
            body[name] = f"{KNOWN['webhookEndpoint']}/{draw.number}"
    if isinstance(body.get("scheduled_at"), str):
        body["scheduled_at"] = draw.time_ahead()
    if path == BULK and isinstance(body.get("recipients"), list):
        body["recipients"] = with_a_good_row(body["recipients"], draw)
    if isinstance(body.get("media"), dict):
        body["media"] = sendable_media(body["media"], body.get("type"), draw)
    return with_template(body, draw)


def known_credentials(body):
    return {**body, "client_id": KNOWN["client_id"], "client_secret": KNOWN["client_secret"]}


def known_password(body, draw):
    if isinstance(body.get("otp_id"), str) and draw.often():
        body["otp_id"] = draw.one_of(KNOWN["passwords"])
    if isinstance(body.get("to"), str):
        body["to"] = draw.phone_number()
    if body.get("otp_id") is None and body.get("to") is None:
        body["otp_id"] = draw.one_of(KNOWN["passwords"])
    return body


def with_a_good_row(rows, draw):
    """Rows stay as they were drawn, each reported or sent; the first can be sent, else the whole would be refused."""
    numbered = [
        {**row, "to": draw.phone_number(f"row{index}")} if isinstance(row, dict) and index % 3 else row
        for index, row in enumerate(rows)
    ]
    return [{"to": draw.phone_number("first"), "message": "Hello"}, *numbered[1:]]


def sendable_media(media, content_type, draw):
    media = dict(media)
    if isinstance(media.get("url"), str):
        media["url"] = f"https://example.com/{draw.number}"
    if ("url" in media) == ("id" in media):
        media.pop("url", None)
        media.setdefault("id", str(draw.number))
    if content_type is not None and content_type != "document":
        media.pop("filename", None)
    if content_type in CONTENT_WITHOUT_CAPTION:
        media.pop("caption", None)
    return media


def with_template(body, draw):
    template = body.get("template")
    if isinstance(template, str) and "brand" in template and not isinstance(body.get("brand"), str):
        body["brand"] = "ACME"
    parameters = template.get("parameters") if isinstance(template, dict) else None
    header = parameters.get("header") if isinstance(parameters, dict) else None
    if isinstance(header, dict) and isinstance(header.get("media"), dict):
        header = {**header, "media": sendable_media(header["media"], "document", draw)}
        body["template"] = {**template, "parameters": {**parameters, "header": header}}
    if isinstance(template, dict) and len(json.dumps(body["template"], ensure_ascii=False).encode()) > 60_000:
        body["template"] = {**template, "parameters": {}}
    return body

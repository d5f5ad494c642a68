"""Receives webhooks on PORT. Python 3.10 or later, nothing else.

WEBHOOK_SECRET is one secret, or during a rotation the old and the new one, separated by a space.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY_BYTES_MAX = 1 << 20
SECRETS = os.environ.get("WEBHOOK_SECRET", "").split()
seen = set()  # In production, use a table with a unique key, which outlives a restart.


def same(expected, given):
    return hmac.compare_digest(expected.encode(), given.encode())


def verify_with(secret, body, headers):
    """webhook-signature: Standard Webhooks. It covers the id and the time too, so an old request can't be replayed."""
    delivery_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if delivery_id == "" or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(same(expected, signature) for signature in signatures)


def verify(body, headers):
    """Whether the signature is valid with any of the secrets, so that webhooks are accepted during a rotation."""
    return any(verify_with(secret, body, headers) for secret in SECRETS)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # Of each read: a caller may send less than it announced.

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > BODY_BYTES_MAX:
            self.answer(401)
            return
        # Verify the bytes as received: JSON that is parsed and written again can differ.
        body = self.rfile.read(int(length))
        if not verify(body, self.headers):
            self.answer(401)
            return
        delivery_id = self.headers["webhook-id"]
        if delivery_id not in seen:
            notification = json.loads(body)
            # Events differ in their fields: those of opt-outs have no status.
            fields = [notification["data"].get(name) for name in ("message_id", "status")]
            # Store it here, and process it after the response.
            line = " ".join([delivery_id, notification["event"], *filter(None, fields)])
            print(line + "\n", end="", flush=True)
            # Last, so that an event whose storing fails is not lost: its webhook comes again.
            seen.add(delivery_id)
        self.answer(200)

    def answer(self, status):
        self.close_connection = True
        self.send_response(status)
        self.send_header("Connection", "close")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()

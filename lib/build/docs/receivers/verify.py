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

SECRETS = os.environ.get("WEBHOOK_SECRET", "").split()
seen = set()  # In production a table with a unique key: it must outlive a restart.


def same(expected, given):
    return hmac.compare_digest(expected.encode(), given.encode())


def verify_simple(secret, body, headers):
    """X-Webhook-Signature: HMAC-SHA256 of the raw body, keyed with the whole text of the secret."""
    expected = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return same(expected, headers.get("X-Webhook-Signature", ""))


def verify_standard(secret, body, headers):
    """webhook-signature: Standard Webhooks. It covers the id and the time too, so an old request can't be replayed."""
    delivery_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "0")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(same(expected, signature) for signature in signatures)


def verify(body, headers):
    """Genuine if either signature holds with any of the secrets: so it stays while a secret is rotated."""
    return any(verify_standard(secret, body, headers) or verify_simple(secret, body, headers) for secret in SECRETS)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The bytes as they came: parsed and written again they would differ.
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if not verify(body, self.headers):
            self.answer(401)
            return
        delivery_id = self.headers["webhook-id"]
        if delivery_id not in seen:
            seen.add(delivery_id)
            notification = json.loads(body)
            data = notification["data"]
            # Store it; work on it after the answer.
            print(delivery_id, notification["event"], data["message_id"], data["status"], flush=True)
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()

"""Receives webhooks on PORT, and verifies both signatures with WEBHOOK_SECRET. Python 3.10 or later, nothing else."""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
seen = set()  # In production a table with a unique key: it must outlive a restart.


def verify_simple(body, headers):
    """X-Webhook-Signature: HMAC-SHA256 of the raw body, keyed with the whole text of the secret."""
    expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, headers.get("X-Webhook-Signature", ""))


def verify_standard(body, headers):
    """webhook-signature: Standard Webhooks. It covers the id and the time too, so an old request can't be replayed."""
    delivery_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "0")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The bytes as they came: parsed and written again they would differ.
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if not verify_simple(body, self.headers) or not verify_standard(body, self.headers):
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

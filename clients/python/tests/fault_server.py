"""A gateway for the tests that answers as it is told: with errors, late, or not at all."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ACCEPTED_SMS = {
    "message_id": "msg_01KC9V7Q8Z4N6M2R5T8W1Y3X0A",
    "status": "queued",
    "channel": "sms",
    "recipient": "+447700900123",
    "reference": None,
    "created_at": "2026-11-20T10:00:00.000Z",
    "encoding": "GSM-7",
    "segments": 1,
}


def refusal(status, error, **more):
    return status, {"error": error, "message": f"It is {error}.", "request_id": "req_1", **more}, {}


class FaultServer:
    """replies: to the requests in their order, then 202 with an accepted SMS. A function gets the request."""

    def __init__(self, *replies, token_replies=()):
        self.requests, self.token_requests = [], []
        self._replies, self._token_replies = list(replies), list(token_replies)
        self._lock = threading.Lock()
        self.released = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                server.answer(self, body)

            do_GET = do_DELETE = do_PATCH = do_POST

            def log_message(self, *arguments):
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def answer(self, handler, body):
        request = {"path": handler.path, "method": handler.command, "headers": dict(handler.headers.items())}
        request["headers"] = {name.lower(): value for name, value in request["headers"].items()}
        request["body"] = json.loads(body) if body else None
        is_token = handler.path == "/api/v1/auth/token"
        with self._lock:
            seen = self.token_requests if is_token else self.requests
            seen.append(request)
            replies = self._token_replies if is_token else self._replies
            token = {"access_token": f"token-{len(seen)}", "token_type": "bearer", "expires_in": 3600}
            reply = replies.pop(0) if replies else ((200, token, {}) if is_token else (202, ACCEPTED_SMS, {}))
        if callable(reply):
            reply = reply(request)
        if reply == "hang":
            self.released.wait(60)
            reply = "drop"
        if reply == "drop":
            handler.close_connection = True
            handler.connection.close()
            return
        if reply == "half":
            handler.send_response(202)
            handler.send_header("Content-Length", "500")
            handler.end_headers()
            handler.wfile.write(b'{"message_id":')
            handler.wfile.flush()
            handler.close_connection = True
            return
        if reply == "drip":
            self._drip(handler)
            return
        status, content, headers = reply
        data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def _drip(self, handler):
        """A byte every 50 ms: no single read is late."""
        handler.send_response(202)
        handler.send_header("Content-Length", "500")
        handler.end_headers()
        try:
            for _ in range(500):
                handler.wfile.write(b" ")
                if self.released.wait(0.05):
                    break
        except OSError:
            pass
        handler.close_connection = True

    def close(self):
        self.released.set()
        self._http.shutdown()
        self._http.server_close()

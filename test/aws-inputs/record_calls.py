"""
Runs inside the emulator: appends every signed AWS call, as it came over HTTP, to the file AWS_CALLS_FILE, with the role
of the function that made it. Calls to S3 are left out: only a deploy makes them, with whole bundles in their bodies.
"""
import json
import os
import re

from ministack import app as emulator
from ministack.services import sts

SIGNED_FOR = re.compile(r"Credential=([^/]+)/\d+/[^/]+/([^/]+)/aws4_request")

answer = emulator.app
# `arn:aws:sts::<account>:assumed-role/<role>/<function>`, by access key.
sessions = sts._sessions
# Each call is one write: two emulators that run at once append to the same file.
calls = open(os.environ["AWS_CALLS_FILE"], "ab", buffering=0)


async def recording_app(scope, receive, send):
    headers = {name.lower(): value for name, value in scope.get("headers", [])}
    signed = SIGNED_FOR.search(headers.get(b"authorization", b"").decode("latin-1"))
    if scope["type"] != "http" or signed is None or signed[2] == "s3":
        await answer(scope, receive, send)
        return
    parts = []

    async def receive_recorded():
        message = await receive()
        if message["type"] == "http.request":
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                call = {
                    "service": signed[2],
                    "caller": sessions.get(signed[1], {}).get("Arn", ""),
                    "method": scope["method"],
                    "path": scope.get("raw_path", b"").decode("latin-1") or scope["path"],
                    "query": scope["query_string"].decode("latin-1"),
                    "target": headers.get(b"x-amz-target", b"").decode("latin-1"),
                    "body": b"".join(parts).decode("utf-8", errors="surrogateescape"),
                }
                calls.write(f"{json.dumps(call)}\n".encode())
        return message

    await answer(scope, receive_recorded, send)


emulator.app = recording_app

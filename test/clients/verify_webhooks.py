"""Prints for each webhook of a file whether the Python client accepts it with the secrets that go with it."""

import json
import sys

from messaging_gateway import WebhookVerificationError, verify_webhook


def accepted(case):
    try:
        return verify_webhook(case["body"], case["headers"], case["secrets"]).event.startswith("sms.")
    except WebhookVerificationError:
        return False


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([accepted(case) for case in json.load(file)]))

"""Prints for each webhook of a file whether the packages svix and standardwebhooks accept it with its secret."""

import json
import sys

import standardwebhooks
import svix


def accepted(library, case):
    try:
        library.Webhook(case["secret"]).verify(case["body"], case["headers"])
        return True
    except library.webhooks.WebhookVerificationError:
        return False


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([[accepted(library, case) for library in (svix, standardwebhooks)] for case in json.load(file)]))

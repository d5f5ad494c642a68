"""Calls every operation with the client that openapi-python-client generates; the argument is a file with the calls."""

import importlib
import json
import os
import sys

from dateutil.parser import isoparse
from messaging_gateway_client import AuthenticatedClient, models

client = AuthenticatedClient(os.environ["BASE_URL"], os.environ["TOKEN"])


def typed(one):
    if one["enum"] is not None:
        return getattr(models, one["enum"])(one["value"])
    return isoparse(one["value"]) if one["is_time"] else one["value"]


with open(sys.argv[1], encoding="utf-8") as file:
    calls = json.load(file)
for call in calls:
    arguments = {one["name"]: typed(one) for one in call["values"]}
    if call["body"] is not None:
        arguments["body"] = getattr(models, call["body"]["schema"]).from_dict(call["body"]["value"])
    module = importlib.import_module(f"messaging_gateway_client.api.{call['tag']}.{call['name']}")
    answer = module.sync_detailed(client=client, **arguments)
    shown = answer.parsed.to_dict() if answer.parsed is not None else answer.content.decode()
    print(call["operation_id"], json.dumps(shown), sep="\t")

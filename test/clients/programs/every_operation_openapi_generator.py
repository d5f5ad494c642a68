"""Calls every operation with the classes that openapi-generator makes for Python; the argument is a file with the calls."""

import json
import os
import sys

import openapi_client as gateway

client = gateway.ApiClient(
    gateway.Configuration(host=os.environ["BASE_URL"], access_token=os.environ["TOKEN"])
)
with open(sys.argv[1], encoding="utf-8") as file:
    calls = json.load(file)
for call in calls:
    arguments = {one["name"]: one["value"] for one in call["values"]}
    if call["body"] is not None:
        kind = getattr(gateway, call["body"]["schema"])
        arguments[call["body"]["name"]] = kind.from_dict(call["body"]["value"])
    operation = getattr(getattr(gateway, f"{call['tag_class']}Api")(client), call["name"])
    try:
        answer = operation(**arguments).to_dict()
    except gateway.ApiException as error:
        answer = str(error)
    print(call["operation_id"], json.dumps(answer, default=lambda time: time.isoformat()), sep="\t")

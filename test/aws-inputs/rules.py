"""Rules of AWS's documentation that its service models do not have."""
import json
import re

# Amazon SQS API reference, SendMessage: "a message can include only XML, JSON, and unformatted text".
SQS_CHARACTERS = re.compile("[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]*")
SQS_MESSAGE_BYTES = 1_048_576
SQS_BATCH_ID = re.compile("[A-Za-z0-9_-]{1,80}")
SQS_GROUP_ID = re.compile(r"[A-Za-z0-9!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]{1,128}")

# Amazon SQS developer guide, "Message quotas" and "Amazon SQS message metadata".
SQS_ATTRIBUTES = 10
SQS_ATTRIBUTE_NAME = re.compile(r"(?!.*\.\.)(?!\.)[A-Za-z0-9_.-]{1,256}(?<!\.)")

# Amazon EventBridge API reference, PutEvents, and user guide, "Calculating event entry size".
EVENT_BYTES = 262_144
EVENT_TIME_BYTES = 14

# AWS STS API reference, AssumeRole.
SESSION_POLICY_CHARACTERS = 2048

# Amazon DynamoDB developer guide, "Quotas".
HASH_KEY_BYTES = 2048
RANGE_KEY_BYTES = 1024
ITEM_BYTES = 400 * 1024
EXPRESSION_BYTES = 4096
NUMBER_DIGITS = 38

# EventBridge Scheduler user guide, "Schedule types": a one-time schedule is at(yyyy-mm-ddThh:mm:ss).
SCHEDULE = re.compile(r"at\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\)|rate\(.+\)|cron\(.+\)")
SCHEDULE_INPUT_BYTES = 262_144


def documented_rules(service, operation, params, tables):
    if service == "sqs":
        yield from sqs_rules(operation, params)
    elif service == "events" and operation == "PutEvents":
        yield from event_rules(params)
    elif service == "sts" and operation == "AssumeRole":
        yield from role_rules(params)
    elif service == "dynamodb":
        yield from dynamodb_rules(params, tables, "")
    elif service == "scheduler" and operation in ("CreateSchedule", "UpdateSchedule"):
        yield from scheduler_rules(params)
    yield from lone_surrogates(params, "")


def lone_surrogates(value, path):
    """No service takes text that is not Unicode."""
    if isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            yield path, "has half of a surrogate pair"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from lone_surrogates(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from lone_surrogates(item, f"{path}[{index}]")


def sqs_rules(operation, params):
    entries = params.get("Entries", [])
    if operation == "SendMessage":
        yield from sqs_message(params, "")
    if operation == "ReceiveMessage" and not 1 <= params.get("MaxNumberOfMessages", 1) <= 10:
        yield ".MaxNumberOfMessages", f"{params['MaxNumberOfMessages']} is not 1 to 10"
    for index, entry in enumerate(entries):
        path = f".Entries[{index}]"
        if SQS_BATCH_ID.fullmatch(str(entry.get("Id", ""))) is None:
            yield f"{path}.Id", "is not 1 to 80 letters, digits, hyphens or underscores"
        if operation == "SendMessageBatch":
            yield from sqs_message(entry, path)
    if operation.endswith("Batch"):
        if not 1 <= len(entries) <= 10:
            yield ".Entries", f"{len(entries)} are not 1 to 10"
        if len({entry.get("Id") for entry in entries}) < len(entries):
            yield ".Entries", "an Id is there twice"
        if sum(size_of_text(entry.get("MessageBody", "")) for entry in entries) > SQS_MESSAGE_BYTES:
            yield ".Entries", f"are more than {SQS_MESSAGE_BYTES} bytes"
    for where, greatest in (("DelaySeconds", 900), ("VisibilityTimeout", 43_200), ("WaitTimeSeconds", 20)):
        for path, holder in [("", params)] + [(f".Entries[{i}]", entry) for i, entry in enumerate(entries)]:
            if not 0 <= holder.get(where, 0) <= greatest:
                yield f"{path}.{where}", f"{holder[where]} is not 0 to {greatest}"


def sqs_message(message, path):
    body = message.get("MessageBody", "")
    if not 1 <= size_of_text(body) <= SQS_MESSAGE_BYTES:
        yield f"{path}.MessageBody", f"{size_of_text(body)} bytes are not 1 to {SQS_MESSAGE_BYTES}"
    if SQS_CHARACTERS.fullmatch(body) is None:
        yield f"{path}.MessageBody", "has a character that SQS does not take"
    attributes = message.get("MessageAttributes", {})
    if len(attributes) > SQS_ATTRIBUTES:
        yield f"{path}.MessageAttributes", f"{len(attributes)} are more than {SQS_ATTRIBUTES}"
    for name, attribute in attributes.items():
        if SQS_ATTRIBUTE_NAME.fullmatch(name) is None or name.lower().startswith(("aws.", "amazon.")):
            yield f"{path}.MessageAttributes.{name}", "is no name of an attribute"
        if attribute.get("DataType") == "String" and not attribute.get("StringValue"):
            yield f"{path}.MessageAttributes.{name}", "is empty"
    group = message.get("MessageGroupId")
    if group is not None and SQS_GROUP_ID.fullmatch(group) is None:
        yield f"{path}.MessageGroupId", "is not 1 to 128 letters, digits or punctuation marks"


def event_rules(params):
    for index, entry in enumerate(params["Entries"]):
        path = f".Entries[{index}]"
        for name in ("Source", "DetailType", "Detail"):
            if not entry.get(name):
                yield f"{path}.{name}", "is missing"
        if entry.get("Source", "").startswith("aws."):
            yield f"{path}.Source", "is reserved for services of AWS"
        try:
            is_object = isinstance(json.loads(entry.get("Detail", "")), dict)
        except ValueError:
            is_object = False
        if not is_object:
            yield f"{path}.Detail", "is no JSON object"
        size = sum(size_of_text(entry.get(name, "")) for name in ("Source", "DetailType", "Detail"))
        if size + EVENT_TIME_BYTES > EVENT_BYTES:
            yield path, f"{size} bytes are more than {EVENT_BYTES}"


def role_rules(params):
    policy = params.get("Policy", "{}")
    if len(policy) > SESSION_POLICY_CHARACTERS:
        yield ".Policy", f"{len(policy)} characters are more than {SESSION_POLICY_CHARACTERS}"
    try:
        json.loads(policy)
    except ValueError:
        yield ".Policy", "is no JSON"


def dynamodb_rules(params, tables, path):
    """Of a request, or of one action in a transaction or batch."""
    keys = keys_of(params.get("TableName", ""), tables)
    for name in ("Key", "Item", "ExclusiveStartKey"):
        if isinstance(params.get(name), dict):
            yield from dynamodb_item(params[name], keys, f"{path}.{name}")
    for name, value in params.items():
        if name.endswith("Expression") and size_of_text(value) > EXPRESSION_BYTES:
            yield f"{path}.{name}", f"is longer than {EXPRESSION_BYTES} bytes"
    for name, value in params.get("ExpressionAttributeValues", {}).items():
        yield from dynamodb_numbers(value, f"{path}.ExpressionAttributeValues.{name}")
    for index, action in enumerate(params.get("TransactItems", [])):
        for kind, request in action.items():
            yield from dynamodb_rules(request, tables, f"{path}.TransactItems[{index}].{kind}")
    for table, requests in params.get("RequestItems", {}).items():
        if isinstance(requests, dict):
            for index, key in enumerate(requests.get("Keys", [])):
                where = f"{path}.RequestItems.{table}.Keys[{index}]"
                yield from dynamodb_item(key, keys_of(table, tables), where)
            continue
        for index, request in enumerate(requests):
            for kind, action in request.items():
                where = f"{path}.RequestItems.{table}[{index}].{kind}"
                yield from dynamodb_rules({**action, "TableName": table}, tables, where)


def keys_of(table, tables):
    """By attribute, the most bytes that it may have as a key of the table or of one of its indexes."""
    known = [name for name in tables if table.endswith(f"-{name}")]
    return tables[max(known, key=len)] if known else {}


def dynamodb_item(item, keys, path):
    for name, kind in keys.items():
        if name not in item:
            continue
        greatest = HASH_KEY_BYTES if kind == "HASH" else RANGE_KEY_BYTES
        text = item[name].get("S")
        if text is not None and not 1 <= size_of_text(text) <= greatest:
            yield f"{path}.{name}", f"{size_of_text(text)} bytes are not 1 to {greatest}, as a key must have"
    size = sum(size_of_text(name) + size_of_value(value) for name, value in item.items())
    if size > ITEM_BYTES:
        yield path, f"{size} bytes are more than {ITEM_BYTES}"
    for name, value in item.items():
        yield from dynamodb_numbers(value, f"{path}.{name}")


def dynamodb_numbers(value, path):
    (kind, content), = value.items()
    if kind == "N":
        digits = re.sub(r"[^0-9]", "", content.lower().split("e")[0]).strip("0")
        if len(digits) > NUMBER_DIGITS:
            yield path, f"{content} has more than {NUMBER_DIGITS} digits"
    for key, item in content.items() if kind == "M" else enumerate(content) if kind == "L" else ():
        yield from dynamodb_numbers(item, f"{path}.{key}")


def size_of_value(value):
    """Amazon DynamoDB developer guide, "DynamoDB item sizes and formats"."""
    (kind, content), = value.items()
    if kind == "S":
        return size_of_text(content)
    if kind == "N":
        return (len(re.sub(r"[^0-9]", "", content).strip("0")) + 1) // 2 + 1
    if kind == "B":
        return len(content)
    if kind in ("SS", "NS", "BS"):
        return sum(size_of_value({kind[0]: item}) for item in content)
    if kind == "L":
        return 3 + sum(1 + size_of_value(item) for item in content)
    if kind == "M":
        return 3 + sum(1 + size_of_text(name) + size_of_value(item) for name, item in content.items())
    return 1


def size_of_text(text):
    return len(text.encode("utf-8", errors="surrogatepass"))


def scheduler_rules(params):
    if SCHEDULE.fullmatch(params.get("ScheduleExpression", "")) is None:
        yield ".ScheduleExpression", "is neither at(), rate() nor cron()"
    body = params.get("Target", {}).get("Input", "")
    if size_of_text(body) > SCHEDULE_INPUT_BYTES:
        yield ".Target.Input", f"is longer than {SCHEDULE_INPUT_BYTES} bytes"
    if ":sqs:" in params.get("Target", {}).get("Arn", "") and SQS_CHARACTERS.fullmatch(body) is None:
        yield ".Target.Input", "has a character that SQS does not take"

"""
Holds recorded AWS calls against the services' own models, which botocore ships: required and unknown members, types,
lengths, ranges, patterns and enums; and against documented rules that no model has (see `rules.py`).

    validate.py CALLS       ends with 1 if any call breaks a rule, or if there are none
"""
import base64
import json
import re
import sys
from collections import Counter
from urllib.parse import parse_qsl, unquote

import botocore.session
from botocore.exceptions import UnknownServiceError
from botocore.model import OperationNotFoundError
from botocore.validate import ParamValidator

from rules import documented_rules

# The services that functions and commands call, by the name that their calls are signed for.
SERVICES = {
    "cloudformation": "cloudformation",
    "dynamodb": "dynamodb",
    "events": "events",
    "kms": "kms",
    "lambda": "lambda",
    "monitoring": "cloudwatch",
    "scheduler": "scheduler",
    "secretsmanager": "secretsmanager",
    "sms-voice": "pinpoint-sms-voice-v2",
    "sns": "sns",
    "social-messaging": "socialmessaging",
    "sqs": "sqs",
    "sts": "sts",
}

# The deploy of the test's own stage is the CDK's, so its calls are not judged.
COMMANDS_ON_STACKS = ("DescribeStacks", "ListStackResources")

session = botocore.session.get_session()
models = {}


def name_of(call):
    """The service's name; calls of DynamoDB Streams are signed for DynamoDB."""
    return "dynamodbstreams" if call["target"].startswith("DynamoDBStreams_") else SERVICES[call["service"]]


def model_of(call):
    name = name_of(call)
    if name not in models:
        models[name] = session.get_service_model(name)
    return models[name]


def operation_of(call):
    """The operation's model, and the members that are in the path."""
    model = model_of(call)
    if is_query(model, call):
        return model.operation_model(dict(parse_qsl(call["body"])).get("Action", "")), {}
    if call["target"]:
        return model.operation_model(call["target"].split(".")[-1]), {}
    for name in model.operation_names:
        operation = model.operation_model(name)
        uri = operation.http["requestUri"].split("?")[0].rstrip("/")
        # `{Name}` is one segment, `{Name+}` may be several.
        pattern = re.sub(r"\\\{(\w+)(\\\+)?\\\}", lambda m: f"(?P<{m[1]}>{'.+' if m[2] else '[^/]+'})", re.escape(uri))
        found = re.fullmatch(pattern, call["path"].rstrip("/"))
        if found and operation.http["method"] == call["method"]:
            return operation, {key: unquote(value) for key, value in found.groupdict().items()}
    raise ValueError(f"{call['method']} {call['path']} is no operation of {name_of(call)}")


def is_query(model, call):
    """Whether inputs come as a form, as STS has them. CloudWatch takes other protocols too, whose calls name a target."""
    protocols = model.metadata.get("protocols", [model.metadata["protocol"]])
    return "query" in protocols and not call["target"]


def input_of(call, operation, in_path):
    """What the SDK was given, read back from the request."""
    body = call["body"]
    shape = operation.input_shape
    payload = shape.serialization.get("payload") if shape else None
    params = {}
    if is_query(model_of(call), call):
        form = dict(parse_qsl(body, keep_blank_values=True))
        given = {name: text for name, text in form.items() if name not in ("Action", "Version")}
        # A list has a name for each of its members; structures, which have a dot in their names too, nobody sends.
        lists = {name.split(".member.")[0] for name in given if ".member." in name}
        for name in lists:
            given[name] = [given.pop(member) for member in sorted(given) if member.startswith(f"{name}.member.")]
        return {name: typed(value, shape.members[name]) if name in shape.members else value for name, value in given.items()}
    if payload and shape.members[payload].type_name == "blob":
        params[payload] = body.encode("utf-8", errors="surrogateescape")
    elif body:
        document = json.loads(body)
        params = {payload: document} if payload else document
    query = dict(parse_qsl(call["query"], keep_blank_values=True))
    for name, member in (shape.members if shape else {}).items():
        location = member.serialization.get("location")
        wire_name = member.serialization.get("name", name)
        if location == "uri" and wire_name in in_path:
            params[name] = typed(in_path[wire_name], member)
        elif location == "querystring" and wire_name in query:
            params[name] = typed(query[wire_name], member)
        elif wire_name != name and wire_name in params:
            params[name] = params.pop(wire_name)
    return decoded(params, shape)


def typed(text, shape):
    if shape.type_name in ("integer", "long"):
        return int(text)
    return text == "true" if shape.type_name == "boolean" else text


def decoded(value, shape):
    """Blobs as bytes, as a caller gives them; everything else as it is."""
    if shape is None:
        return value
    if shape.type_name == "blob" and isinstance(value, str):
        return base64.b64decode(value, validate=True)
    if shape.type_name == "structure" and isinstance(value, dict):
        return {key: decoded(item, shape.members.get(key)) for key, item in value.items() if item is not None}
    if shape.type_name == "list" and isinstance(value, list):
        return [decoded(item, shape.member) for item in value]
    if shape.type_name == "map" and isinstance(value, dict):
        return {key: decoded(item, shape.value) for key, item in value.items()}
    return value


def broken_constraints(value, shape, path=""):
    """What ParamValidator does not look at: patterns, enums, greatest lengths and values, and unknown members."""
    if shape is None:
        return
    limits = shape.metadata
    if shape.type_name == "structure" and isinstance(value, dict):
        for name, item in value.items():
            if name not in shape.members:
                yield f"{path}.{name}", "is not a member"
            else:
                yield from broken_constraints(item, shape.members[name], f"{path}.{name}")
    elif shape.type_name == "list" and isinstance(value, list):
        for index, item in enumerate(value):
            yield from broken_constraints(item, shape.member, f"{path}[{index}]")
        yield from too_much(len(value), limits, path, "entries")
    elif shape.type_name == "map" and isinstance(value, dict):
        for key, item in value.items():
            yield from broken_constraints(key, shape.key, f"{path}.{key} (its name)")
            yield from broken_constraints(item, shape.value, f"{path}.{key}")
        yield from too_much(len(value), limits, path, "entries")
    elif shape.type_name == "string" and isinstance(value, str):
        # Services match a whole value, whether or not the model's pattern has anchors.
        pattern = limits.get("pattern")
        if pattern is not None and re.fullmatch(pattern, value) is None:
            yield path, f"does not match {pattern}"
        if shape.enum and value not in shape.enum:
            yield path, f"is none of {', '.join(shape.enum)}"
        yield from too_much(len(value), limits, path, "characters")
    elif shape.type_name == "blob" and isinstance(value, bytes):
        yield from too_much(len(value), limits, path, "bytes")
    elif shape.type_name in ("integer", "long", "float", "double") and isinstance(value, (int, float)):
        yield from too_much(value, limits, path, "")


def too_much(amount, limits, path, unit):
    greatest = limits.get("max")
    if greatest is not None and amount > greatest:
        yield path, f"{amount} {unit} are more than {greatest}".replace("  ", " ")


def violations(call, tables):
    """Every rule that a call breaks, as `operation path: reason`."""
    try:
        operation, in_path = operation_of(call)
        params = input_of(call, operation, in_path)
    except (ValueError, UnknownServiceError, OperationNotFoundError) as error:
        return call["target"] or call["path"], [str(error)]
    name = f"{name_of(call)} {operation.name}"
    found = []
    report = ParamValidator().validate(params, operation.input_shape) if operation.input_shape else None
    if report is not None and report.has_errors():
        found.extend(f"{name}: {line}" for line in report.generate_report().split("\n"))
    broken = list(broken_constraints(params, operation.input_shape))
    # The other rules take it for granted that each value is of its type.
    if report is None or not report.has_errors():
        broken.extend(documented_rules(name_of(call), operation.name, params, tables))
    found.extend(f"{name} {path}: {reason}" for path, reason in broken)
    return name, found


def is_of_the_deploy(call):
    action = dict(parse_qsl(call["body"])).get("Action") if call["service"] == "cloudformation" else None
    return action is not None and action not in COMMANDS_ON_STACKS


def tables_in(file):
    """The line that names the keys of each table comes after the first calls."""
    with open(file, encoding="utf-8") as lines:
        return next((json.loads(line)["tables"] for line in lines if line.startswith('{"tables"')), {})


def main(file):
    checked, broken, seen, tables = Counter(), Counter(), set(), tables_in(file)
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            call = json.loads(line)
            if "tables" in call:
                continue
            key = hash((call["service"], call["target"] or call["path"], call["query"], call["body"]))
            if call["service"] not in SERVICES or key in seen or is_of_the_deploy(call):
                continue
            seen.add(key)
            name, found = violations(call, tables)
            checked[name] += 1
            broken.update(found)
    for name, count in sorted(checked.items()):
        print(f"{count:8} {name}")
    for violation, count in sorted(broken.items()):
        print(f"VIOLATION ({count} times) {violation}")
    print(f"{sum(checked.values())} passed, {len(broken) or (0 if checked else 1)} failed")
    return 1 if broken or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Calls that AWS refuses, each with what must be said of it, and good ones: shows that `validate.py` can fail."""
import json
import sys
from urllib.parse import urlencode

from validate import SERVICES, violations

TABLES = {"messages": {"message_id": "HASH"}, "activity-log": {"day": "HASH", "entry_id": "RANGE"}}


def json_call(service, target, body):
    return {"service": service, "method": "POST", "path": "/", "query": "", "target": target, "body": json.dumps(body)}


TEXT = {"DataType": "String", "StringValue": "a"}


def attributes(count):
    return {f"a{i}": TEXT for i in range(count)}


def sqs(operation, **params):
    return json_call("sqs", f"AmazonSQS.{operation}", {"QueueUrl": "https://sqs.test/1/outbound", **params})


def event(**params):
    entry = {"EventBusName": "b", "Source": "gateway", "DetailType": "sms.sent", "Detail": "{}", **params}
    return json_call("events", "AWSEvents.PutEvents", {"Entries": [entry]})


def assume_role(**params):
    given = {"RoleArn": "arn:aws:iam::123456789012:role/r", "RoleSessionName": "session", "ExternalId": "client_1", **params}
    form = urlencode({"Action": "AssumeRole", "Version": "2011-06-15", **given})
    return {"service": "sts", "method": "POST", "path": "/", "query": "", "target": "", "body": form}


def describe_alarms(*names, **params):
    members = {f"AlarmNames.member.{number}": name for number, name in enumerate(names, 1)}
    form = urlencode({"Action": "DescribeAlarms", "Version": "2010-08-01", **members, **params})
    return {"service": "monitoring", "method": "POST", "path": "/", "query": "", "target": "", "body": form}


def list_resources(**params):
    form = urlencode({"Action": "ListStackResources", "Version": "2010-05-15", **params})
    return {"service": "cloudformation", "method": "POST", "path": "/", "query": "", "target": "", "body": form}


def dynamodb(operation, **params):
    table = {} if operation.startswith(("Batch", "Transact")) else {"TableName": "gateway-messages"}
    return json_call("dynamodb", f"DynamoDB_20120810.{operation}", {**table, **params})


def streams(operation, **params):
    return json_call("dynamodb", f"DynamoDBStreams_20120810.{operation}", params)


def sms(**params):
    good = {"DestinationPhoneNumber": "+447700900123", "OriginationIdentity": "ACME", "MessageBody": "Hello"}
    return json_call("sms-voice", "PinpointSMSVoiceV2.SendTextMessage", {**good, **params})


def schedule(name="retry-1", group="gateway", **params):
    target = {"Arn": "arn:aws:sqs:eu-west-1:123456789012:webhooks", "RoleArn": "arn:aws:iam::123456789012:role/r"}
    body = {
        "ClientToken": "c",
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "GroupName": group,
        "ScheduleExpression": "at(2026-11-20T10:00:00)",
        "Target": target,
        **params,
    }
    path = f"/schedules/{name}"
    return {"service": "scheduler", "method": "POST", "path": path, "query": "", "target": "", "body": json.dumps(body)}


def whatsapp(**params):
    good = {"originationPhoneNumberId": f"phone-number-id-{'0' * 32}", "message": "eyJhIjoxfQ==", "metaApiVersion": "v23.0"}
    body = json.dumps({**good, **params})
    return {
        "service": "social-messaging",
        "method": "POST",
        "path": "/v1/whatsapp/send",
        "query": "",
        "target": "",
        "body": body,
    }


def entries(count, body="a"):
    return [{"Id": f"e{i}", "MessageBody": body} for i in range(count)]


KEY = {"message_id": {"S": "msg_1"}}
GOOD = [
    describe_alarms("gateway-DeadLettersAlarm", "other"),
    list_resources(StackName="messaging-gateway-production"),
    sqs("SendMessage", MessageBody="tab\t, emoji \U0001f600, \ufffd", DelaySeconds=900, MessageGroupId="client_1"),
    sqs("SendMessageBatch", Entries=entries(10)),
    sqs("ReceiveMessage", MaxNumberOfMessages=10, WaitTimeSeconds=1, MessageSystemAttributeNames=["ApproximateReceiveCount"]),
    dynamodb("PutItem", Item={**KEY, "n": {"N": "-1.5e10"}, "m": {"M": {"a": {"L": [{"BOOL": True}]}}}}),
    dynamodb("GetItem", Key=KEY, ConsistentRead=True),
    streams("ListStreams", TableName="gateway-messages"),
    sms(Context={"message_id": "msg_1"}, TimeToLive=60),
    schedule(),
    event(),
    assume_role(DurationSeconds=900, Policy="{}"),
    whatsapp(),
    json_call("kms", "TrentService.Sign", {"KeyId": "k", "Message": "YQ==", "SigningAlgorithm": "ECDSA_SHA_256"}),
    json_call("secretsmanager", "secretsmanager.GetSecretValue", {"SecretId": "otp"}),
]
BAD = [
    ("sqs SendMessage .MessageBody: has a character", sqs("SendMessage", MessageBody='{"reference":"\uffff"}')),
    ("sqs SendMessage .MessageBody: has a character", sqs("SendMessage", MessageBody="\u0001")),
    ("sqs SendMessage .MessageBody: 0 bytes", sqs("SendMessage", MessageBody="")),
    ("sqs SendMessage .MessageBody: 1048577 bytes", sqs("SendMessage", MessageBody="a" * 1_048_577)),
    ("sqs SendMessage .DelaySeconds: 901", sqs("SendMessage", MessageBody="a", DelaySeconds=901)),
    ("sqs SendMessage .MessageGroupId", sqs("SendMessage", MessageBody="a", MessageGroupId="two words")),
    ('sqs SendMessage: Missing required parameter in input: "MessageBody"', sqs("SendMessage")),
    ("sqs SendMessage .Urgent: is not a member", sqs("SendMessage", MessageBody="a", Urgent=True)),
    ("sqs ReceiveMessage .MaxNumberOfMessages: 11", sqs("ReceiveMessage", MaxNumberOfMessages=11)),
    ("sqs ReceiveMessage .WaitTimeSeconds: 21", sqs("ReceiveMessage", WaitTimeSeconds=21)),
    ("sqs SendMessage .MessageAttributes: 11", sqs("SendMessage", MessageBody="a", MessageAttributes=attributes(11))),
    ("sqs SendMessage .MessageAttributes.AWS.x", sqs("SendMessage", MessageBody="a", MessageAttributes={"AWS.x": TEXT})),
    ("events PutEvents .Entries[0].Source", event(Source="aws.sms")),
    ("events PutEvents .Entries[0].Detail: is no JSON object", event(Detail="[]")),
    ("events PutEvents .Entries[0]: 262", event(Detail=json.dumps({"a": "a" * 262_144}))),
    ("cloudwatch DescribeAlarms .AlarmNames[0]: 256", describe_alarms("a" * 256)),
    ('cloudformation ListStackResources: Missing required parameter in input: "StackName"', list_resources()),
    ("cloudwatch DescribeAlarms .Alarm: is not a member", describe_alarms(Alarm="a")),
    ("sts AssumeRole .ExternalId", assume_role(ExternalId="a b")),
    ("sts AssumeRole .RoleSessionName", assume_role(RoleSessionName="s" * 65)),
    ("sts AssumeRole .Policy: 2049", assume_role(Policy=json.dumps("a" * 2047))),
    ("sts AssumeRole: Invalid value for parameter DurationSeconds", assume_role(DurationSeconds=60)),
    ("sts AssumeRole .Urgent: is not a member", assume_role(Urgent="yes")),
    ("sqs SendMessageBatch .Entries: 11", sqs("SendMessageBatch", Entries=entries(11))),
    ("sqs SendMessageBatch .Entries: are more", sqs("SendMessageBatch", Entries=entries(2, "a" * 600_000))),
    ("sqs SendMessageBatch .Entries: an Id is there twice", sqs("SendMessageBatch", Entries=entries(1) * 2)),
    ("sqs SendMessageBatch .Entries[0].Id", sqs("SendMessageBatch", Entries=[{"Id": "a b", "MessageBody": "a"}])),
    ("sqs SendMessage .MessageBody: has half of a surrogate pair", sqs("SendMessage", MessageBody="\ud800")),
    ("dynamodb PutItem .Item.message_id: 2049 bytes", dynamodb("PutItem", Item={"message_id": {"S": "m" * 2049}})),
    ("dynamodb PutItem .Item.message_id: 0 bytes", dynamodb("PutItem", Item={"message_id": {"S": ""}})),
    ("dynamodb GetItem .Key.message_id: 2050 bytes", dynamodb("GetItem", Key={"message_id": {"S": "é" * 1025}})),
    (
        "dynamodb PutItem .Item.entry_id: 1025 bytes",
        dynamodb("PutItem", TableName="gateway-activity-log", Item={"day": {"S": "d"}, "entry_id": {"S": "e" * 1025}}),
    ),
    ("dynamodb PutItem .Item: 409", dynamodb("PutItem", Item={**KEY, "text": {"S": "a" * 409_600}})),
    ("dynamodb PutItem .Item.n: ", dynamodb("PutItem", Item={**KEY, "n": {"N": "1" * 39}})),
    ("dynamodb PutItem .ConditionExpression", dynamodb("PutItem", Item=KEY, ConditionExpression="a" * 4097)),
    ("dynamodb PutItem .ReturnValues: is none of", dynamodb("PutItem", Item=KEY, ReturnValues="SOME")),
    ("dynamodb GetItem: Invalid type for parameter Key.message_id.S", dynamodb("GetItem", Key={"message_id": {"S": 1}})),
    (
        "dynamodb TransactWriteItems .TransactItems[0].Put.Item.message_id",
        dynamodb("TransactWriteItems", TransactItems=[{"Put": {"TableName": "x-messages", "Item": {"message_id": {"S": ""}}}}]),
    ),
    (
        "dynamodb BatchGetItem .RequestItems.x-messages.Keys[0].message_id",
        dynamodb("BatchGetItem", RequestItems={"x-messages": {"Keys": [{"message_id": {"S": ""}}]}}),
    ),
    (
        "dynamodb BatchWriteItem .RequestItems: ",
        dynamodb("BatchWriteItem", RequestItems={f"t{i}": [{"DeleteRequest": {"Key": KEY}}] for i in range(26)}),
    ),
    ("dynamodbstreams GetShardIterator .ShardIteratorType: is none of", streams("GetShardIterator", StreamArn="a" * 40, ShardId="s" * 30, ShardIteratorType="OLDEST")),
    ('dynamodbstreams GetRecords: Missing required parameter in input: "ShardIterator"', streams("GetRecords")),
    ("pinpoint-sms-voice-v2 SendTextMessage .OriginationIdentity: does not match", sms(OriginationIdentity="AC ME")),
    ("pinpoint-sms-voice-v2 SendTextMessage .MessageBody: does not match", sms(MessageBody="  ")),
    ("pinpoint-sms-voice-v2 SendTextMessage .TimeToLive: 259201", sms(TimeToLive=259_201)),
    ("pinpoint-sms-voice-v2 SendTextMessage .DestinationPhoneNumber: does not match", sms(DestinationPhoneNumber="44x")),
    ("scheduler CreateSchedule .Name: does not match", schedule(name="retry%201")),
    ("scheduler CreateSchedule .Name: 65 characters", schedule(name="a" * 65)),
    ("scheduler CreateSchedule .GroupName: 65 characters", schedule(group="g" * 65)),
    ("scheduler CreateSchedule .FlexibleTimeWindow.Mode: is none of", schedule(FlexibleTimeWindow={"Mode": "MAYBE"})),
    ("scheduler CreateSchedule .ScheduleExpression", schedule(ScheduleExpression="at(2026-11-20T10:00:00.000Z)")),
    ("scheduler CreateSchedule .Target.Input: has", schedule(Target={"Arn": "arn:aws:sqs:a:1:b", "RoleArn": "arn:aws:iam::123456789012:role/r", "Input": "\ufffe"})),
    ("socialmessaging SendWhatsAppMessage .originationPhoneNumberId", whatsapp(originationPhoneNumberId="one two")),
    ("is no operation of scheduler", {**schedule(), "path": "/nowhere"}),
]


def main():
    wrong = 0
    for call in GOOD:
        name, found = violations(call, TABLES)
        if found:
            wrong += 1
            print(f"a good call is refused, {name}: {found}")
    for said, call in BAD:
        name, found = violations(call, TABLES)
        if not any(said in violation for violation in found):
            wrong += 1
            print(f"a bad call is not refused as `{said}`, {name}: {found}")
    unseen = set(SERVICES) - {call["service"] for call in GOOD} - {"lambda", "sns"}
    if unseen:
        wrong += 1
        print(f"no call shows that {sorted(unseen)} are checked")
    print(f"{len(GOOD) + len(BAD) - wrong} of {len(GOOD) + len(BAD)} known calls are judged rightly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

import { createHmac, randomUUID } from 'node:crypto';
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { CreateRoleCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import {
  CreateQueueCommand,
  type Message,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { readDelivery } from '../../shared/webhook/delivery-store.dynamo.ts';
import {
  clientConfig,
  documentClient,
  eventually,
  gateway,
  gatewayContext,
} from '../support/gateway/gateway.ts';
import { newClient, type TestClient } from '../support/http/client.ts';

/** The emulator takes an access key of twelve digits for the account of that number. */
const account = '111122223333';
const gatewayAccount = '000000000000';
const { region } = gateway().aws;
const config = { ...clientConfig(), credentials: { accessKeyId: account, secretAccessKey: 'test' } };
const [sqs, events, iam] = [new SQSClient(config), new EventBridgeClient(config), new IAMClient(config)];
const dynamo = documentClient();
const context = gatewayContext();
const path = '/api/v1/webhook-endpoints';

let owner: TestClient;
const name = `webhooks-${randomUUID()}`;
const arnOf = (service: string, resource: string, where = region) =>
  `arn:aws:${service}:${where}:${account}:${resource}`;
const [queueArn, fifoArn, busQueueArn] = [name, `${name}.fifo`, `${name}-bus`].map((one) =>
  arnOf('sqs', one),
);
const busArn = arnOf('events', `event-bus/${name}`);
const roleArn = arnOf('iam', `role/${name}`, '');

beforeAll(async () => {
  owner = await newClient();
  await sqs.send(new CreateQueueCommand({ QueueName: name }));
  await sqs.send(new CreateQueueCommand({ QueueName: `${name}.fifo`, Attributes: { FifoQueue: 'true' } }));
  await events.send(new CreateEventBusCommand({ Name: name }));
  await seeEventsOfBus();
  await aRole(name, { StringEquals: { 'sts:ExternalId': owner.clientId } });
});

afterAll(() => {
  for (const client of [sqs, events, iam, dynamo]) client.destroy();
});

/** A role as docs/webhooks.md has it: it trusts the gateway's account, and may send. */
async function aRole(RoleName: string, Condition: unknown): Promise<void> {
  const trust = {
    Effect: 'Allow',
    Principal: { AWS: `arn:aws:iam::${gatewayAccount}:root` },
    Action: 'sts:AssumeRole',
    Condition,
  };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
  await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
  const Statement = [
    { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: [queueArn, fifoArn, `${queueArn}-again`] },
    { Effect: 'Allow', Action: 'events:PutEvents', Resource: busArn },
  ];
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
  await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'send', PolicyDocument }));
}

/** A rule that puts all events of the bus into a queue. */
async function seeEventsOfBus(): Promise<void> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: `${name}-bus` }));
  const allow = {
    Effect: 'Allow',
    Principal: { Service: 'events.amazonaws.com' },
    Action: 'sqs:SendMessage',
    Resource: busQueueArn,
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [allow] });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  const pattern = JSON.stringify({ source: ['messaging-gateway'], 'detail-type': ['sms.delivered'] });
  await events.send(new PutRuleCommand({ Name: name, EventBusName: name, EventPattern: pattern }));
  const Targets = [{ Id: 'queue', Arn: busQueueArn }];
  await events.send(new PutTargetsCommand({ Rule: name, EventBusName: name, Targets }));
}

interface Endpoint {
  readonly id: string;
  readonly secret: string;
}

async function create(client: TestClient, destination: object): Promise<Endpoint> {
  const response = await client.post(path, { ...destination });
  expect(response).toMatchObject({ status: 201, body: destination });
  return { id: String(response.body.endpoint_id), secret: String(response.body.secret) };
}

async function testEvent(client: TestClient, { id }: Endpoint): Promise<string> {
  const response = await client.post(`${path}/${id}/test`, { event: 'sms.delivered' });
  expect(response.status).toBe(202);
  return String(response.body.delivery_id);
}

/** The next message of a queue of this account. */
function received(queueName: string): Promise<Message> {
  return eventually(async () => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: `${gateway().aws.endpoint}/${account}/${queueName}`,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
        WaitTimeSeconds: 1,
      }),
    );
    return Messages[0];
  });
}

function accepts(secret: string, body: string, headers: Readonly<Record<string, string>>): boolean {
  new Webhook(secret).verify(body, headers);
  return headers['x-webhook-signature'] === createHmac('sha256', secret).update(body).digest('hex');
}

function headersOf({ MessageAttributes = {} }: Message): Record<string, string> {
  return Object.fromEntries(
    Object.entries(MessageAttributes).map(([key, { StringValue = '' }]) => [key, StringValue]),
  );
}

/** The delivery after its first attempt. */
function attempted(deliveryId: string) {
  return eventually(async () => {
    const delivery = await readDelivery(context, deliveryId);
    return delivery !== undefined && delivery.attempts.length > 0 ? delivery : undefined;
  });
}

describe("a queue or an event bus in the client's own account", () => {
  it('gets the body as a message, with the signatures as attributes', async () => {
    const sqsField = { sqs: { queue_arn: queueArn, role_arn: roleArn } };
    const endpoint = await create(owner, sqsField);
    const own = await owner.call('GET', `${path}/${endpoint.id}`);
    expect(own.body).toMatchObject(sqsField);
    expect(own.body).not.toHaveProperty('url');
    const deliveryId = await testEvent(owner, endpoint);
    const delivery = await attempted(deliveryId);
    expect(delivery).toMatchObject({ state: 'acknowledged', url: queueArn, attempts: [{ status: 200 }] });
    const message = await received(name);
    const headers = headersOf(message);
    expect(headers['webhook-id']).toBe(deliveryId);
    expect(accepts(endpoint.secret, message.Body ?? '', headers)).toBe(true);
    expect(JSON.parse(message.Body ?? '')).toMatchObject({ event: 'sms.delivered', data: { test: true } });
    expect(delivery.attempts[0]?.response_body).toBe(JSON.stringify({ id: message.MessageId }));
  });

  it('gets an event whose detail a rule can match, with the signed text', async () => {
    const endpoint = await create(owner, { eventbridge: { bus_arn: busArn, role_arn: roleArn } });
    expect(await attempted(await testEvent(owner, endpoint))).toMatchObject({ state: 'acknowledged' });
    const event = JSON.parse((await received(`${name}-bus`)).Body ?? '');
    expect(event).toMatchObject({ source: 'messaging-gateway', 'detail-type': 'sms.delivered', account });
    expect(event.detail.data).toMatchObject({ status: 'delivered', test: true });
    expect(accepts(endpoint.secret, event.detail.body, event.detail.headers)).toBe(true);
  });

  it('gets nothing from another client that names the same role', async () => {
    const stranger = await newClient();
    const endpoint = await create(stranger, { sqs: { queue_arn: queueArn, role_arn: roleArn } });
    const { attempts } = await attempted(await testEvent(stranger, endpoint));
    // Its retries may have begun.
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({
        status: 403,
        error: 'not_200',
        error_message: expect.stringContaining(`with the external id ${stranger.clientId}`),
      });
    }
  });
});

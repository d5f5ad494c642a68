import { describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import type { ForeignCredentials } from '../../../shared/platform/aws/clients.ts';
import { awsDestinationSchemas } from '../../../shared/webhook/aws-destination.ts';
import { assumedRoles } from '../../../shared/webhook/deliver/assumed-roles.sts.ts';
import {
  type AwsRequest,
  queueUrlOf,
  sendToAws,
  textFor,
} from '../../../shared/webhook/deliver/send-to-aws.sqs.ts';

const queueArn = 'arn:aws:sqs:eu-west-1:123456789012:webhooks';
const busArn = 'arn:aws:events:us-east-1:123456789012:event-bus/webhooks';
const roleArn = 'arn:aws:iam::123456789012:role/gateway/sender';
const own = { GATEWAY_PARTITION: 'aws', GATEWAY_ACCOUNT: '999999999999' };

function issuesOf(kind: 'sqs' | 'eventbridge', given: unknown, where = own): string[] {
  const { success, error } = z.safeParse(awsDestinationSchemas(where)[kind], given);
  return success ? [] : error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the ARNs of a request', () => {
  it.each([
    ['sqs', { queue_arn: queueArn, role_arn: roleArn }],
    ['sqs', { queue_arn: `${queueArn}.fifo`, role_arn: 'arn:aws:iam::123456789012:role/r' }],
    ['eventbridge', { bus_arn: busArn, role_arn: roleArn }],
    ['eventbridge', { bus_arn: busArn.replace('/webhooks', '/default'), role_arn: roleArn }],
  ] as const)('are accepted: %s %j', (kind, given) => {
    expect(issuesOf(kind, given)).toEqual([]);
  });

  it.each([
    ['another service', busArn],
    ['no account', 'arn:aws:sqs:eu-west-1::webhooks'],
    ['a region that is a host', 'arn:aws:sqs:evil.example/:123456789012:webhooks'],
    ['a region with a port', 'arn:aws:sqs:eu-west-1:80:123456789012:webhooks'],
    ['no region', 'arn:aws:sqs::123456789012:webhooks'],
    ['a path', `${queueArn}/../other`],
    ['81 characters', `arn:aws:sqs:eu-west-1:123456789012:${'q'.repeat(81)}`],
    ['a line break', `${queueArn}\n`],
    ['a URL', 'https://sqs.eu-west-1.amazonaws.com/123456789012/webhooks'],
    ['nothing', ''],
  ])('are refused as a queue: %s', (_, text) => {
    expect(issuesOf('sqs', { queue_arn: text, role_arn: roleArn })[0]).toMatch(
      /^queue_arn: must be the ARN of an SQS/,
    );
  });

  it.each([
    'arn:aws:events:us-east-1:123456789012:event-bus/aws.partner/x',
    'arn:aws:events:us-east-1:123456789012:rule/x',
  ])('are refused as a bus: %s', (text) => {
    expect(issuesOf('eventbridge', { bus_arn: text, role_arn: roleArn })[0]).toMatch(
      /^bus_arn: must be the ARN/,
    );
  });

  it.each([
    ['a user', 'arn:aws:iam::123456789012:user/u'],
    ['a region', 'arn:aws:iam:eu-west-1:123456789012:role/r'],
    ['a pattern', 'arn:aws:iam::123456789012:role/*'],
  ])('are refused as a role: %s', (_, text) => {
    expect(issuesOf('sqs', { queue_arn: queueArn, role_arn: text })[0]).toMatch(
      /^role_arn: must be the ARN of an IAM/,
    );
  });

  it('must be in this partition, in one account, and never in the account of the gateway', () => {
    expect(issuesOf('sqs', { queue_arn: queueArn.replace('aws', 'aws-cn'), role_arn: roleArn })).toEqual([
      'queue_arn: must be in the partition aws, as this gateway is',
    ]);
    const other = roleArn.replace('123456789012', '210987654321');
    expect(issuesOf('sqs', { queue_arn: queueArn, role_arn: other })).toEqual([
      'role_arn: must be in the same account as the queue or event bus',
    ]);
    const given = { queue_arn: queueArn, role_arn: roleArn };
    expect(issuesOf('sqs', given, { ...own, GATEWAY_ACCOUNT: '123456789012' })).toEqual([
      'role_arn: must be in your own AWS account',
    ]);
  });

  it('give the address of a queue, in each partition', () => {
    expect(queueUrlOf(queueArn)).toEqual({
      region: 'eu-west-1',
      queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/webhooks',
    });
    expect(queueUrlOf('arn:aws-cn:sqs:cn-north-1:123456789012:q').queueUrl).toBe(
      'https://sqs.cn-north-1.amazonaws.com.cn/123456789012/q',
    );
  });
});

const use = {
  destination: { sqs: { queue_arn: queueArn, role_arn: roleArn } },
  clientId: 'client_a',
  endpointId: 'whe_1',
};

const ownText =
  'User: arn:aws:sts::111122223333:assumed-role/worker is not authorized to perform: sqs:SendMessage';

function denied(message = 'not authorized'): Error {
  return Object.assign(new Error(message), { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
}

/** STS with one role, and its trust policy. */
function aRole(trusts: (externalId: string) => boolean) {
  const asked: {
    readonly roleArn: string;
    readonly externalId: string;
    readonly sessionName: string;
    /** A JSON document. */
    readonly sessionPolicy: string;
  }[] = [];
  let now = new Date('2026-11-22T10:00:00Z');
  let ids = 0;
  const roles = assumedRoles(
    async (request) => {
      asked.push(request);
      if (!trusts(request.externalId)) throw denied();
      const accessKeyId = `key ${asked.length}`;
      const expiration = new Date(now.getTime() + 900_000);
      return { accessKeyId, secretAccessKey: 's', sessionToken: 't', expiration };
    },
    () => now,
    () => `random-${++ids}`,
  );
  const assumedFor = (clientId: string) => asked.filter(({ externalId }) => externalId === clientId);
  return {
    roles,
    asked,
    assumedFor,
    pass: (seconds: number) => (now = new Date(now.getTime() + seconds * 1000)),
  };
}

describe('a role of a client', () => {
  it('is assumed with the id of the client as external id, only to send to its queue, and once until it ends', async () => {
    const { roles, assumedFor, pass } = aRole((id) => id === 'client_a');
    const [first, second] = await Promise.all([roles.credentialsFor(use), roles.credentialsFor(use)]);
    expect(second).toBe(first);
    pass(700);
    expect(await roles.credentialsFor(use)).toBe(first);
    const [request] = assumedFor('client_a');
    expect(assumedFor('client_a')).toHaveLength(1);
    expect(request).toMatchObject({ roleArn, sessionName: 'messaging-gateway-whe_1' });
    const { Statement } = JSON.parse(request?.sessionPolicy ?? '') as {
      Statement: { Action: unknown; Resource: string }[];
    };
    expect(Statement[0]).toEqual({ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: queueArn });
    expect(Statement.slice(1).map(({ Action }) => Action)).toEqual([['kms:GenerateDataKey', 'kms:Decrypt']]);
    pass(100);
    await roles.credentialsFor(use);
    expect(assumedFor('client_a')).toHaveLength(2);
  });

  it('is refused to another client, also while credentials for the first one are cached', async () => {
    const { roles, assumedFor } = aRole((id) => id === 'client_a');
    await roles.credentialsFor(use);
    await expect(roles.credentialsFor({ ...use, clientId: 'client_b' })).rejects.toThrow('not authorized');
    expect(assumedFor('client_b')).toHaveLength(1);
  });

  it('is not used if its trust policy accepts any external id', async () => {
    const { roles } = aRole(() => true);
    await expect(roles.credentialsFor(use)).rejects.toMatchObject({ name: 'RoleTrustsAnyExternalId' });
  });

  it('is assumed again after its credentials were refused', async () => {
    const { roles, assumedFor, pass } = aRole((id) => id === 'client_a');
    await roles.credentialsFor(use);
    pass(10);
    roles.forget(use);
    await roles.credentialsFor(use);
    expect(assumedFor('client_a')).toHaveLength(2);
  });

  it('is asked for once in ten seconds where its queue refuses every webhook, or it trusts nobody', async () => {
    for (const isTrusting of [true, false]) {
      const { roles, assumedFor, pass } = aRole((id) => isTrusting && id === 'client_a');
      for (let webhook = 0; webhook < 200; webhook += 1) {
        await roles.credentialsFor(use).catch(() => undefined);
        roles.forget(use);
        pass(0.1);
      }
      expect(assumedFor('client_a')).toHaveLength(2);
    }
  });

  it('is asked for again at once where STS did not answer', async () => {
    let calls = 0;
    const roles = assumedRoles(
      async () => {
        calls += 1;
        throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
      },
      () => new Date('2026-11-22T10:00:00Z'),
      () => 'random',
    );
    for (let webhook = 0; webhook < 2; webhook += 1)
      await expect(roles.credentialsFor(use)).rejects.toThrow('slow down');
    expect(calls).toBe(4);
  });
});

const request: AwsRequest = {
  ...use,
  order: { groupId: 'msg_1', deduplicationId: 'whd_1' },
  event: 'sms.delivered',
  headers: { 'webhook-id': 'whd_1', 'webhook-signature': 'v1,x' },
  body: '{"event":"sms.delivered","data":{"status":"delivered"}}',
};
const toBus = { ...request, destination: { eventbridge: { bus_arn: busArn, role_arn: roleArn } } };
const answer = { status: 200, requestId: 'r1', id: 'm1' };

const limitMs = 50;

function aSender(
  changes: { readonly fails?: unknown; readonly roleFails?: unknown; readonly hangs?: boolean } = {},
) {
  const sent: object[] = [];
  const forgotten: unknown[] = [];
  const credentials = {} as ForeignCredentials;
  const roles = {
    async credentialsFor() {
      if (changes.roleFails !== undefined) throw changes.roleFails;
      return credentials;
    },
    forget: (role: unknown) => void forgotten.push(role),
  };
  const take = async (_: ForeignCredentials, one: object) => {
    sent.push(one);
    if (changes.hangs) await new Promise(() => {});
    if (changes.fails !== undefined) throw changes.fails;
    return answer;
  };
  return { send: sendToAws(roles, { sendMessage: take, putEvent: take }, limitMs), sent, forgotten };
}

describe('a webhook to AWS', () => {
  it('is a message with the exact body and the signatures as attributes', async () => {
    const { send, sent } = aSender();
    const result = await send(request);
    expect(sent).toEqual([{ queueArn, body: request.body, attributes: request.headers }]);
    expect(result).toMatchObject({
      status: 200,
      bodyStart: '{"id":"m1"}',
      headers: { 'x-amzn-requestid': 'r1' },
    });
    expect(result.error).toBeUndefined();
  });

  it("keeps the order of a message's events in a FIFO queue, and is not repeated there", async () => {
    const { send, sent } = aSender();
    await send({ ...request, destination: { sqs: { queue_arn: `${queueArn}.fifo`, role_arn: roleArn } } });
    expect(sent[0]).toMatchObject({ order: { groupId: 'msg_1', deduplicationId: 'whd_1' } });
  });

  it('is an event whose detail has the fields of the body, the signatures, and the signed text', async () => {
    const { send, sent } = aSender();
    await send(toBus);
    const event = sent[0] as { readonly detail: string };
    expect(event).toMatchObject({ busArn, source: 'messaging-gateway', detailType: 'sms.delivered' });
    expect(JSON.parse(event.detail)).toEqual({
      event: 'sms.delivered',
      data: { status: 'delivered' },
      headers: request.headers,
      body: request.body,
    });
  });

  it('has a text that the queue accepts, with the same value', () => {
    const body = JSON.stringify({ text: '\uffff' });
    expect(textFor(request.destination, body)).toBe('{"text":"\\uffff"}');
    expect(textFor(toBus.destination, body)).toBe(body);
  });

  it.each([
    ['the role may not send', { fails: denied() }, 403, 'the role may not send to the queue'],
    [
      'no trust',
      { roleFails: denied() },
      403,
      'the role does not trust this gateway with the external id client_a',
    ],
    [
      'no queue',
      {
        fails: Object.assign(new Error('gone'), {
          name: 'QueueDoesNotExist',
          $metadata: { httpStatusCode: 400 },
        }),
      },
      400,
      'the queue does not exist',
    ],
  ])('fails in our words: %s', async (_, changes, status, text) => {
    const { send } = aSender(changes);
    expect(await send(request)).toMatchObject({
      status,
      error: 'not_200',
      errorMessage: expect.stringContaining(text),
    });
  });

  it.each([
    { fails: denied(ownText) },
    { roleFails: denied(ownText) },
    { fails: Object.assign(new Error(ownText), { code: 'ECONNRESET' }) },
    { fails: ownText as never },
  ])('fails without the text of AWS, which names our account and role: %j', async (changes) => {
    const result = await aSender(changes).send(request);
    expect(result.errorMessage).toMatch(/^the /);
    expect(JSON.stringify(result)).not.toMatch(/111122223333|assumed-role/);
  });

  it('forgets credentials that were refused', async () => {
    const { send, forgotten } = aSender({ fails: denied() });
    await send(request);
    expect(forgotten).toHaveLength(1);
  });

  it.each([
    ['dns', { code: 'ENOTFOUND' }],
    ['refused', { code: 'ECONNREFUSED' }],
    ['reset', { code: 'ECONNRESET' }],
    ['timeout', { name: 'TimeoutError' }],
  ])('without a response is %s', async (error, properties) => {
    const { send, forgotten } = aSender({ fails: Object.assign(new Error('x'), properties) });
    const result = await send(request);
    expect(result).toMatchObject({ error });
    expect(result.status).toBeUndefined();
    expect(forgotten).toEqual([]);
  });

  it('ends at its time limit', async () => {
    const { send } = aSender({ hangs: true });
    // AbortSignal's own timer does not keep the process running.
    const keptRunning = setInterval(() => {}, 1000);
    const result = await send(request);
    clearInterval(keptRunning);
    expect(result).toMatchObject({ error: 'timeout', errorMessage: 'no response from AWS within 5 s' });
  });
});

/**
 * Makes one attempt to send to a queue or an event bus, with the same time limit, result and record as a POST. If AWS
 * accepts the event with status 200 within 5 s, the event is acknowledged. Otherwise the attempt fails with the gateway's
 * own error text, and is retried on the usual schedule.
 *
 * The SDK call is not retried, because a repeated call could send the webhook twice. EventBridge also returns 200 for an
 * event that it refuses.
 */
import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { acknowledgeWithinSeconds } from '../../contract/webhook-worker-times.ts';
import { type ForeignCredentials, foreignEventBridge, foreignSqs } from '../../platform/aws/clients.ts';
import { queueText } from '../../platform/aws/queues.sqs.ts';
import type { AttemptError } from '../attempt-record.ts';
import { type AwsDestination, domainOf, parseArn } from '../aws-destination.ts';
import {
  type assumedRoles,
  isAccessDenied,
  RoleTrustsAnyExternalId,
  type RoleUse,
} from './assumed-roles.sts.ts';
import type { PostResult } from './http-post.ts';

export interface AwsRequest extends RoleUse {
  /** For a FIFO queue: the group whose order the queue keeps, and the id by which the queue recognizes a repeat. */
  readonly order: { readonly groupId: string; readonly deduplicationId: string };
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends the request. Never throws: every failure is a result. */
export type SendToAws = (request: AwsRequest) => Promise<PostResult>;

export const eventSource = 'messaging-gateway';

const defaultLimitMs = acknowledgeWithinSeconds * 1000;

const errorMessageMax = 500;

export function sendToAws(
  roles: ReturnType<typeof assumedRoles>,
  senders: ReturnType<typeof awsSenders>,
  limitMs = defaultLimitMs,
): SendToAws {
  return async (request) => {
    const startedAt = performance.now();
    const limit = AbortSignal.timeout(limitMs);
    const ended = await Promise.race([attempt(roles, senders, request, limit), aborted(limit)]).catch(
      (error: unknown) => (limit.aborted ? timedOut : failure(error, request)),
    );
    return {
      reusedConnection: false,
      headers: {},
      bodyStart: '',
      ...ended,
      timings: { totalMs: performance.now() - startedAt },
    };
  };
}

async function attempt(
  roles: ReturnType<typeof assumedRoles>,
  senders: ReturnType<typeof awsSenders>,
  request: AwsRequest,
  signal: AbortSignal,
): Promise<Partial<PostResult>> {
  const credentials = await roles.credentialsFor(request).catch((cause: unknown) => {
    throw new RoleRefused('the role cannot be assumed', { cause });
  });
  // An attempt that has already timed out must not send anything.
  signal.throwIfAborted();
  try {
    const { status, requestId, id } = await send(senders, credentials, request, signal);
    return {
      status,
      headers: requestId === undefined ? {} : { 'x-amzn-requestid': requestId },
      bodyStart: JSON.stringify({ id }),
    };
  } catch (error) {
    // The client may have changed the role or its policies after STS issued the credentials.
    if (statusOf(error) !== undefined) roles.forget(request);
    throw error;
  }
}

function send(
  { sendMessage, putEvent }: ReturnType<typeof awsSenders>,
  credentials: ForeignCredentials,
  request: AwsRequest,
  signal: AbortSignal,
) {
  const { destination, order, event, headers, body } = request;
  if ('sqs' in destination) {
    const { queue_arn: queueArn } = destination.sqs;
    const isFifo = queueArn.endsWith('.fifo');
    const message = { queueArn, body, attributes: headers, ...(isFifo ? { order } : {}) };
    return sendMessage(credentials, message, signal);
  }
  // `detail` contains the fields of the body for the client's rules, and the exact text for the signature. EventBridge does
  // not keep the bytes of an object.
  const detail = JSON.stringify({ ...(JSON.parse(body) as object), headers, body });
  const { bus_arn: busArn } = destination.eventbridge;
  return putEvent(credentials, { busArn, source: eventSource, detailType: event, detail }, signal);
}

/** The error is about the role, not about the destination. */
class RoleRefused extends Error {}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const timedOut: Partial<PostResult> = {
  error: 'timeout',
  errorMessage: `no response from AWS within ${acknowledgeWithinSeconds} s`,
};

function failure(error: unknown, request: AwsRequest): Partial<PostResult> {
  const isRole = error instanceof RoleRefused;
  const cause = isRole ? error.cause : error;
  if (cause instanceof RoleTrustsAnyExternalId)
    return {
      error: 'blocked',
      errorMessage: `the trust policy of ${cause.message} must have the condition sts:ExternalId ${request.clientId}`,
    };
  const status = statusOf(cause);
  // The error's own text is left out, because it names the gateway's account and role.
  const name = cause instanceof Error ? cause.name : 'Error';
  const errorMessage = `${reasonOf(cause, isRole, request)} (${name})`.slice(0, errorMessageMax);
  return status === undefined
    ? { error: networkError(cause), errorMessage }
    : { status, error: 'not_200', errorMessage };
}

function reasonOf(cause: unknown, isRole: boolean, { destination, clientId }: AwsRequest): string {
  const target = 'sqs' in destination ? 'queue' : 'event bus';
  if (isRole)
    return isAccessDenied(cause)
      ? `the role does not trust this gateway with the external id ${clientId}`
      : 'the role could not be assumed';
  if (isAccessDenied(cause)) return `the role may not send to the ${target}`;
  const { name } = cause instanceof Error ? cause : { name: '' };
  return /NonExistentQueue|QueueDoesNotExist|ResourceNotFound/.test(name)
    ? `the ${target} does not exist`
    : `the ${target} did not accept the webhook`;
}

/** Returns the status of AWS's response, or undefined if AWS did not respond. */
function statusOf(error: unknown): number | undefined {
  const metadata = error instanceof Error && '$metadata' in error ? error.$metadata : undefined;
  const status = (metadata as { readonly httpStatusCode?: unknown } | undefined)?.httpStatusCode;
  return typeof status === 'number' ? status : undefined;
}

function networkError(error: unknown): AttemptError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (['ENOTFOUND', 'EAI_AGAIN'].includes(code)) return 'dns';
  if (code === 'ECONNREFUSED') return 'refused';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return 'reset';
}

/** Returns the text to sign and send. SQS refuses some characters, so the JSON contains them escaped. */
export function textFor(destination: AwsDestination, body: string): string {
  return 'sqs' in destination ? queueText(body) : body;
}

/** Derives the queue's address from its ARN. */
export function queueUrlOf(queueArn: string): { readonly region: string; readonly queueUrl: string } {
  const { partition, region, account, resource } = parseArn(queueArn, 'sqs');
  return { region, queueUrl: `https://sqs.${region}.${domainOf(partition)}/${account}/${resource}` };
}

/** Returns the functions that send to queues and buses. They reuse each SDK client until its credentials expire. */
export function awsSenders() {
  return {
    sendMessage: sqsSendMessage(perCredentials(foreignSqs)),
    putEvent: eventBridgePutEvent(perCredentials(foreignEventBridge)),
  };
}

function perCredentials<Client>(make: (region: string, credentials: ForeignCredentials) => Client) {
  const clients = new WeakMap<ForeignCredentials, Client>();
  return (region: string, credentials: ForeignCredentials): Client => {
    const client = clients.get(credentials) ?? make(region, credentials);
    clients.set(credentials, client);
    return client;
  };
}

export function sqsSendMessage(clientFor: (region: string, credentials: ForeignCredentials) => SQSClient) {
  return async (
    credentials: ForeignCredentials,
    {
      queueArn,
      body,
      attributes,
      order,
    }: {
      readonly queueArn: string;
      readonly body: string;
      /** The attributes of the SQS message, at most ten. */
      readonly attributes: Readonly<Record<string, string>>;
      readonly order?: AwsRequest['order'];
    },
    abortSignal: AbortSignal,
  ) => {
    const { region, queueUrl } = queueUrlOf(queueArn);
    const response = await clientFor(region, credentials).send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        // `queueText` changes nothing here: the text was escaped before it was signed.
        MessageBody: queueText(body),
        MessageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([name, value]) => [
            name,
            { DataType: 'String', StringValue: value },
          ]),
        ),
        MessageGroupId: order?.groupId,
        MessageDeduplicationId: order?.deduplicationId,
      }),
      { abortSignal },
    );
    const { httpStatusCode = 0, requestId } = response.$metadata;
    return { status: httpStatusCode, requestId, id: response.MessageId ?? '' };
  };
}

export function eventBridgePutEvent(
  clientFor: (region: string, credentials: ForeignCredentials) => EventBridgeClient,
) {
  return async (
    credentials: ForeignCredentials,
    {
      busArn,
      source,
      detailType,
      detail,
    }: {
      readonly busArn: string;
      readonly source: string;
      readonly detailType: string;
      /** A text that contains a JSON object. */
      readonly detail: string;
    },
    abortSignal: AbortSignal,
  ) => {
    const { region } = parseArn(busArn, 'events');
    const {
      Entries = [],
      FailedEntryCount,
      $metadata,
    } = await clientFor(region, credentials).send(
      new PutEventsCommand({
        Entries: [{ EventBusName: busArn, Source: source, DetailType: detailType, Detail: detail }],
      }),
      { abortSignal },
    );
    const [{ EventId, ErrorCode, ErrorMessage = '' } = {}] = Entries;
    if (FailedEntryCount !== 0 || EventId === undefined) {
      // EventBridge refused the entry and returned a code.
      const refusal = { name: ErrorCode ?? 'EventRefused', $metadata: { httpStatusCode: 400 } };
      throw Object.assign(new Error(ErrorMessage), refusal);
    }
    return { status: $metadata.httpStatusCode ?? 0, requestId: $metadata.requestId, id: EventId };
  };
}

/**
 * One attempt at a queue or an event bus, with the same time limit, result and record as a POST. If AWS accepts the
 * event with status 200 within 5 s, it is acknowledged; otherwise the attempt has failed, with an error text of the
 * gateway, and is retried on the usual schedule.
 */

import { acknowledgeWithinSeconds } from '../../contract/webhook-worker-times.ts';
import type { ForeignCredentials } from '../../platform/aws/clients.ts';
import { queueText } from '../../platform/aws/queues.sqs.ts';
import type { AttemptError } from '../attempt-record.ts';
import { type AwsDestination, type DestinationKind, domainOf, kindOf, parseArn } from '../aws-destination.ts';
import {
  type AssumedRoles,
  isAccessDenied,
  RoleTrustsAnyExternalId,
  type RoleUse,
} from './assumed-roles.sts.ts';
import type { PostResult } from './http-post.ts';

export interface AwsRequest extends RoleUse {
  /**
   * The order of a FIFO queue: the group in which order is kept, and the id by which the queue recognizes a
   * repetition.
   */
  readonly order: { readonly groupId: string; readonly deduplicationId: string };
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface AwsResponse {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly id: string;
}

export interface QueueMessage {
  readonly queueArn: string;
  readonly body: string;
  /** The attributes of the message, at most ten. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly order?: AwsRequest['order'];
}

export interface BusEvent {
  readonly busArn: string;
  readonly source: string;
  readonly detailType: string;
  /** A JSON object. */
  readonly detail: string;
}

export interface AwsSenders {
  sendMessage(
    credentials: ForeignCredentials,
    message: QueueMessage,
    signal: AbortSignal,
  ): Promise<AwsResponse>;
  putEvent(credentials: ForeignCredentials, event: BusEvent, signal: AbortSignal): Promise<AwsResponse>;
}

/** Sends the request. Never throws: every failure is a result. */
export type SendToAws = (request: AwsRequest) => Promise<PostResult>;

export const eventSource = 'messaging-gateway';
const defaultLimitMs = acknowledgeWithinSeconds * 1000;
const errorMessageMax = 500;

export function sendToAws(roles: AssumedRoles, senders: AwsSenders, limitMs = defaultLimitMs): SendToAws {
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
  roles: AssumedRoles,
  senders: AwsSenders,
  request: AwsRequest,
  signal: AbortSignal,
): Promise<Partial<PostResult>> {
  const credentials = await roles.credentialsFor(request).catch((cause: unknown) => {
    throw new RoleRefused('the role cannot be assumed', { cause });
  });
  // An attempt that has failed already must send nothing.
  signal.throwIfAborted();
  try {
    const { status, requestId, id } = await send(senders, credentials, request, signal);
    return {
      status,
      headers: requestId === undefined ? {} : { 'x-amzn-requestid': requestId },
      bodyStart: JSON.stringify({ id }),
    };
  } catch (error) {
    // The client may have changed the role or its policies since.
    if (statusOf(error) !== undefined) roles.forget(request);
    throw error;
  }
}

function send(
  { sendMessage, putEvent }: AwsSenders,
  credentials: ForeignCredentials,
  request: AwsRequest,
  signal: AbortSignal,
): Promise<AwsResponse> {
  const { destination, order, event, headers, body } = request;
  if ('sqs' in destination) {
    const { queue_arn: queueArn } = destination.sqs;
    const isFifo = queueArn.endsWith('.fifo');
    const message = { queueArn, body, attributes: headers, ...(isFifo ? { order } : {}) };
    return sendMessage(credentials, message, signal);
  }
  // Rules match the body's fields; the signatures are of its exact bytes, which EventBridge does not keep of an object.
  const detail = JSON.stringify({ ...(JSON.parse(body) as object), headers, body });
  const { bus_arn: busArn } = destination.eventbridge;
  return putEvent(credentials, { busArn, source: eventSource, detailType: event, detail }, signal);
}

/** The role was refused, and not the destination. */
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
  // Leaves out the error's own text, which names the gateway's account and role.
  const name = cause instanceof Error ? cause.name : 'Error';
  const errorMessage = `${reasonOf(cause, isRole, request)} (${name})`.slice(0, errorMessageMax);
  return status === undefined
    ? { error: networkError(cause), errorMessage }
    : { status, error: 'not_200', errorMessage };
}

const targetNames: Readonly<Record<DestinationKind, string>> = { sqs: 'queue', eventbridge: 'event bus' };

function reasonOf(cause: unknown, isRole: boolean, { destination, clientId }: AwsRequest): string {
  const target = targetNames[kindOf(destination)];
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

/** Errors of AWS carry the status of its response; one without it never got a response. */
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

/**
 * Returns the text that the destination gets, which is the one to sign: SQS refuses some characters, which JSON can
 * escape.
 */
export function textFor(destination: AwsDestination, body: string): string {
  return 'sqs' in destination ? queueText(body) : body;
}

/** Derives the queue's address from its ARN. */
export function queueUrlOf(queueArn: string): { readonly region: string; readonly queueUrl: string } {
  const { partition, region, account, resource } = parseArn(queueArn, 'sqs');
  return { region, queueUrl: `https://sqs.${region}.${domainOf(partition)}/${account}/${resource}` };
}

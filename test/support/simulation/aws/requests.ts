/**
 * Answers the requests of the AWS clients: finds the service and the operation, lets the faults decide what becomes of the
 * call, and speaks the service's protocol. A call takes effect in one step of the virtual time.
 */
import type { FaultKind, FaultRates, Faults } from '../faults.ts';
import type { Process } from '../lambda/processes.ts';
import type { Outage } from '../stage.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { isGranted } from './grants.ts';
import { ServiceError } from './service-error.ts';

export interface SdkRequest {
  readonly hostname: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A call of an AWS service, as a reader of the trace knows it. */
export interface Call {
  readonly service: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The table, the queue or whatever else it is about. */
  readonly about: string;
}

/** Each takes effect when it is called. @throws ServiceError */
export type Services = Readonly<Record<string, (call: Call, noted: NotedCall) => object | Promise<object>>>;

/** The record of a call. All inputs would take most of the memory of a long run. */
export interface NotedCall extends Omit<Call, 'input'> {
  /** Recorded only for calls that went wrong. */
  readonly input: Call['input'] | undefined;
  readonly atMs: number;
  readonly process: string;
  readonly point: string;
  readonly fault: FaultKind | undefined;
  /** The code of an error that the service itself answered. */
  code?: string;
}

interface RequestSettings {
  readonly services: Services;
  readonly time: VirtualTime;
  readonly faults: Faults;
  /** Services that are out of order for a while: each call of them fails meanwhile. */
  readonly outageOf: (call: Call, process: Process) => Pick<Outage, 'fault'> | undefined;
  readonly note: (call: NotedCall) => void;
}

/** The code of a call that the role of its function does not permit. */
export const accessDenied = 'AccessDeniedException';

const rates: FaultRates = {
  'dies before': 0.002,
  'dies after': 0.002,
  'fails before': 0.003,
  'fails after': 0.003,
  'no request': 0.001,
  'no answer': 0.002,
  throttled: 0.004,
  'arrives late': 0.002,
  'is answered late': 0.002,
};
/** AWS documents that an internal error of these services means that the request was not completed. */
const carriers: readonly string[] = ['sms', 'whatsapp'];
const carrierRates: FaultRates = { ...rates, 'fails after': 0, 'no answer': 0.005 };
const writes = /^(Put|Update|Delete|Transact|Send|Create|BatchWrite|Change)/;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Another write holds a row of the transaction. */
const conflicting = { CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }] };
/** For calls whose client has no time limit of its own. */
const patienceMs = 60_000;
/** How late a late call or answer is. */
const lateMs = { least: 200, most: 20_000 } as const;

export function awsRequests({ services, time, faults, outageOf, note }: RequestSettings) {
  async function performed(
    call: Call,
    noted: NotedCall,
  ): Promise<{ readonly status: number; readonly body: object; readonly code?: string }> {
    const service = services[call.service];
    if (service === undefined) throw new Error(`the simulation has no ${call.service}`);
    try {
      return { status: 200, body: await service(call, noted) };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return errorOf(error);
    }
  }

  return function request(
    process: Process,
    sdkRequest: SdkRequest,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<Response> {
    const call = callOf(sdkRequest);
    const ratesOfCall = carriers.includes(call.service) ? carrierRates : rates;
    const decided = faults.decide(`${process.file} ${call.operation} ${call.about}`, ratesOfCall, time.now());
    const { point } = decided;
    const outage = outageOf(call, process);
    const fault = decided.fault ?? outage?.fault ?? (outage && 'throttled');
    const { service, operation, about } = call;
    const noted: NotedCall = {
      ...{ service, operation, about, input: fault === undefined ? undefined : call.input },
      ...{ atMs: time.now(), process: process.id, point, fault },
    };
    note(noted);
    return new Promise((resolve, reject) => {
      const answer = (ms: number, act: () => void): void =>
        time.at(time.now() + ms, () => process.arrives(act));
      const respond = (status: number, body: object, ms: number): void =>
        answer(ms, () => resolve(responseOf(call, status, body)));
      const fail = (code: string, status: number, message: string): void => {
        const error = errorOf(new ServiceError(code, message, { status }));
        respond(error.status, error.body, 2);
      };
      signal?.addEventListener('abort', () => {
        const error = Object.assign(new Error('Request aborted'), { name: 'AbortError' });
        process.arrives(() => reject(error));
      });
      const timeOut = (): void =>
        answer(limitMs || patienceMs, () =>
          reject(Object.assign(new Error('no response in time'), { name: 'TimeoutError' })),
        );
      const lateness = (): number => faults.durationMs(`${point} late`, lateMs.least, lateMs.most);
      if (!isGranted(call, process.file)) {
        noted.code = accessDenied;
        return fail(accessDenied, 400, `${process.file} may not ${operation} ${about}`);
      }
      if (fault === 'dies before') return process.die();
      if (fault === 'fails before') return fail('InternalServerError', 500, 'an internal error');
      if (fault === 'throttled') return fail(throttleOf(call), 400, 'slow down');
      if (fault === 'conflicts with a transaction') {
        const { body } = errorOf(new ServiceError('TransactionCanceledException', 'canceled', conflicting));
        return respond(400, body, 2);
      }
      if (fault === 'no request') return timeOut();
      const takesMs =
        faults.durationMs(point, writes.test(call.operation) ? 3 : 2, 40) +
        (fault === 'arrives late' ? lateness() : 0);
      if (fault === 'arrives late' || fault === 'is answered late') timeOut();
      time.at(time.now() + takesMs, () => {
        performed(call, noted).then(({ status, body, code }) => {
          if (code !== undefined) noted.code = code;
          if (fault === 'dies after') process.die();
          else if (fault === 'fails after') fail('InternalServerError', 500, 'an internal error');
          else if (fault === 'no answer') timeOut();
          else if (fault === 'is answered late') respond(status, body, lateness());
          else respond(status, body, faults.durationMs(`${point} answer`, 2, 20));
        }, reject);
      });
    });
  };
}

function throttleOf({ service }: Call): string {
  if (service === 'dynamodb') return 'ProvisionedThroughputExceededException';
  return service === 'sqs' ? 'RequestThrottled' : 'ThrottlingException';
}

function errorOf({ code, message, status, fields }: ServiceError) {
  return { status, code, body: { __type: code, message, ...fields } };
}

function responseOf({ service }: Call, statusCode: number, body: object): Response {
  const isError = statusCode >= 400;
  const type = Reflect.get(body, '__type');
  return {
    statusCode,
    headers: {
      'content-type': service === 'dynamodb' ? 'application/x-amz-json-1.0' : 'application/json',
      'x-amzn-requestid': 'simulated',
      ...(isError ? { 'x-amzn-errortype': String(type) } : {}),
    },
    body: encoder.encode(JSON.stringify(body)),
  };
}

/** The services with a target header, by its prefix. */
const targets: Readonly<Record<string, string>> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  TrentService: 'kms',
  secretsmanager: 'secrets',
  PinpointSMSVoiceV2: 'sms',
};

/** The body of a request, which the SDK gives as text or as bytes. */
export function textOf(body: SdkRequest['body'] = ''): string {
  return typeof body === 'string' ? body : decoder.decode(body);
}

function callOf({ hostname, method, path, headers, body }: SdkRequest): Call {
  const text = textOf(body);
  const [prefix = '', name = ''] = (headers['x-amz-target'] ?? '').split('.');
  const input = text === '' ? {} : JSON.parse(text);
  const service = targets[prefix];
  if (service !== undefined) return { service, operation: name, input, about: aboutOf(input) };
  if (hostname.startsWith('scheduler.') && method === 'POST') {
    const Name = decodeURIComponent(path.split('/').at(-1) ?? '');
    return {
      service: 'scheduler',
      operation: 'CreateSchedule',
      input: { ...input, Name },
      about: 'a schedule',
    };
  }
  if (hostname.startsWith('social-messaging.'))
    return { service: 'whatsapp', operation: 'SendWhatsAppMessage', input, about: 'a message' };
  throw new Error(`the simulation does not know ${method} ${hostname}${path}`);
}

function aboutOf(input: Readonly<Record<string, unknown>>): string {
  if (typeof input.TableName === 'string') return input.TableName;
  if (typeof input.QueueUrl === 'string') return input.QueueUrl.replace(/^.*\//, '');
  if (typeof input.RequestItems === 'object') return Object.keys(input.RequestItems ?? {}).join(' and ');
  if (Array.isArray(input.TransactItems))
    return [
      ...new Set(
        input.TransactItems.flatMap((item) => Object.values(item as object).map((each) => each.TableName)),
      ),
    ].join(' and ');
  return 'the service';
}

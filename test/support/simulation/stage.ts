/**
 * The deployed stage in a simulated world: its functions, in processes that die; the services that they call; and the
 * people, carriers and endpoints outside. Everything happens in a virtual time and in an order that the seed decides.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type DynamoDb, dynamoDb } from './aws/dynamodb.ts';
import { awsRequests, type Call, type NotedCall, type Services } from './aws/requests.ts';
import { simulatedScheduler } from './aws/scheduler.ts';
import { ServiceError } from './aws/service-error.ts';
import { type Sqs, simulatedSqs } from './aws/sqs.ts';
import type { Deployment } from './deployment.ts';
import { decidedFaults, type FaultKind, type FaultOptions, type Faults } from './faults.ts';
import { eventSources } from './lambda/event-sources.ts';
import type { FunctionCode } from './lambda/function-code.ts';
import { functionProcesses, type Process, type Processes } from './lambda/processes.ts';
import { type ApiRequest, apiGateway } from './outside/api.ts';
import { type Carriers, simulatedCarriers } from './outside/carriers.ts';
import { simulatedEndpoints } from './outside/endpoints.ts';
import { infobipSecret, simulatedInfobip } from './outside/infobip.ts';
import { type Asked, emptyRecord, type OutsideRecord } from './outside/record.ts';
import { PendingReports } from './outside/reports.ts';
import { vendorCalls } from './outside/vendor-calls.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

export interface Outage {
  /** A service, the table that it is about, the function that calls, one kind of its calls, or the relay. */
  readonly of: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** How many of the calls fail; by default all. */
  readonly share?: number;
  /** The fault of these calls. By default AWS throttles them, and a vendor cannot be reached. */
  readonly fault?: FaultKind | undefined;
}

export interface StageOptions extends FaultOptions {
  readonly startAt: Date;
  readonly skewMaxMs: number;
  /** How late an index has a write, at most. */
  readonly indexLagMaxMs: number;
  readonly schedulesPerSecond: number;
  readonly outages: readonly Outage[];
  /** How long after its time DynamoDB deletes a row by its TTL. */
  readonly ttlDelayMs: number;
  /** True if carriers throttle the messages to some numbers. */
  readonly carriersThrottle: boolean;
  /** In order of preference. */
  readonly smsCarriers: readonly string[];
  /** Takes what the processes of a function print. */
  readonly print?: ((file: string, text: string) => void) | undefined;
}

export interface Stage {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly database: DynamoDb;
  /** The names of its tables. */
  readonly tables: readonly string[];
  readonly sqs: Sqs;
  readonly carriers: Carriers;
  readonly processes: Processes;
  readonly record: OutsideRecord;
  readonly calls: readonly NotedCall[];
  readonly processDeaths: Processes['deaths'];
  /** The outages of the plan, and what a step broke. */
  readonly outages: readonly Outage[];
  ask(request: ApiRequest): Promise<Asked>;
  /** Publishes to the topic of receipts and inbound messages, which delivers it late, and perhaps again after so long. */
  publish(event: object, againAfterMs?: number, lateMs?: number): void;
  /** Things go wrong for so long from now on, and for as long as they would anyway. After that the stage comes to rest. */
  disturb(forMs: number): void;
  /**
   * A share of the calls of a service, table or function fails for so long, or of the new messages is missed by the relay; not in
   * a run in which nothing goes wrong.
   */
  breaks(of: string, share: number, forMs: number, fault?: FaultKind): void;
  /** Returns true if no more faults happen. */
  isAtRest(): boolean;
  /** Returns true if any work is in progress that no timer starts. */
  isBusy(): boolean;
}

/** Signs as KMS does. Its key is another one in each run; no decision depends on it. */
const signingKey: { readonly privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** How many of the new messages the relay misses. */
const usuallyMissed = 0.002;
const ttlEveryMs = 120_000;
/** A row is queued and moved within two minutes of its time. */
const overdueMs = 120_000;

export function simulatedStage(
  deployment: Deployment,
  code: ReadonlyMap<string, FunctionCode>,
  options: StageOptions,
): Stage {
  const time = wholeMilliseconds(virtualTime(options.startAt.getTime()));
  const faults = decidedFaults(options);
  const record = emptyRecord();
  const calls: NotedCall[] = [];
  const sqs = simulatedSqs(deployment.queues, time, faults);
  const scheduler = simulatedScheduler({ sqs, time, faults, perSecond: options.schedulesPerSecond });

  function publish(event: object, againAfterMs?: number, lateMs = 0): void {
    const notification = JSON.stringify({
      Type: 'Notification',
      MessageId: `notification-${time.now()}`,
      TopicArn: 'arn:aws:sns:eu-west-1:111122223333:receipts',
      Message: JSON.stringify(event),
      Timestamp: new Date(time.now()).toISOString(),
    });
    const deliver = (): void => void sqs.put(deployment.receiptsQueue, notification);
    if (lateMs === 0) deliver();
    else time.at(time.now() + lateMs, deliver);
    if (againAfterMs !== undefined) time.at(time.now() + againAfterMs, deliver);
  }

  /** Returns true if a row is due within two minutes. */
  function isDue(): boolean {
    const until = new Date(time.now() + 120_000).toISOString();
    return [...database.rows('Messages'), ...database.rows('WebhookDeliveries')].some(
      ({ due_at }) => due_at !== undefined && 'S' in due_at && due_at.S < until,
    );
  }

  /** Notes the messages and webhooks that were due minutes ago, and that nothing that went wrong since explains. */
  function noteOverdue(): void {
    const lastFaultMs = Math.max(
      ...[0, faults.happened.at(-1)?.atMs ?? 0],
      ...outages.map(({ fromMs, untilMs }) => (fromMs < time.now() ? untilMs : 0)),
    );
    // A worker acts by its own clock.
    const before = new Date(time.now() - overdueMs - options.skewMaxMs).toISOString();
    if (time.now() > lastFaultMs + overdueMs + options.skewMaxMs) {
      for (const { message_id, due_at } of database.rows('Messages'))
        if (due_at !== undefined && 'S' in due_at && due_at.S < before)
          record.overdue.push(`${JSON.stringify(message_id)} was due at ${due_at.S}`);
      for (const { delivery_id, state, attempt_due_at: at } of database.rows('WebhookDeliveries'))
        if (/pending|retry_scheduled/.test(JSON.stringify(state)) && at && 'S' in at && at.S < before)
          record.overdueWebhooks.push(`${JSON.stringify(delivery_id)} was due at ${at.S}`);
    }
    time.at(time.now() + 60_000, noteOverdue);
  }

  const isAtRest = (): boolean => time.now() > faults.untilMs();
  const pending = new PendingReports();
  const carriers = simulatedCarriers({
    ...{ time, faults, record, pending, publish },
    throttles: options.carriersThrottle,
    isFirstOfSeveral: options.smsCarriers.length > 1,
  });
  const drawn = (name: string, share: number): boolean => {
    const { fault } = faults.decide(name, { 'conflicts with a transaction': share }, time.now());
    return fault !== undefined;
  };
  const database = dynamoDb(deployment.tables, {
    now: time.now,
    later: (ms, run) => time.at(time.now() + ms, run),
    indexLagMs: () => {
      const { fault, point } = faults.decide('index', { 'comes late': 0.02 }, time.now());
      return faults.durationMs(point, 0, fault === undefined ? 50 : options.indexLagMaxMs);
    },
    readLagMs: () => {
      const { fault, point } = faults.decide(
        'eventually consistent read',
        { 'comes late': 0.05 },
        time.now(),
      );
      return fault === undefined ? 0 : faults.durationMs(point, 20, 2000);
    },
    conflicts: () => drawn('write beside a transaction', 0.5),
    leavesUndone: () =>
      faults.decide('part of a batch', { 'leaves a part undone': 0.01 }, time.now()).fault !== undefined,
    changed: (change) => sources.changed(change),
  });

  const services: Services = {
    dynamodb: ({ operation, input }) => database.call(operation, input),
    sqs: ({ operation, input }) =>
      operation === 'ReceiveMessage'
        ? sqs.receiveMessages(input as never)
        : sqs.call(operation, input as never),
    scheduler: ({ input }) => scheduler.create(input as never),
    sms: carriers.sms,
    whatsapp: carriers.whatsApp,
    kms: answerOfKms,
    secrets: answerOfSecrets,
  };

  const outages: Outage[] = [...options.outages];
  const drawnByOutages = faults.random('outages');
  const ofNow = (...names: readonly string[]): Outage[] =>
    outages.filter(
      ({ of, fromMs, untilMs }) => names.includes(of) && time.now() >= fromMs && time.now() < untilMs,
    );
  const outageOf = ({ service, operation, about }: Call, { file }: Process): Outage | undefined =>
    ofNow(service, about, file, `${file} ${operation} ${about}`).find(
      ({ share = 1 }) => drawnByOutages() < share,
    );
  const note = (call: NotedCall): void => void calls.push(call);
  const request = awsRequests({ services, time, faults, outageOf, note });
  const infobip = simulatedInfobip({
    ...{ time, faults, record, pending, throttles: options.carriersThrottle },
    ask: (asked) => ask(asked),
  });
  const processes = functionProcesses({
    code,
    files: deployment.files,
    time,
    faults,
    skewMaxMs: options.skewMaxMs,
    isCalm: isAtRest,
    print: options.print,
    aws: request as never,
    post: simulatedEndpoints(time, faults, record) as never,
    httpsRequest: vendorCalls({ vendor: infobip.vendor, time, faults, outageOf, note }),
  });
  const ask = apiGateway({ deployment, processes, time, faults, record });
  const sources = eventSources({
    deployment,
    processes,
    sqs,
    time,
    faults,
    isIdle: () => isAtRest() && !isDue(),
    missedShare: () => Math.max(usuallyMissed, ...ofNow('relay').map(({ share = 1 }) => share)),
  });

  /** DynamoDB deletes within two days what its TTL names: in a run soon, or as late as that. */
  function deleteByTtl(): void {
    for (const { name } of deployment.tables)
      for (const item of database.rows(name)) database.expire(name, item, options.ttlDelayMs);
    time.at(time.now() + ttlEveryMs, deleteByTtl);
  }
  time.at(time.now() + ttlEveryMs, deleteByTtl);
  time.at(time.now() + 60_000, noteOverdue);
  const consumed = new Set(deployment.queueSources.map(({ queue }) => queue));

  return {
    time,
    faults,
    database,
    tables: deployment.tables.map(({ name }) => name),
    sqs,
    carriers,
    processes,
    record,
    calls,
    processDeaths: processes.deaths,
    outages,
    ask,
    publish,
    disturb: (forMs) => faults.endAt(Math.max(faults.untilMs(), time.now() + forMs)),
    breaks(of, share, forMs, fault) {
      const fromMs = time.now();
      if (options.severity > 0) outages.push({ of, share, fault, fromMs, untilMs: fromMs + forMs });
    },
    isAtRest,
    isBusy: () =>
      sources.isBusy() ||
      scheduler.isBusy() ||
      infobip.isBusy() ||
      sqs.all.some(({ name, messages }) => consumed.has(name) && messages.size > 0),
  };
}

/** As clocks show them; random delays have fractions. */
function wholeMilliseconds(time: VirtualTime): VirtualTime {
  const at: VirtualTime['at'] = (timeMs, run) => time.at(Math.ceil(timeMs), run);
  return { ...time, at, sleep: (ms) => new Promise((resolve) => at(time.now() + ms, resolve)) };
}

async function answerOfKms({ operation, input }: Call): Promise<object> {
  if (operation === 'GetPublicKey') {
    const der = createPublicKey(signingKey.privateKey).export({ type: 'spki', format: 'der' });
    return { KeyId: input.KeyId, PublicKey: der.toString('base64'), KeySpec: 'ECC_NIST_P256' };
  }
  // Node cannot sign a digest as it is: it hashes it again, and so does the verification of a simulated process.
  const digest = Buffer.from(String(input.Message), 'base64');
  return { KeyId: input.KeyId, Signature: sign('sha256', digest, signingKey.privateKey).toString('base64') };
}

function answerOfSecrets({ input }: Call): object {
  if (input.VersionStage === 'AWSPREVIOUS')
    throw new ServiceError('ResourceNotFoundException', 'no such version');
  return {
    ARN: input.SecretId,
    SecretString: String(input.SecretId).includes('Infobip')
      ? infobipSecret
      : 'a secret of the simulation, as long as one of the real ones is',
  };
}

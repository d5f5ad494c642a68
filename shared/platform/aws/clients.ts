/**
 * Creates the AWS clients. Their calls have a time limit, and so few retries that they end before the function's time
 * limit.
 */
import { type Agent, type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KMSClient } from '@aws-sdk/client-kms';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { STSClient } from '@aws-sdk/client-sts';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { signalOfRequest } from '../deadline.ts';
import { lazily } from '../expiring-cache.ts';
import { Sha256 } from './sha256.ts';

/**
 * The time limits of a call in milliseconds, after which it is retried. If `throwOnRequestTimeout` is
 * missing, the SDK only logs a warning.
 */
const timeLimits = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };
const clientConfig = { maxAttempts: 3, requestHandler: timeLimits, sha256: Sha256 };

/** Shorter than any AWS server keeps an idle connection, and long enough for a burst of calls. */
const idleMaxMs = 1000;
const agents = lazily(() => ({
  httpAgent: keepingConnections(new HttpAgent({ keepAlive: true }), idleMaxMs),
  httpsAgent: keepingConnections(new HttpsAgent({ keepAlive: true }), idleMaxMs),
}));

/**
 * Returns the settings of a client without retries, because a retry could send twice. Idle connections are closed early: if
 * the service had already closed one, it would be unknown if the call was processed.
 */
export function sentOnce() {
  return { maxAttempts: 1, requestHandler: { connectionTimeout: 1000, ...agents() } };
}

let documents: DynamoDBDocumentClient | undefined;

export function dynamo(): DynamoDBDocumentClient {
  documents ??= documentClient(dynamoClient());
  return documents;
}

/** Returns the client for functions. Tests and benchmarks pass their own endpoint. */
export function dynamoClient(config: DynamoDBClientConfig = {}): DynamoDBClient {
  return retryingConflicts(prepared(new DynamoDBClient({ ...clientConfig, ...config })));
}

/**
 * Makes the client retry conflicts with transactions. DynamoDB refuses a write to a row that a transaction is writing, and
 * the SDK does not retry this error by default. The SDK retries the other errors of contention: throttling, a transaction
 * in progress, a replicated write. Local engines report none of them.
 */
function retryingConflicts(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (error instanceof TransactionConflictException) Object.assign(error, { $retryable: {} });
        throw error;
      }
    },
    { name: 'retryConflicts', step: 'deserialize', priority: 'high' },
  );
  return client;
}

/**
 * Reads every number as a JavaScript number. By default, the SDK throws if a number is too large to be exact. Also writes
 * objects with a field named `constructor`, which the SDK would otherwise treat as class instances.
 */
export function documentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
}

export function sqs(): SQSClient {
  return prepared(new SQSClient(clientConfig));
}

export function scheduler(): SchedulerClient {
  return prepared(new SchedulerClient(clientConfig));
}

export function secretsManager(): SecretsManagerClient {
  return prepared(new SecretsManagerClient(clientConfig));
}

export function kms(): KMSClient {
  return prepared(new KMSClient(clientConfig));
}

export function sts(): STSClient {
  return prepared(new STSClient(clientConfig));
}

export interface ForeignCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiration: Date;
}

/** Returns a client for queues in another account. Its address is derived from the region, not from a queue's URL. */
export function foreignSqs(region: string, credentials: ForeignCredentials): SQSClient {
  return prepared(new SQSClient({ ...foreignConfig(region, credentials), useQueueUrlAsEndpoint: false }));
}

export function foreignEventBridge(region: string, credentials: ForeignCredentials): EventBridgeClient {
  return prepared(new EventBridgeClient(foreignConfig(region, credentials)));
}

function foreignConfig(region: string, credentials: ForeignCredentials) {
  return { ...clientConfig, ...sentOnce(), region, credentials };
}

function prepared<C extends Parameters<typeof endWithRequest>[0] & Parameters<typeof withFastCalls>[0]>(
  client: C,
): C {
  endWithRequest(client);
  withFastCalls(client);
  return client;
}

/** Ends each attempt at the request's deadline. The SDK calls its request handler for each attempt. */
function endWithRequest({
  config: { requestHandler },
}: {
  readonly config: {
    readonly requestHandler: {
      handle(request: never, options?: { readonly abortSignal?: AbortSignal | undefined }): Promise<unknown>;
    };
  };
}): void {
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (request, options = {}) => {
    const ends = [signalOfRequest(), options.abortSignal].filter((signal) => signal !== undefined);
    return handle(request, { ...options, abortSignal: ends.length > 1 ? AbortSignal.any(ends) : ends[0] });
  };
}

/**
 * Saves 20 % of the SDK's CPU time in each call. The SDK's log middleware takes 5 %, although these clients have no logger.
 * The header with the version of the SDK takes 5 %. Copies of the client's settings, four for each call, take the other 10
 * %. V8 stores the settings as a hash table, which takes 15 µs to copy. After an object has been a prototype, V8 stores it
 * as fields, which takes 2 µs.
 */
function withFastCalls(client: {
  readonly config: object;
  readonly middlewareStack: { remove(name: string): boolean };
}): void {
  client.middlewareStack.remove('loggerMiddleware');
  client.middlewareStack.remove('getUserAgentMiddleware');
  Object.create(client.config);
}

/**
 * Changes the agent and returns it. Lambda freezes a process between invocations, so no timer closes its idle connections.
 * If the server has closed a connection, the process notices this only after it has written the next request, and it is
 * unknown if that request was processed. So the agent checks the age by the wall clock when it takes a connection. It never
 * uses a connection that was idle for longer than `idleMaxMs`, and keeps at most `idleMax` connections in total, while
 * Node's `maxFreeSockets` counts for each host.
 */
export function keepingConnections<A extends Agent>(agent: A, idleMaxMs: number, idleMax = Infinity): A {
  const idleSince = new WeakMap<Duplex, number>();
  const keep = agent.keepSocketAlive.bind(agent);
  // Node calls `addRequest` for each request, but its types omit it.
  const { addRequest } = agent as unknown as {
    addRequest(request: ClientRequest, options: unknown): void;
  };
  const idleConnections = () =>
    Object.values(agent.freeSockets)
      .flatMap((sockets = []) => sockets)
      .filter((socket) => !socket.destroyed);

  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex) {
      const idle = idleConnections();
      // The host whose connections have been idle for longest comes first.
      if (idle.length >= idleMax) idle[0]?.destroy();
      idleSince.set(socket, Date.now());
      return keep(socket);
    },
    addRequest(request: ClientRequest, options: unknown): void {
      const oldest = Date.now() - idleMaxMs;
      // Node skips destroyed connections.
      for (const socket of idleConnections()) if ((idleSince.get(socket) ?? 0) < oldest) socket.destroy();
      addRequest.call(agent, request, options);
    },
  });
}

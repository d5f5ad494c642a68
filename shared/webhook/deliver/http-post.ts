/**
 * Sends one POST to an endpoint that may be slow, broken or hostile. The POST ends within its time limit, reads at most 16 KiB of the
 * headers and of the body, follows no redirect, decompresses nothing, and reports the time of each phase. If a reused
 * connection breaks before the first byte of the response, the endpoint has probably closed the idle connection. The POST
 * is then repeated immediately on another connection. After any other failure, the next attempt is the scheduled retry
 * (contract 7.8).
 */

import { lookup, Resolver } from 'node:dns/promises';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SecureContextOptions, TLSSocket } from 'node:tls';
import { acknowledgeWithinSeconds } from '../../contract/webhook-worker-times.ts';
import { keepingConnections } from '../../platform/aws/clients.ts';
import {
  type AddressRules,
  checkUrl,
  codedError,
  guardedLookup,
  hostOf,
  type Resolve,
} from '../address-guard.ts';
import type { AttemptError } from '../attempt-record.ts';

/** The time limit of a body, within the limit of the POST. */
const bodyLimitMs = 500;
const responseReadMaxBytes = 16_384;
const responseKeptBytes = 4096;
const interimResponsesMax = 10;
const headersKeptMax = 40;
const headerKeptCharacters = 256;

/**
 * Common servers close idle connections after 5 s. With this shorter time, a POST rarely uses a connection that is being
 * closed.
 */
const idleMaxMs = 4000;
/** Two agents together keep 256 connections, because a Lambda function can have at most 1,024 open files. */
const idleConnectionsMax = 128;
const idleConnectionsPerHostMax = 4;
/**
 * The time limit for connecting to one address of a host with several addresses. Node's default of 250 ms is too short for
 * a distant host.
 */
const nextAddressAfterMs = 1500;

export interface PostResult {
  /**
   * Milliseconds from the start. A phase is absent if the request did not reach it, or if a reused connection skipped it.
   */
  readonly timings: {
    dnsMs?: number;
    connectMs?: number;
    tlsMs?: number;
    firstByteMs?: number;
    totalMs: number;
  };
  readonly reusedConnection: boolean;
  readonly address?: string | undefined;
  readonly status?: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyStart: string;
  /** Absent only if the endpoint acknowledged the webhook in time. */
  readonly error?: AttemptError | undefined;
  readonly errorMessage?: string | undefined;
}

/** Posts the request. Never throws: every failure is a result. */
export type Post = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The time limit, by default `acknowledgeWithinSeconds`. */
  readonly timeoutSeconds?: number | undefined;
  /** True if every status from 200 to 299 acknowledges the webhook. By default only 200 does (contract 7.7). */
  readonly takesAny2xx?: boolean | undefined;
}) => Promise<PostResult>;

export function httpPost({
  rules,
  resolve,
  tls,
}: {
  readonly rules: AddressRules;
  readonly resolve: Resolve;
  readonly tls?: SecureContextOptions;
}): Post {
  const lookup = guardedLookup(resolve, rules);
  const options = {
    keepAlive: true,
    timeout: idleMaxMs,
    maxFreeSockets: idleConnectionsPerHostMax,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
  };
  const http = keepingConnections(new HttpAgent(options), idleMaxMs, idleConnectionsMax);
  const https = keepingConnections(new HttpsAgent({ ...options, ...tls }), idleMaxMs, idleConnectionsMax);

  return async ({
    url: text,
    headers,
    body,
    timeoutSeconds = acknowledgeWithinSeconds,
    takesAny2xx = false,
  }) => {
    // Node does no lookup for an IP address in the URL, so the address is checked here.
    const verdict = checkUrl(text, rules);
    if (!verdict.allowed) return blocked(`the URL ${verdict.reason}`);
    const { url } = verdict;
    const deadline = AbortSignal.timeout(timeoutSeconds * 1000);
    const startedAt = performance.now();
    // The loop ends because each repeat uses up one kept connection.
    for (;;) {
      const progress: Progress = {
        startedAt,
        phase: isIP(hostOf(url)) === 0 ? 'dns' : 'connect',
        timings: {},
        address: undefined,
      };
      // The agent adds TLS. The local emulator replaces `https.request` with plain HTTP to this machine.
      const request = httpRequest(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        maxHeaderSize: responseReadMaxBytes,
        agent: url.protocol === 'https:' ? https : http,
        lookup: notingTime(progress, lookup),
        signal: deadline,
      });
      request.once('socket', (socket) => followConnection(progress, socket, request.reusedSocket));
      const soFar = () => ({
        timings: { ...progress.timings, totalMs: elapsed(progress) },
        reusedConnection: request.reusedSocket,
        address: progress.address,
      });
      try {
        const response = await responseTo(request, body);
        const status = response.statusCode ?? 0;
        const bodyStart = await startOfBody(response, deadline);
        const verdict = verdictOf(status, takesAny2xx);
        return { ...soFar(), status, headers: headersKept(response), bodyStart, ...verdict };
      } catch (error) {
        const failure = classifyError(error as Error, progress.phase, timeoutSeconds);
        const wasClosed = failure.error === 'reset' && progress.timings.firstByteMs === undefined;
        if (!request.reusedSocket || !wasClosed)
          return { ...soFar(), headers: {}, bodyStart: '', ...failure };
      }
    }
  };
}

/** The last phase that a request reached, and the time of each phase. */
interface Progress {
  readonly startedAt: number;
  readonly timings: Partial<PostResult['timings']>;
  phase: 'dns' | 'connect' | 'tls' | 'answer';
  address: string | undefined;
}

function elapsed({ startedAt }: Progress): number {
  return performance.now() - startedAt;
}

/**
 * Wraps the lookup to record its time. The socket's event `lookup` would come too late, because the request may emit
 * `socket` after the lookup.
 */
function notingTime(progress: Progress, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      if (!error) {
        progress.timings.dnsMs = elapsed(progress);
        progress.phase = 'connect';
      }
      callback(error, address, family);
    });
}

function followConnection(progress: Progress, socket: Socket, isReused: boolean): void {
  const { timings } = progress;
  socket.once('data', () => {
    timings.firstByteMs = elapsed(progress);
  });
  if (isReused) {
    progress.phase = 'answer';
    progress.address = socket.remoteAddress;
    return;
  }
  socket.once('connect', () => {
    timings.connectMs = elapsed(progress);
    progress.phase = socket instanceof TLSSocket ? 'tls' : 'answer';
    progress.address = socket.remoteAddress;
  });
  socket.once('secureConnect', () => {
    timings.tlsMs = elapsed(progress);
    progress.phase = 'answer';
  });
}

/** Returns the response as soon as its headers have arrived. */
function responseTo(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interimResponses = 0;
    // Node limits the headers of each response, but not the number of interim responses (1xx).
    request.on('information', () => {
      interimResponses += 1;
      if (interimResponses > interimResponsesMax)
        request.destroy(codedError('too many interim responses', 'HPE_'));
    });
    request.on('response', resolve);
    request.on('error', reject);
    // If the endpoint upgrades the connection, Node closes it without an error.
    request.on('close', () => reject(codedError('the connection closed', 'ECONNRESET')));
    request.end(body);
  });
}

/**
 * Reads the start of the body. An error does not change the outcome, which the status has decided. The connection is kept
 * only if the body is complete.
 */
async function startOfBody(response: IncomingMessage, deadline: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([deadline, AbortSignal.timeout(bodyLimitMs)]);
  const chunks: Buffer[] = [];
  let readBytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, response)) {
      chunks.push(chunk);
      readBytes += chunk.length;
      if (readBytes >= responseReadMaxBytes) break;
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, responseKeptBytes).toString('utf8');
}

function headersKept(response: IncomingMessage): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers).slice(0, headersKeptMax)) {
    kept[name] = String(value).slice(0, headerKeptCharacters);
  }
  return kept;
}

function blocked(errorMessage: string): PostResult {
  return {
    timings: { totalMs: 0 },
    reusedConnection: false,
    headers: {},
    bodyStart: '',
    error: 'blocked',
    errorMessage,
  };
}

const waitedFor: Readonly<Record<Progress['phase'], string>> = {
  dns: "the name's resolution",
  connect: 'the connection',
  tls: 'the TLS handshake',
  answer: 'the response',
};

const resets = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

/** Classifies a POST without a response by its last phase and its error code. */
function classifyError(
  error: Error,
  phase: Progress['phase'],
  timeoutSeconds: number,
): { error: AttemptError; errorMessage: string } {
  if (error.name === 'AbortError') {
    const errorMessage = `no response within ${timeoutSeconds} s, waiting for ${waitedFor[phase]}`;
    return { error: 'timeout', errorMessage };
  }
  const code = 'code' in error ? String(error.code) : '';
  return { error: classOf(code, phase), errorMessage: messageOf(error).slice(0, 500) || code };
}

/** Returns the error's message; if the host has several addresses, the messages of all of them. */
function messageOf(error: Error): string {
  const errors = 'errors' in error ? (error.errors as Error[]) : [error];
  return errors.map(({ message }) => message).join('; ');
}

function classOf(code: string, phase: Progress['phase']): AttemptError {
  if (code === 'EBLOCKED') return 'blocked';
  if (code === 'ETIMEDOUT' || code === 'ETIMEOUT') return phase === 'dns' ? 'dns' : 'timeout';
  if (phase === 'dns') return 'dns';
  if (phase === 'connect') return resets.includes(code) ? 'reset' : 'refused';
  if (resets.includes(code)) return 'reset';
  if (phase === 'tls') return 'tls';
  return code.startsWith('HPE_') ? 'not_200' : 'reset';
}

/** Returns an empty result for a status that acknowledges the webhook. */
function verdictOf(status: number, takesAny2xx: boolean): { error?: AttemptError; errorMessage?: string } {
  if (status === 200 || (takesAny2xx && status > 200 && status < 300)) return {};
  const redirect = status >= 300 && status < 400;
  return { error: redirect ? 'redirect' : 'not_200', errorMessage: `answered with status ${status}` };
}

/**
 * Sends DNS queries with a time limit, so that a slow name server delays only its own webhooks. `dns.lookup` uses four
 * threads of the process, so four names with an unresponsive server would stop every other webhook.
 */
export function dnsResolve({
  servers,
  timeoutMs = 1500,
  otherKindWaitMs = 200,
}: {
  /** Name servers to use instead of the machine's. */
  readonly servers?: readonly string[];
  /** The time limit of each of the two queries. */
  readonly timeoutMs?: number;
  /**
   * How long to wait for the second kind of address (A or AAAA) after the first, because some servers never answer one of
   * them.
   */
  readonly otherKindWaitMs?: number;
} = {}): Resolve {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2, maxTimeout: timeoutMs });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const found: Record<4 | 6, readonly string[]> = { 4: [], 6: [] };
    const lookups = [
      resolver.resolve4(hostname).then((addresses) => {
        found[4] = addresses;
      }),
      resolver.resolve6(hostname).then((addresses) => {
        found[6] = addresses;
      }),
    ];
    const wait = new AbortController();
    const oneKind = Promise.any(lookups).then(() =>
      sleep(otherKindWaitMs, undefined, { signal: wait.signal }),
    );
    // If both lookups failed, their error is thrown below.
    await Promise.race([Promise.allSettled(lookups), oneKind.catch(() => undefined)]);
    wait.abort();
    const addresses = [...found[4], ...found[6]];
    if (addresses.length === 0) await Promise.all(lookups);
    return addresses;
  };
}

/**
 * Resolves names as this machine does, including its hosts file. Only the local stage uses this, because its endpoints run
 * on this machine.
 */
export const machineResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

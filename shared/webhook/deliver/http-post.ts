/**
 * One POST to an endpoint that may be slow, broken or hostile: ends within 5.5 s, reads at most 16 KiB of the response,
 * follows no redirect, decompresses nothing, and reports the time of each phase.
 *
 * It uses Node's own client because undici reports a status only once all headers have arrived.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { acknowledgeWithinSeconds, restOfResponseMs } from '../../contract/webhook-worker-times.ts';
import {
  type AddressRules,
  checkUrl,
  codedError,
  guardedLookup,
  hostOf,
  isAllowedAddress,
  type Resolve,
} from '../address-guard.ts';
import type { AttemptError } from '../attempt-record.ts';
import { type ConnectTo, connections } from './connections.ts';

/** The limit counts from the start of the DNS lookup (contract 7.7). */
const statusLineLimitMs = acknowledgeWithinSeconds * 1000;
const responseReadMaxBytes = 16_384;
const responseKeptBytes = 4096;
const headersKeptMax = 40;
const headerKeptCharacters = 256;

interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface PostResult {
  /** Milliseconds from the start; a phase that a reused connection skipped, or that was not reached, is absent. */
  readonly timings: PostTimings;
  readonly reusedConnection: boolean;
  readonly address?: string | undefined;
  readonly status?: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyStart: string;
  /** Absent if and only if the endpoint acknowledged: status 200 in time. */
  readonly error?: AttemptError | undefined;
  readonly errorMessage?: string | undefined;
}

interface PostTimings {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
  totalMs: number;
}

/** Never throws: every failure is a result. */
export type Post = (request: PostRequest) => Promise<PostResult>;

interface PostSettings {
  readonly rules: AddressRules;
  readonly resolve: Resolve;
  readonly tls?: SecureContextOptions;
  readonly connectTo?: ConnectTo;
}

export function httpPost(settings: PostSettings): Post {
  const lookup = guardedLookup(settings.resolve, settings.rules);
  const { http, https, makeRoom } = connections(settings.tls, settings.connectTo);

  return (given) => {
    // An address in the URL is never looked up, so it is checked here.
    const verdict = checkUrl(given.url, settings.rules);
    if (!verdict.allowed) return Promise.resolve(blocked(`the URL ${verdict.reason}`));
    const options = {
      method: 'POST',
      headers: { ...given.headers, 'content-length': String(Buffer.byteLength(given.body)) },
      maxHeaderSize: responseReadMaxBytes,
    };
    const open = (onLookup: () => void) => {
      // The request emits `socket` only once it is connected, so the end of the lookup is noted here.
      const noted: LookupFunction = (hostname, lookupOptions, callback) =>
        lookup(hostname, lookupOptions, (error, address, family) => {
          if (!error) onLookup();
          callback(error, address, family);
        });
      // The agent makes it TLS. The emulator replaces `https.request`, by which it would be plain HTTP on this machine.
      const agent = verdict.url.protocol === 'https:' ? https : http;
      return httpRequest(verdict.url, { ...options, lookup: noted, agent });
    };
    makeRoom();
    return run(open, given.body, verdict.url, settings.rules);
  };
}

function run(
  open: (onLookup: () => void) => ClientRequest,
  body: string,
  url: URL,
  rules: AddressRules,
): Promise<PostResult> {
  return new Promise((settle) => {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    const timings: PostTimings = { totalMs: 0 };
    let phase: Phase = isIP(hostOf(url)) === 0 ? 'dns' : 'connect';
    let socket: Socket | undefined;
    let address: string | undefined;
    let status: number | undefined;
    let response: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let readBytes = 0;
    let done = false;

    const request = open(onLookup);
    const reader = statusLineReader(responseReadMaxBytes);
    let timer = setTimeout(() => end({ kind: 'timeout' }), statusLineLimitMs);

    /** Settles with the first cause; later calls are ignored. */
    function end(cause: PostEnd): void {
      if (done) return;
      done = true;
      clearTimeout(timer);
      socket?.off('data', onData);
      socket?.off('secureConnect', onSecure);
      // The connection stays in the pool after a complete response; otherwise it is closed.
      if (cause.kind !== 'complete') request.destroy();
      timings.totalMs = elapsed();
      settle({
        timings,
        reusedConnection: request.reusedSocket,
        address,
        status,
        headers: response === undefined ? {} : headersKept(response),
        bodyStart: Buffer.concat(chunks).subarray(0, responseKeptBytes).toString('utf8'),
        // The status line decides the attempt: an error in the rest of the response changes nothing.
        ...(status === undefined ? classifyError(cause, phase) : verdictOf(status)),
      });
    }

    function onLookup(): void {
      timings.dnsMs = elapsed();
      phase = 'connect';
    }
    function onConnect(): void {
      timings.connectMs = elapsed();
      address = socket?.remoteAddress;
      phase = url.protocol === 'https:' ? 'tls' : 'answer';
      // The lookup returns only allowed addresses; if the runtime should ever bypass it, nothing is sent.
      if (address !== undefined && !isAllowedAddress(address, rules))
        end({ kind: 'error', error: codedError(`connected to ${address}`, 'EBLOCKED') });
    }
    function onSecure(): void {
      timings.tlsMs = elapsed();
      phase = 'answer';
    }
    function onData(chunk: Buffer): void {
      timings.firstByteMs ??= elapsed();
      const line = reader(chunk);
      if (line === undefined) return;
      socket?.off('data', onData);
      if (line === 'unreadable') {
        end({ kind: 'error', error: codedError('the response is not HTTP', 'HPE_') });
      } else if (elapsed() > statusLineLimitMs) {
        end({ kind: 'timeout' });
      } else {
        status = line;
        clearTimeout(timer);
        timer = setTimeout(() => end({ kind: 'timeout' }), restOfResponseMs);
      }
    }

    request.on('socket', (given) => {
      socket = given;
      if (request.reusedSocket) {
        phase = 'answer';
        address = given.remoteAddress;
      } else {
        given.on('secureConnect', onSecure);
        onConnect();
      }
      given.prependListener('data', onData);
    });
    request.on('response', (given) => {
      response = given;
      given.on('data', (chunk: Buffer) => {
        chunks.push(chunk.subarray(0, responseReadMaxBytes - readBytes));
        readBytes += chunk.length;
        if (readBytes >= responseReadMaxBytes) end({ kind: 'timeout' });
      });
      given.on('end', () => end({ kind: 'complete' }));
      given.on('error', (error) => end({ kind: 'error', error }));
    });
    // No upgrade was requested, so the connection is closed.
    request.on('upgrade', (_response, upgraded) => {
      upgraded.destroy();
      end({ kind: 'error', error: new Error('the connection was upgraded') });
    });
    request.on('error', (error) => end({ kind: 'error', error }));
    request.on('close', () => end({ kind: 'error', error: new Error('the connection closed') }));
    request.end(body);
  });
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

type Phase = 'dns' | 'connect' | 'tls' | 'answer';

type PostEnd = { readonly kind: 'complete' | 'timeout' } | { readonly kind: 'error'; readonly error: Error };

const waitedFor: Readonly<Record<Phase, string>> = {
  dns: "the name's resolution",
  connect: 'the connection',
  tls: 'the TLS handshake',
  answer: 'the response',
};

const resets = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

/** Classifies a POST that received no status line, by the phase that it reached and the error code of the socket. */
function classifyError(end: PostEnd, phase: Phase): { error: AttemptError; errorMessage: string } {
  if (end.kind !== 'error') {
    const errorMessage = `no status line within ${acknowledgeWithinSeconds} s, waiting for ${waitedFor[phase]}`;
    return { error: 'timeout', errorMessage };
  }
  const code = 'code' in end.error ? String(end.error.code) : '';
  return { error: classOf(code, phase), errorMessage: (end.error.message || code).slice(0, 500) };
}

function classOf(code: string, phase: Phase): AttemptError {
  if (code === 'EBLOCKED') return 'blocked';
  if (code === 'ETIMEDOUT' || code === 'ETIMEOUT') return phase === 'dns' ? 'dns' : 'timeout';
  if (phase === 'dns') return 'dns';
  if (phase === 'connect') return resets.includes(code) ? 'reset' : 'refused';
  if (resets.includes(code)) return 'reset';
  if (phase === 'tls') return 'tls';
  return code.startsWith('HPE_') ? 'not_200' : 'reset';
}

/** A webhook is acknowledged by status 200, and by no other (contract 7.7): then the result is empty. */
function verdictOf(status: number): { error?: AttemptError; errorMessage?: string } {
  if (status === 200) return {};
  const redirect = status >= 300 && status < 400;
  return { error: redirect ? 'redirect' : 'not_200', errorMessage: `answered with status ${status}` };
}

/** The final status line of a response ends an endpoint's time, not its headers: `HTTP/1.1 200`, then a space or the end of the line (RFC 9112, section 4). */
const shape = [...'HTTP/1.'].map((char) => new RegExp(`^${char === '.' ? '\\.' : char}$`));
const statusLine = [...shape, /^[01]$/, /^ $/, /^[1-9]$/, /^\d$/, /^\d$/, /^[ \r]$/] as const;
const statusFrom = 9;
const headEnd = [13, 10, 13, 10] as const;

/**
 * Called with each chunk; returns the status once it is complete, and `unreadable` if the response is not HTTP. Interim
 * responses (1xx) are skipped with their headers. Each byte is read once and only one status line is kept, so an
 * endpoint that sends single bytes costs no extra time.
 */
export function statusLineReader(
  maxBytes: number,
): (chunk: Iterable<number>) => number | 'unreadable' | undefined {
  let readBytes = 0;
  let line = '';
  /** How many bytes of `headEnd` have been read inside an interim response; undefined outside of one. */
  let headEndSeen: number | undefined;
  let result: number | 'unreadable' | undefined;

  function take(byte: number): number | 'unreadable' | undefined {
    if (headEndSeen !== undefined) {
      if (byte === headEnd[headEndSeen]) headEndSeen += 1;
      else headEndSeen = byte === headEnd[0] ? 1 : 0;
      if (headEndSeen === headEnd.length) headEndSeen = undefined;
      return undefined;
    }
    const char = String.fromCharCode(byte);
    if (!statusLine[line.length]?.test(char)) return 'unreadable';
    line += char;
    if (line.length < statusLine.length) return undefined;
    const status = Number(line.slice(statusFrom, -1));
    if (status >= 200) return status;
    headEndSeen = char === '\r' ? 1 : 0;
    line = '';
    return undefined;
  }

  return (chunk) => {
    if (result !== undefined) return result;
    for (const byte of chunk) {
      readBytes += 1;
      result = readBytes > maxBytes ? 'unreadable' : take(byte);
      if (result !== undefined) return result;
    }
    return undefined;
  };
}

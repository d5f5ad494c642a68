/**
 * What a simulated process sees of the world around it: its own time, randomness, environment and network. All processes share
 * these globals, which find out whose they are by the asynchronous context: so packages that all of them use see the
 * process that calls them, too.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import * as crypto from 'node:crypto';
import * as fs from 'node:fs';
import * as https from 'node:https';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import type { Random } from '../random.ts';

/** The names that the code of a function finds as parameters, in this order. */
export const processGlobals = [
  'require',
  'process',
  'Date',
  'Math',
  'setTimeout',
  'clearTimeout',
  'setImmediate',
  'setInterval',
  'performance',
  'AbortSignal',
  'crypto',
  'console',
  'simulatedAws',
  'simulatedPost',
] as const;

export interface ProcessPorts {
  /** This process's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Runs after the delay, unless the process is dead or the timer is cleared. */
  readonly startTimer: (ms: number, run: () => void) => () => void;
  readonly random: Random;
  readonly environment: Readonly<Record<string, string>>;
  /** Files beside the function's code, by their names. */
  readonly files: Readonly<Record<string, string>>;
  readonly aws: (request: never, limitMs: number, signal?: AbortSignal) => unknown;
  readonly post: (request: never) => unknown;
  /** Takes what the process prints, which is its log. */
  readonly print: (text: string) => void;
  /** As Node's `https.request`. */
  readonly httpsRequest: (url: string, options: never) => unknown;
}

const requireHere = createRequire(import.meta.url);
const running = new AsyncLocalStorage<ProcessPorts>();

/** Runs what a process does; all that follows from it has the process's world around it. */
export function runInProcess<T>(ports: ProcessPorts, run: () => T): T {
  return running.run(ports, run);
}

/** @throws outside of processes, where nothing of the world may be asked for */
function current(): ProcessPorts {
  const ports = running.getStore();
  if (ports === undefined) throw new Error('no simulated process is running');
  return ports;
}

/** @param packages - evaluated once for all processes, by their names */
export function sharedGlobals(
  packages: (name: string) => unknown,
): Readonly<Record<(typeof processGlobals)[number], unknown>> {
  const now = (): number => current().now();
  const random = (): number => current().random();
  const startTimer: ProcessPorts['startTimer'] = (ms, run) => current().startTimer(ms, run);
  const stream = {
    // Packages may print while they are evaluated, without a process.
    write: (text: string) => running.getStore()?.print(text),
    on() {},
    once() {},
    removeListener() {},
    isTTY: false,
  };
  const process = Object.create(globalThis.process, {
    // No process is running while the packages are evaluated.
    env: { get: () => running.getStore()?.environment ?? {} },
    stdout: { value: stream },
    stderr: { value: stream },
  });

  function setTimeout(run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) {
    const stop = startTimer(ms, () => run(...given));
    const timer = { stop, ref: () => timer, unref: () => timer, hasRef: () => true, refresh: () => timer };
    return timer;
  }
  const clearTimeout = (timer?: { readonly stop: () => void }): void => timer?.stop();
  const sleep = (ms = 0, value?: unknown) => new Promise((resolve) => startTimer(ms, () => resolve(value)));

  class ProcessDate extends Date {
    constructor(...given: [] | [string | number | Date]) {
      if (given.length === 0) super(now());
      else super(...(given as [string]));
    }
    static override now(): number {
      return now();
    }
  }

  const bytes = (size: number): Buffer => {
    const buffer = Buffer.alloc(size);
    for (let i = 0; i < size; i += 1) buffer[i] = Math.floor(random() * 256);
    return buffer;
  };
  const randomUUID = (): string => {
    const b = bytes(16);
    b[6] = ((b[6] ?? 0) & 0x0f) | 0x40;
    b[8] = ((b[8] ?? 0) & 0x3f) | 0x80;
    return b.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  const seededCrypto = {
    ...crypto,
    randomBytes: bytes,
    randomUUID,
    getRandomValues: <T extends Uint8Array>(into: T): T => {
      into.set(bytes(into.length));
      return into;
    },
  };
  const webCrypto = { subtle: subtleCrypto, randomUUID, getRandomValues: seededCrypto.getRandomValues };

  const modules: Readonly<Record<string, unknown>> = {
    crypto: { ...seededCrypto, webcrypto: webCrypto, default: seededCrypto },
    'timers/promises': { setTimeout: sleep },
    timers: { setTimeout, clearTimeout },
    fs: { ...fs, readFileSync: (path: string) => current().files[basename(path)] ?? fs.readFileSync(path) },
    process,
    https: {
      ...https,
      request: (url: string, options: never) => current().httpsRequest(url, options),
    },
    // The SDK looks for a configuration file here. Lambda has none.
    'fs/promises': {
      readFile: async () => Promise.reject(Object.assign(new Error('no file'), { code: 'ENOENT' })),
    },
  };
  const require = (name: string): unknown => {
    const module = name.replace(/^node:/, '');
    return packages(name) ?? modules[module] ?? requireHere(name);
  };

  return {
    require: Object.assign(require, { resolve: requireHere.resolve }),
    process,
    Date: ProcessDate,
    Math: Object.assign(Object.create(Math), { random }),
    setTimeout,
    clearTimeout,
    setImmediate: (run: () => void) => setTimeout(run),
    setInterval: () => {
      throw new Error('no function of the gateway repeats anything');
    },
    performance: { now },
    AbortSignal: {
      timeout(ms: number): AbortSignal {
        const controller = new AbortController();
        startTimer(ms, () => controller.abort(new DOMException('timed out', 'TimeoutError')));
        return controller.signal;
      },
    },
    crypto: webCrypto,
    console: new (requireHere('node:console').Console)({ stdout: stream, stderr: stream }),
    simulatedAws: (request: never, limitMs: number, signal?: AbortSignal) =>
      current().aws(request, limitMs, signal),
    simulatedPost: (request: never) => current().post(request),
  };
}

interface VerifyKey {
  readonly key: crypto.KeyObject;
}

/** Answers the calls of `jose` at once. Node's own calls end in another thread at an unknown time. */
const subtleCrypto = {
  async importKey(
    _format: string,
    jwk: crypto.JsonWebKey,
    algorithm: object,
    extractable: boolean,
    usages: string[],
  ) {
    const key = crypto.createPublicKey({ key: jwk, format: 'jwk' });
    return { [Symbol.toStringTag]: 'CryptoKey', type: 'public', algorithm, extractable, usages, key };
  },
  async verify(_algorithm: object, { key }: VerifyKey, signature: Uint8Array, data: Uint8Array) {
    // The simulated KMS signs a hash of the digest.
    const digest = crypto.createHash('sha256').update(data).digest();
    return crypto.verify('sha256', digest, { key, dsaEncoding: 'ieee-p1363' }, signature);
  },
  async digest(algorithm: string | { readonly name: string }, data: Uint8Array) {
    const name = typeof algorithm === 'string' ? algorithm : algorithm.name;
    const digest = crypto.createHash(name.replace('SHA-', 'sha')).update(data).digest();
    return digest.buffer.slice(digest.byteOffset, digest.byteOffset + digest.byteLength);
  },
};

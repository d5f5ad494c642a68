/** What a simulated process sees of the world around it: its own time, randomness, environment and network. */
import * as crypto from 'node:crypto';
import * as fs from 'node:fs';
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

interface ProcessPorts {
  /** This process's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Runs after the delay, unless the process is dead or the timer is cleared. */
  readonly startTimer: (ms: number, run: () => void) => () => void;
  readonly random: Random;
  readonly environment: Readonly<Record<string, string>>;
  /** Files beside the function's code, by their names. */
  readonly files: Readonly<Record<string, string>>;
  readonly writeLog: (line: string) => void;
  readonly aws: unknown;
  readonly post: unknown;
}

const requireHere = createRequire(import.meta.url);

export function globalsOf(ports: ProcessPorts): Readonly<Record<(typeof processGlobals)[number], unknown>> {
  const { now, startTimer, random } = ports;
  const stream = { write: ports.writeLog, on() {}, once() {}, removeListener() {}, isTTY: false };
  const process = Object.create(globalThis.process, {
    env: { value: ports.environment },
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
    fs: { ...fs, readFileSync: (path: string) => ports.files[basename(path)] ?? fs.readFileSync(path) },
    process,
    // Where the SDK looks for a configuration file, which Lambda does not have.
    'fs/promises': {
      readFile: async () => Promise.reject(Object.assign(new Error('no file'), { code: 'ENOENT' })),
    },
  };
  const require = (name: string): unknown => {
    const module = name.replace(/^node:/, '');
    return modules[module] ?? requireHere(name);
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
    simulatedAws: ports.aws,
    simulatedPost: ports.post,
  };
}

interface VerifyKey {
  readonly key: crypto.KeyObject;
}

/** The calls of `jose`, answered at once: those of Node end in another thread at a time of their own. */
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

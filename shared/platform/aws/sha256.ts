/**
 * SHA-256 and its HMAC by OpenSSL, for the signature of every call to AWS: in one step, and with each key prepared once.
 * The SDK's own prepares the day's signing key anew for each call.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/** What the SDK hands over to be hashed, and as a key. */
type SourceData = string | ArrayBuffer | ArrayBufferView;

/** The SDK keeps its signing keys, so the same array comes again and again; a key goes when the SDK lets it go. */
const prepared = new WeakMap<object, KeyObject>();

export class Sha256 {
  readonly #key: KeyObject | string | undefined;
  #parts: Buffer[] = [];

  constructor(secret?: SourceData) {
    this.#key = secret === undefined ? undefined : keyOf(secret);
  }

  update(data: SourceData): void {
    this.#parts.push(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    const [only = Buffer.alloc(0), ...more] = this.#parts;
    const data = more.length === 0 ? only : Buffer.concat(this.#parts);
    return this.#key === undefined
      ? hash('sha256', data, 'buffer')
      : createHmac('sha256', this.#key).update(data).digest();
  }

  reset(): void {
    this.#parts = [];
  }
}

function keyOf(secret: SourceData): KeyObject | string {
  if (typeof secret === 'string') return secret;
  const known = prepared.get(secret);
  if (known !== undefined) return known;
  const key = createSecretKey(bytesOf(secret));
  prepared.set(secret, key);
  return key;
}

function bytesOf(data: SourceData): Buffer {
  if (typeof data === 'string') return Buffer.from(data, 'utf8');
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
}

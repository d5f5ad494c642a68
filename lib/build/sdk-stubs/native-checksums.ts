/**
 * Replaces `@smithy/core/checksum` in bundles, which has each checksum in JavaScript too, for systems without Node's own:
 * 4 KB, 10 KB in functions that call SQS.
 */
import { createHash } from 'node:crypto';

export { Sha256 } from '../../../shared/platform/aws/sha256.ts';

/** The SDK compares it with what SQS says that it has stored or returned. */
export class Md5 {
  #hash = createHash('md5');

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = createHash('md5');
  }
}

/**
 * Replaces `@smithy/core/checksum` in bundles with Node's checksums. The original also contains each checksum in
 * JavaScript, which takes 4 KB, or 10 KB in functions that call SQS.
 */
import { createHash } from 'node:crypto';

export { Sha256 } from '../../../shared/platform/aws/sha256.ts';

/** The SDK compares this checksum with the checksum in the response of SQS. */
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

/** Replaces `shared/platform/aws/sha256.ts` in the simulated functions: no service of the simulation checks a signature. */

const digest = new Uint8Array(32);

export class Sha256 {
  update(): void {}

  async digest(): Promise<Uint8Array> {
    return digest;
  }

  reset(): void {}
}

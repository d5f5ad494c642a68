/** A write whose loss would cost more than the wait: tried again after each pause, and its last failure thrown. */

interface RetryPolicy {
  readonly delaysMs: readonly number[];
  readonly sleep: (ms: number) => Promise<void>;
  readonly warn?: (error: unknown) => void;
}

export async function retry<T>({ delaysMs, sleep, warn }: RetryPolicy, write: () => Promise<T>): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await write();
    } catch (error) {
      warn?.(error);
      await sleep(delayMs);
    }
  }
  return write();
}

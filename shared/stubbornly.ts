/** A write whose loss would cost more than the wait: tried again after each pause, and its last failure thrown. */

interface Patience {
  readonly pausesMs: readonly number[];
  readonly sleep: (ms: number) => Promise<void>;
  readonly warn?: (error: unknown) => void;
}

export async function stubbornly<T>(
  { pausesMs, sleep, warn }: Patience,
  write: () => Promise<T>,
): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await write();
    } catch (error) {
      warn?.(error);
      await sleep(pauseMs);
    }
  }
  return write();
}

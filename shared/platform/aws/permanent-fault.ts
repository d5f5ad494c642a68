/**
 * Tells a request that will fail however often it is repeated from one that may succeed later. Only what is surely
 * lasting is called so: throttling, time-outs, permissions and missing resources are not faults of the request.
 */

/** One of several entries of a batch that the service refused as the sender's fault. */
interface RefusedEntry {
  /** Its place in the list that was to be sent. */
  readonly index: number;
  readonly code: string;
}

/** Some entries were refused for good; all the others were accepted. */
export class RefusedEntries extends Error {
  override readonly name = 'RefusedEntries';
  readonly entries: readonly RefusedEntry[];

  constructor(entries: readonly RefusedEntry[]) {
    super(`refused: ${entries.map(({ code }) => code).join(', ')}`);
    this.entries = entries;
  }
}

/** SQS names some of these with a prefix, and its newer protocol without `Exception`. */
const senderFaults: ReadonlySet<string> = new Set([
  'BatchRequestTooLong',
  'InvalidAttributeValue',
  'InvalidBatchEntryId',
  'InvalidMessageContents',
  'InvalidParameterCombination',
  'InvalidParameterValue',
  'MessageTooLong',
  'MissingParameter',
  'MissingRequiredParameter',
  'UnsupportedOperation',
  'Validation',
]);

/** Whether the code of a service's answer says that the request itself is wrong. */
export function isSenderFault(code: string): boolean {
  return senderFaults.has(code.replace(/^.*[.#]/, '').replace(/(Exception|Error)$/, ''));
}

/** Whether repeating what failed with this error would fail again. */
export function isLastingFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof RefusedEntries || isSenderFault(error.name)) return true;
  // The SDK adds these to what it cannot parse: the answer was at fault, not the request.
  if ('$metadata' in error || '$response' in error) return false;
  return error instanceof TypeError || error instanceof RangeError || error.name.endsWith('ZodError');
}

/**
 * Waits until all have ended. A passing fault is thrown before a lasting one: as long as anything may succeed on
 * another try, nothing is given up.
 */
export async function allEnded<T extends readonly unknown[]>(
  work: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const ended = await Promise.allSettled(work);
  const errors = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  const [first] = errors;
  if (errors.length > 0) throw errors.find((error) => !isLastingFault(error)) ?? first;
  return ended.map((end) => (end as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

/**
 * Does the work for all items at once. Where that fails for good it is done for each half, and so on, until an item
 * that fails alone is found: only that one is given to `refused`. The work may be repeated for its neighbours.
 *
 * @throws when it failed for a passing reason: all of it is to be repeated.
 */
export async function isolateRefused<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<void>,
  refused: (item: Item, error: unknown) => Promise<void>,
): Promise<void> {
  try {
    await work(items);
  } catch (error) {
    if (!isLastingFault(error)) throw error;
    const [only, ...others] = items;
    if (only === undefined) throw error;
    if (others.length === 0) return refused(only, error);
    const half = items.length >> 1;
    const halves = [items.slice(0, half), items.slice(half)];
    await allEnded(halves.map((part) => isolateRefused(part, work, refused)));
  }
}

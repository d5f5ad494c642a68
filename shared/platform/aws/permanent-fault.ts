/**
 * Distinguishes errors that every retry would repeat from errors that may pass. Throttling, time-outs, missing permissions
 * and missing resources may pass, because the request itself is correct.
 */

/** Some entries of a batch were permanently refused as the sender's fault; all others were accepted. */
export class RefusedEntries extends Error {
  override readonly name = 'RefusedEntries';
  readonly entries: readonly { readonly index: number; readonly code: string }[];

  constructor(entries: RefusedEntries['entries']) {
    super(`refused: ${entries.map(({ code }) => code).join(', ')}`);
    this.entries = entries;
  }
}

/** Error codes without the prefix and the suffix `Exception`, which SQS adds to some codes, depending on the protocol. */
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

/** True if an AWS service's error code means that the request itself is wrong. */
export function isSenderFault(code: string): boolean {
  return senderFaults.has(code.replace(/^.*[.#]/, '').replace(/(Exception|Error)$/, ''));
}

/** True if a retry would fail again with this error. */
export function isPermanentFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof RefusedEntries || isSenderFault(error.name)) return true;
  // The SDK adds these fields to a parse error of a response, which a retry may not repeat.
  if ('$metadata' in error || '$response' in error) return false;
  return error instanceof TypeError || error instanceof RangeError || error.name.endsWith('ZodError');
}

/**
 * Waits until all have ended. If some failures are permanent and others are not, throws one that is not, so that the caller
 * retries.
 */
export async function allEnded<const Work extends readonly Promise<unknown>[]>(
  work: Work,
): Promise<{ -readonly [K in keyof Work]: Awaited<Work[K]> }> {
  const ended = await Promise.allSettled(work);
  const errors = ended.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  const [first] = errors;
  if (errors.length > 0) throw errors.find((error) => !isPermanentFault(error)) ?? first;
  return Promise.all(work);
}

/**
 * Does the work for all items together. If it fails permanently, repeats it for each half, down to single items. Only the
 * items that still fail are passed to `refused`. The work may run more than once for the other items.
 *
 * @throws an error that may pass; the caller then retries all items.
 */
export async function isolateRefused<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<void>,
  refused: (item: Item, error: unknown) => Promise<void>,
): Promise<void> {
  try {
    await work(items);
  } catch (error) {
    if (!isPermanentFault(error)) throw error;
    const [only, ...others] = items;
    if (only === undefined) throw error;
    if (others.length === 0) return refused(only, error);
    const half = items.length >> 1;
    const halves = [items.slice(0, half), items.slice(half)];
    await allEnded(halves.map((part) => isolateRefused(part, work, refused)));
  }
}

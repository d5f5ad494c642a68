/**
 * Records the refused requests of clients for a day: decides which ones are written at once and which later as a
 * number, and stores why each was refused, never its content.
 */
import * as z from 'zod/mini';
import type { FieldError, GatewayError } from '../contract/errors.ts';
import { addSeconds, type Clock } from '../platform/clock.ts';
import { lazily } from '../platform/expiring-cache.ts';
import { logWarning } from '../platform/log.ts';

/** The statuses by which a client sees that something is wrong with its requests or its rights, not with the gateway. */
const keptStatuses: ReadonlySet<number> = new Set([400, 403, 429]);

export function isKept({ status }: Pick<GatewayError, 'status'>): boolean {
  return keptStatuses.has(status);
}

export const refusalSchema = lazily(() =>
  z.readonly(
    z.object({
      request_id: z.string(),
      at: z.iso.datetime(),
      client_id: z.string(),
      endpoint: z.string(),
      status: z.number(),
      reason: z.string(),
      message: z.string(),
      details: z.array(z.object({ field: z.string(), message: z.string() })),
    }),
  ),
);

export type Refusal = z.output<ReturnType<typeof refusalSchema>>;

const detailsMax = 5;
const messageCharactersMax = 200;
/** Names of fields come from the caller, who can write anything there. */
const plainField = /^[A-Za-z_][\w.[\]-]{0,99}$/;

/**
 * Removes from an error what may be the caller's data: numbers, quoted values, and fields with unknown names. Keeps
 * the gateway's own examples, such as a date.
 */
export function withoutContent({ message, details }: Pick<GatewayError, 'message' | 'details'>): {
  readonly message: string;
  readonly details: FieldError[];
} {
  return {
    message: cleared(message),
    details: details.slice(0, detailsMax).map((detail) => ({
      field: plainField.test(detail.field) && !/\d{5}/.test(detail.field) ? detail.field : '…',
      message: cleared(detail.message),
    })),
  };
}

function cleared(text: string): string {
  return text
    .replace(/"[^"]*"|“[^”]*”/g, '"…"')
    .replace(/(such as [^\s,]+)|\+?\d[\d ()-]{4,}\d/g, (_, example?: string) => example ?? '…')
    .slice(0, messageCharactersMax)
    .toWellFormed();
}

/** Adds a number of refusals like this one, and keeps this one in full. */
export type WriteRefusals = (latest: Refusal, count: number) => Promise<void>;

export type RecordRefusal = (refusal: Refusal) => Promise<void>;

const windowSeconds = 60;
/** This many refusals of each minute are written one by one. */
const writtenSingly = 8;
/** With more combinations than this, a process forgets the oldest. */
const rememberedMax = 500;
/** The most other overdue counts (older than a minute) that are written along with a refusal. */
const overdueMax = 4;

interface Remembered {
  latest: Refusal;
  unwritten: number;
  written: number;
  windowEndsAt: Date;
}

/**
 * Counts refusals without one write for each. For each client, endpoint and reason, the first eight refusals of a
 * minute are written one by one, for operators who try a request by hand. After that only the 16th, the 32nd and so
 * on are written, each with all before it. The others stay in memory until a later write.
 *
 * A client that is refused a thousand times a second causes twenty writes a minute in each process, and more than
 * half of its refusals are counted at any time. Refusals in memory are lost when the process ends, so a count is a
 * minimum.
 */
export function refusalRecorder({
  write,
  clock,
}: {
  readonly write: WriteRefusals;
  readonly clock: Clock;
}): RecordRefusal {
  const remembered = new Map<string, Remembered>();

  /** Never fails: the refusal itself matters more than its count. */
  const writeDue = async (of: Remembered): Promise<void> => {
    const { latest, unwritten } = of;
    of.unwritten = 0;
    of.written += unwritten;
    await write(latest, unwritten).catch((error: unknown) => {
      of.unwritten += unwritten;
      logWarning('refusals not counted', error);
    });
  };

  return async (refusal) => {
    const now = clock();
    // The hour is a part of it, so that no count is of another hour.
    const hour = refusal.at.slice(0, 'yyyy-mm-ddThh'.length);
    const key = [hour, refusal.client_id, refusal.endpoint, refusal.reason].join(' ');
    const own = remembered.get(key) ?? { latest: refusal, unwritten: 0, written: 0, windowEndsAt: now };
    remembered.set(key, own);
    own.latest = refusal;
    own.unwritten += 1;
    const others = [...remembered.values()]
      .filter((one) => one !== own && one.unwritten > 0 && one.windowEndsAt <= now)
      .slice(0, overdueMax);
    for (const one of [own, ...others]) {
      if (one.windowEndsAt <= now)
        Object.assign(one, { written: 0, windowEndsAt: addSeconds(now, windowSeconds) });
    }
    await Promise.all(
      [own, ...others]
        .filter(({ unwritten, written }) => written < writtenSingly || unwritten >= written)
        .map(writeDue),
    );
    if (remembered.size > rememberedMax) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
  };
}

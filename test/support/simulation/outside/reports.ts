/**
 * What becomes of a message that a carrier has taken, which the last digits of its number decide, and when the carrier reports
 * it.
 */
import type { Faults } from '../faults.ts';
import { hashOf } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { HandOver, Published } from './record.ts';

const behaviours = [
  'delivered',
  'delivered',
  'delivered',
  'delivered late',
  'undeliverable',
  'silent',
  'reported twice',
  'refused',
  'throttled at first',
  'throttled for minutes',
] as const;
type Behaviour = (typeof behaviours)[number];

export function behaviourOf(number: string): Behaviour {
  return behaviours[Number(number.slice(-4)) % behaviours.length] ?? 'delivered';
}

/**
 * Returns true for numbers whose messages the SMS service refuses if there is a second carrier, and whose reports Infobip loses.
 */
export function isOnlyAskedAbout(number: string): boolean {
  return number.startsWith('+44770096');
}

/** So many minutes after them the topic delivers the reports about these numbers. */
export function reportedLateMs(number: string): number {
  return Number(/^\+44770097(\d\d)/.exec(number)?.[1] ?? 0) * 60_000;
}

/** The time of a report as AWS tells it: about these numbers in microseconds. */
export function toldTime(number: string, atMs: number): number {
  return number.startsWith('+44770098') ? atMs * 1000 : atMs;
}

/** The fields of a message that a carrier gets. */
export type Given = Pick<HandOver, 'messageId' | 'attemptId' | 'to' | 'from' | 'text'>;

/** The reports that carriers must still send, by message. */
export class PendingReports {
  readonly #ofMessages = new Map<string, Set<() => void>>();

  add(messageId: string, report: () => void): void {
    this.#ofMessages.set(messageId, (this.#ofMessages.get(messageId) ?? new Set()).add(report));
  }

  /** @returns whether the report was still to be made */
  remove(messageId: string, report: () => void): boolean {
    return this.#ofMessages.get(messageId)?.delete(report) ?? false;
  }

  of(messageId: string): readonly (() => void)[] {
    return [...(this.#ofMessages.get(messageId) ?? [])];
  }
}

interface ReportSettings {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly pending: PendingReports;
}

/** Makes the reports of earlier attempts cross the call of this one: of half of the numbers they come at once. */
export function crossEarlier(
  { time, faults, pending }: ReportSettings,
  { messageId, attemptId, to }: Given,
): void {
  if (faults.random(`${to} crosses`)() < 0.5) return;
  for (const [index, report] of pending.of(messageId).entries())
    time.at(time.now() + faults.durationMs(`crossing ${attemptId} ${index}`, 1, 300), report);
}

export function reportAll(
  { time, faults, pending }: ReportSettings,
  { to, messageId }: Given,
  carrierMessageId: string,
  report: (status: Published['status']) => void,
): void {
  const behaviour = behaviourOf(to);
  const later = (name: string, leastMs: number, mostMs: number, status: Published['status']): void => {
    const ms = faults.durationMs(`${name} ${carrierMessageId}`, leastMs, mostMs);
    const once = (): void => {
      if (pending.remove(messageId, once)) report(status);
    };
    pending.add(messageId, once);
    time.at(time.now() + ms, once);
  };
  const isWhatsApp = carrierMessageId.startsWith('wamid.');
  if (behaviour === 'silent') return;
  if (isWhatsApp) later('sent', 5, 3000, 'sent');
  if (behaviour === 'undeliverable') later('failed', 200, 20_000, 'failed');
  else if (behaviour === 'delivered late') later('late', 60_000, 900_000, 'delivered');
  else later('delivered', 50, 8000, 'delivered');
  if (behaviour === 'undeliverable' || behaviour === 'delivered late') return;
  // A carrier may also contradict itself.
  const again = Math.floor(Number(to.slice(-4)) / 10) % 2 === 0 ? 'delivered' : 'failed';
  if (behaviour === 'reported twice') later('again', 100, 30_000, again);
  if (isWhatsApp && hashOf(to) % 2 === 0) later('read', 500, 60_000, 'read');
}

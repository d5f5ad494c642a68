/** What becomes of a message that a carrier has taken, which the last digits of its number decide, and when the carrier reports it. */
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

/** What a carrier is given of a message. */
export type Given = Pick<HandOver, 'messageId' | 'attemptId' | 'to' | 'from' | 'text'>;

export function reportAll(
  { time, faults }: { readonly time: VirtualTime; readonly faults: Faults },
  { to }: Given,
  carrierMessageId: string,
  report: (status: Published['status']) => void,
): void {
  const behaviour = behaviourOf(to);
  const later = (name: string, leastMs: number, mostMs: number, status: Published['status']): void => {
    const ms = faults.durationMs(`${name} ${carrierMessageId}`, leastMs, mostMs);
    time.at(time.now() + ms, () => report(status));
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

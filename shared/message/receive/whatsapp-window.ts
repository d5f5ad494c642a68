/**
 * When a person last wrote to a client by WhatsApp. For some hours after it the client may send any message; outside of
 * this window WhatsApp takes templates only (contract, section 13).
 */
import { addSeconds } from '../../platform/clock.ts';

export interface WhatsAppWindows {
  /** Does nothing where the person has written later than `at`. */
  open(clientId: string, recipient: string, at: Date): Promise<void>;
  /** When the person last wrote, if that is less than 24 hours ago or so; eventually consistent. */
  openedAt(clientId: string, recipient: string): Promise<Date | undefined>;
}

/** Meta's rule. */
export const windowHours = 24;

/** The end of the window; undefined where it is closed. */
export function windowEnd(openedAt: Date | undefined, now: Date): Date | undefined {
  if (openedAt === undefined) return undefined;
  const end = addSeconds(openedAt, windowHours * 3600);
  return end > now ? end : undefined;
}

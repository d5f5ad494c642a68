/** Reads and writes requests to resend many webhooks. Every write is conditional on the row that was read. */
import type { Resend } from './resend.ts';

export interface ResendStore {
  /** Stores the request unless its id exists; returns the stored row. Repeating the call is safe. */
  create(resend: Resend): Promise<Resend>;
  /** Reads consistently. */
  get(resendId: string): Promise<Resend | undefined>;
  /** Writes `next` if the row is still `seen`; false if another write came first. Repeating the call is safe. */
  replace(seen: Resend, next: Resend): Promise<boolean>;
}

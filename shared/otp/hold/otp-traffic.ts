/**
 * Counts one-time passwords and their verifications by client, country and minute, each exactly once, from the stream of
 * their table. Both count in the minute in which the password was created, so that a verification belongs to its send.
 * A resend of the same password is no new password. Only SMS: nobody earns by messages of WhatsApp.
 */
import { type CountedChanges, type CountOnceDependencies, countOnce } from '../../usage/count-once.ts';

/** A record of the stream: a new password, or one that was verified. */
export interface OtpRecord {
  /** The same each time the record is repeated. */
  readonly eventId: string;
  /** When the row changed. */
  readonly changedAt: Date;
  readonly event: 'sent' | 'verified';
  readonly clientId: string;
  readonly country: string;
  readonly createdAt: Date;
}

/** What is added to the row of a minute or a day. */
export interface OtpAddition {
  readonly clientId: string;
  readonly country: string;
  readonly span: 'minute' | 'day';
  /** `2026-11-20T10:05` or `2026-11-20`, UTC. */
  readonly name: string;
  readonly amounts: ReadonlyMap<string, number>;
}

const nameLength = { minute: 16, day: 10 } as const;

export function spanName(span: OtpAddition['span'], at: Date): string {
  return at.toISOString().slice(0, nameLength[span]);
}

/** @throws when something may not be counted: all records must be passed again. */
export function countOtps(
  dependencies: CountOnceDependencies<OtpAddition>,
  records: readonly OtpRecord[],
): Promise<CountedChanges> {
  const counted = records.map(({ eventId, changedAt, event, clientId, country, createdAt }) => ({
    eventId,
    changedAt,
    group: `${clientId} ${country}`,
    additions: (['minute', 'day'] as const).map((span) => ({
      clientId,
      country,
      span,
      name: spanName(span, createdAt),
      amounts: new Map([[event === 'sent' ? 'sends' : 'verified', 1]]),
    })),
  }));
  return countOnce(dependencies, counted, ({ clientId, country, name }) => `${clientId} ${country} ${name}`);
}

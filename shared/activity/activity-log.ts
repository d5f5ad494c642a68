/** What an operator should be able to look up later: one entry for each thing that happened, however often it is written. */

export const activityKinds = ['webhook_failed', 'webhook_resent'] as const;
export type ActivityKind = (typeof activityKinds)[number];

export interface Activity {
  /** `act_` and a ULID of its time: entries sort by when they happened. */
  readonly entry_id: string;
  readonly kind: ActivityKind;
  readonly at: string;
  /** One sentence for a person. */
  readonly summary: string;
  readonly client_id?: string;
  readonly message_id?: string;
  readonly delivery_id?: string;
  /** Who did it, where a person did. */
  readonly actor?: string;
}

export interface ActivityLog {
  /** Writing the same entry again changes nothing. */
  add(entry: Activity): Promise<void>;
}

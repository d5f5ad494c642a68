/**
 * Recipients to whom a client's messages are not handed over, because the person or a carrier said so, or the client
 * itself (contract, section 13). A row of `suppressions`.
 */
import * as z from 'zod/mini';

/** Which messages are not sent: all but one-time passwords, or all. */
export const scopes = ['messages', 'all'] as const;
export type SuppressionScope = (typeof scopes)[number];

/** What changed it: a text of the person, a refusal of the carrier, the client, or an administrator. */
export const sources = ['keyword', 'carrier', 'client', 'admin'] as const;
export type SuppressionSource = (typeof sources)[number];

const time = z.iso.datetime();

export const suppressionRow = z.readonly(
  z.object({
    client_id: z.string(),
    /** E.164. */
    recipient: z.string(),
    /** Absent: not suppressed. The row is kept for a while, so that an older change that arrives late has no effect. */
    scope: z.exactOptional(z.enum(scopes)),
    reason: z.exactOptional(z.string()),
    source: z.enum(sources),
    suppressed_at: z.exactOptional(time),
    changed_at: time,
    /** What caused the latest change between suppressed and not: an inbound message, a refused message, a request. */
    cause: z.string(),
  }),
);

export const rowKey = z.object({ client_id: z.string(), recipient: z.string() });
export type RowKey = z.output<typeof rowKey>;

export type SuppressionRow = z.output<typeof suppressionRow>;

/** A row that suppresses. */
export type Suppression = SuppressionRow & Required<Pick<SuppressionRow, 'scope' | 'suppressed_at'>>;

export function isSuppression(row: SuppressionRow | undefined): row is Suppression {
  return row?.scope !== undefined && row.suppressed_at !== undefined;
}

/** Whether a message may not be handed over; one-time passwords are sent unless everything is suppressed. */
export function applies({ scope }: Pick<Suppression, 'scope'>, isOneTimePassword: boolean): boolean {
  return scope === 'all' || !isOneTimePassword;
}

export interface SuppressionChange {
  readonly client_id: string;
  readonly recipient: string;
  /** Undefined: messages are sent again. */
  readonly scope: SuppressionScope | undefined;
  readonly reason?: string | undefined;
  readonly source: SuppressionSource;
  readonly at: Date;
  /** A repeat of the same change has the same. */
  readonly cause: string;
}

export type Changed =
  /** Messages are now suppressed that were not, or the other way round; also where this is a repeat of that change. */
  | { readonly outcome: 'changed'; readonly row: SuppressionRow }
  /** It was so before; scope and reason are those of the change. */
  | { readonly outcome: 'same'; readonly row: SuppressionRow }
  /** A later change has been made. */
  | { readonly outcome: 'outdated' };

/**
 * An administrator's operations on senders: lists the rows with their feedback, sets and removes them. The stream of the
 * table leads to the entries in the activity log.
 */

import * as z from 'zod/mini';
import { type Channel, channels } from '../contract/channels.ts';
import { countrySchema } from '../contract/phone-number.ts';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import { misspelledAttributes, storedFeedback, tellsOfMissingClient } from '../edited-table/feedback.ts';
import {
  changedByMark,
  type EditedRow,
  editRow,
  readAllEditedRows,
} from '../edited-table/row-editor.dynamo.ts';
import { claimsOf } from '../sender/number-owners.ts';
import { senderFeedback } from '../sender/sender-feedback.ts';
import { destinationOf, everyCountry, pacesIn, parseSenderRow, senderTable } from '../sender/sender-row.ts';
import type { AdminContext } from './admin-context.ts';
import {
  assertValid,
  attributesToRemove,
  readRowsPage,
  removal,
  removedAttributes,
  type rowsQuery,
  textOf,
  valuesAfter,
} from './edited-rows.ts';
import { requireSettingsOwner } from './find-client.ts';
import { keyText, textUpTo } from './request-fields.ts';

/** The key of a row of senders. */
const senderKey = {
  client_id: keyText,
  channel: z._default(z.enum(channels), 'sms'),
  country: z.union(
    [z.literal(everyCountry), countrySchema],
    'must be a two-letter country code such as GB, or *',
  ),
  carrier: z.optional(z.nullable(z.string().check(z.regex(/^[a-z]+$/, 'must be the name of a carrier')))),
};

/** Checks the form only. The row reader checks if the values are a valid sender. */
export const senderBody = z.object({
  ...senderKey,
  identity: z.optional(textUpTo(256)),
  messages_per_second: z.optional(z.nullable(z.number())),
  entity_id: z.optional(z.nullable(textUpTo(64))),
  template_id: z.optional(z.nullable(textUpTo(64))),
  inbound: z.optional(z.nullable(z.boolean())),
  note: z.optional(z.nullable(z.string().check(z.maxLength(1000)))),
  remove: attributesToRemove,
});

/** The fields can also name a row with a misspelled destination. */
export const senderRowBody = z.object({ client_id: keyText, destination: keyText });

export async function listSenders(ctx: AdminContext, query: z.output<typeof rowsQuery>) {
  const { rows, next } = await readRowsPage(ctx, senderTable, query);
  const now = ctx.clock();
  return { senders: rows.map((row) => viewOf(row, now, ctx.carriers)), ...next };
}

/**
 * Sets a sender; null removes a value. Also removes the invalid values of the row. Attributes that the gateway does
 * not know remain, unless `remove` names them.
 */
export async function setSender(
  ctx: AdminContext,
  actor: string,
  { client_id, channel, country, carrier, remove, ...change }: z.output<typeof senderBody>,
) {
  if (client_id !== everyClient) await requireSettingsOwner(ctx, client_id);
  const key = { client_id, destination: destinationOf({ channel, country, carrier }) };
  let view: ReturnType<typeof viewOf> | undefined;
  await editRow(ctx, senderTable, key, async (held = key) => {
    const values = {
      ...valuesAfter(held, parseSenderRow(held).ignored, change, senderTable.attributes),
      ...removedAttributes(remove, senderTable),
    };
    const row = { ...held, ...values };
    assertValid(parseSenderRow(row).ignored, 'The sender is not valid.');
    const now = ctx.clock();
    const { carriers } = ctx;
    const others = await beside(ctx, row);
    const feedback = senderFeedback(row, { now, clientExists: true, ...others, carriers });
    view = viewOf({ ...row, ...feedback }, now, carriers);
    return { set: { ...values, ...feedback, changed_by: changedByMark(actor, now, false) } };
  });
  if (view === undefined) throw new Error('a sender was set without a view of it');
  return view;
}

/** Removes a row. The destination may be invalid, so that a row with a misspelled destination can be removed. */
export async function removeSender(
  ctx: AdminContext,
  actor: string,
  key: z.output<typeof senderRowBody>,
): Promise<void> {
  await editRow(ctx, senderTable, key, removal(ctx, actor, 'There is no such row of senders.'));
}

const noOthers = { claims: new Map(), paces: new Map() } as const;

/** Returns the claims and paces of all rows, including this one. */
async function beside(ctx: AdminContext, row: EditedRow) {
  const others = (await readAllEditedRows(ctx, senderTable)).filter(
    (other) => other.client_id !== row.client_id || other.destination !== row.destination,
  );
  const all = [...others, row];
  const claims = await claimsOf(
    all.filter((one) => !tellsOfMissingClient(one)),
    async (ids) => new Set(ids),
  );
  return { claims, paces: pacesIn(all.map(parseSenderRow)) };
}

/**
 * Shows the feedback that is stored in the row, because the feedback can depend on all other rows. Before the first review,
 * the feedback is derived from the row alone.
 */
function viewOf(row: EditedRow, now: Date, carriers: Readonly<Record<Channel, readonly string[]>>) {
  const { valid } = parseSenderRow(row);
  const { status, status_message } =
    storedFeedback(row) ?? senderFeedback(row, { now, clientExists: true, ...noOthers, carriers });
  return {
    client_id: String(row.client_id),
    /** The sort key: the channel, the country and, if the row names one, the carrier. */
    destination: String(row.destination),
    /** Null if the row is not valid. */
    channel: valid?.channel ?? null,
    /** ISO 3166-1 alpha-2, or `*`; null if the row is not valid. */
    country: valid?.country ?? null,
    /** Null for the first carrier of the channel. */
    carrier: valid?.carrier ?? null,
    /** The identity as text; null if the row has no identity. The other values have the same format. */
    identity: textOf(row.identity),
    messages_per_second: textOf(row.messages_per_second),
    entity_id: textOf(row.entity_id),
    template_id: textOf(row.template_id),
    inbound: valid?.inbound ?? false,
    note: textOf(row.note),
    /** The attributes whose names look misspelled. */
    misspelled: misspelledAttributes(row, senderTable).map(({ attribute }) => attribute),
    status,
    status_message,
  };
}

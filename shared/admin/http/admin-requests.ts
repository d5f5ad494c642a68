/** What an administrator may ask, by body and by query: every fault is named before anything is done. */
import * as z from 'zod/mini';
import { activityKinds } from '../../activity/activity-log.ts';
import { channels } from '../../contract/channels.ts';
import { GatewayError } from '../../contract/errors.ts';
import { scopes } from '../../contract/routes.ts';
import { statuses } from '../../message/message.ts';
import { directions } from '../../message/store/message-list.ts';
import { isId } from '../../platform/ids.ts';
import { countrySchema, recipientSchema, senderSchema } from '../../recipient/phone-number.ts';
import { everyCountry } from '../../sender/sender-row.ts';
import { usageMoment } from '../../usage/usage-query.ts';
import type { AdminDependencies } from '../admin-dependencies.ts';
import type { MessageFilter } from '../message-search.dynamo.ts';
import { overviewSpans, summaryIntervals } from '../usage.ts';

/** With errors for a person: the dashboard shows them. */
function textUpTo(charactersMax: number) {
  return z
    .string()
    .check(
      z.minLength(1, 'must not be empty'),
      z.maxLength(charactersMax, `must have ${charactersMax} characters or fewer`),
    );
}

/** A part of a table's key, bounded far below what DynamoDB takes (1,024 bytes of a sort key). */
const keyText = textUpTo(128);
/** Ids hold the time in milliseconds since 1970. */
const utcTime = z.iso
  .datetime('must be a time in UTC, such as 2026-11-20T10:00:00Z')
  .check(z.refine((text) => Date.parse(text) >= 0, 'must not be before 1970'));

const name = z.pipe(z.string().check(z.trim()), textUpTo(100));
const limit = z.optional(z.nullable(z.number().check(z.positive(), z.maximum(1_000_000_000))));

export function newClientBody({ webhookUrl }: Pick<AdminDependencies, 'webhookUrl'>) {
  return z.object({
    name,
    scopes: z._default(z.array(z.enum(scopes)).check(z.minLength(1)), ['messages']),
    webhook_url: z.optional(z.nullable(webhookUrl)),
  });
}

/** An empty list would allow nothing, and be taken for one that allows everything. */
const oneAtLeast = z.minLength(1, 'must name one at least; null allows all');
const permissions = {
  countries: z.optional(
    z.nullable(
      z.array(countrySchema).check(oneAtLeast, z.maxLength(250, 'must name 250 countries or fewer')),
    ),
  ),
  senders: z.optional(
    z.nullable(z.array(senderSchema).check(oneAtLeast, z.maxLength(100, 'must name 100 senders or fewer'))),
  ),
};

export function clientChangeBody({ webhookUrl }: Pick<AdminDependencies, 'webhookUrl'>) {
  return z.object({
    disabled: z.optional(z.boolean()),
    webhook_url: z.optional(z.nullable(webhookUrl)),
    ...permissions,
  });
}

/** What a client may use: a list that is left out stays as it is. */
export const permissionsBody = z.object(permissions);

/** Whether the values fit the endpoint is decided as for a row of the table. */
export const limitsBody = z.object({
  endpoint: keyText,
  per_minute: limit,
  per_hour: limit,
  per_day: limit,
  per_month: limit,
  expires_at: z.optional(z.nullable(z.union([z.string().check(z.maxLength(40)), z.number()]))),
  blocked: z.optional(z.nullable(z.boolean())),
  note: z.optional(z.nullable(z.string().check(z.maxLength(1000)))),
});

/** Whether one-time passwords are never held again. */
export const allowOtpsBody = z.object({ always: z._default(z.boolean(), false) });

export const endpointBody = z.object({ endpoint: keyText });

/** The key of a row of senders. */
const senderKey = {
  client_id: keyText,
  channel: z._default(z.enum(channels), 'sms'),
  country: z.union(
    [z.literal(everyCountry), countrySchema],
    'must be a two-letter country code such as GB, or *',
  ),
};

/** Whether the values are a sender is decided as for a row of the table. */
export const senderBody = z.object({
  ...senderKey,
  identity: z.optional(textUpTo(256)),
  messages_per_second: z.optional(z.nullable(z.number())),
  entity_id: z.optional(z.nullable(textUpTo(64))),
  template_id: z.optional(z.nullable(textUpTo(64))),
  inbound: z.optional(z.nullable(z.boolean())),
  note: z.optional(z.nullable(z.string().check(z.maxLength(1000)))),
});

export const senderKeyBody = z.object(senderKey);

/** A row with a misspelled destination can be named too. */
export const senderRowBody = z.object({ client_id: keyText, destination: keyText });

export const resendBody = z.object({
  delivery_ids: z.array(keyText).check(z.minLength(1), z.maxLength(100)),
  even_acknowledged: z.optional(z.boolean()),
});

const pageSize = z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100)), 25);
const cursor = z.optional(keyText);

export const pageQuery = z.object({ limit: pageSize, cursor });

export const activityQuery = z.object({
  limit: pageSize,
  cursor: z.optional(
    z.string().check(z.refine((text) => isId('act', text), 'Give the next_cursor of an answer.')),
  ),
  client_id: z.optional(keyText),
  kind: z.optional(z.enum(activityKinds)),
  since: z.optional(utcTime),
  until: z.optional(utcTime),
});

export const messageQuery = z.object({
  limit: pageSize,
  cursor,
  client_id: z.optional(keyText),
  reference: z.optional(keyText),
  recipient: z.optional(recipientSchema),
  status: z.optional(z.enum(statuses)),
  channel: z.optional(z.enum(channels)),
  error_code: z.optional(keyText),
  direction: z.optional(z.enum(directions)),
  since: z.optional(utcTime),
  until: z.optional(utcTime),
});

export type MessageQuery = z.output<typeof messageQuery>;

/**
 * @returns undefined for the messages of all clients
 * @throws GatewayError where more is named than one search can answer.
 */
export function messageFilterOf(
  query: Pick<MessageQuery, 'client_id' | 'reference' | 'recipient'>,
): Exclude<MessageFilter, { readonly clientIds: unknown }> | undefined {
  const { client_id, reference, recipient } = query;
  if (recipient !== undefined) {
    if (client_id === undefined && reference === undefined) return { recipient };
    throw new GatewayError('invalid_request', 'Search by a recipient or by a client, not by both.', {
      details: [{ field: 'recipient', message: 'cannot be combined with a client or a reference' }],
    });
  }
  if (client_id !== undefined) return { clientId: client_id, reference };
  if (reference === undefined) return undefined;
  throw new GatewayError('invalid_request', 'Name the client of the reference.', {
    details: [{ field: 'client_id', message: 'must be given with a reference' }],
  });
}

/** Whatever an administrator has at hand. */
export const searchQuery = z.object({ q: z.pipe(z.string().check(z.trim()), textUpTo(256)) });

export const overviewQuery = z.object({
  span: z._default(z.enum(Object.keys(overviewSpans) as [keyof typeof overviewSpans]), 'day'),
});

/** The hour, day, week or month of a time, now by default. */
export const usageSummaryQuery = z.object({
  interval: z._default(z.enum(summaryIntervals), 'day'),
  at: z.optional(usageMoment),
});

/** A person of a conversation: a phone number, or a short code, which only writes to us. */
const person = z.union([z.string().check(z.regex(/^[0-9]{3,6}$/)), recipientSchema]);

export const personInPath = z.object({ person });

export const conversationQuery = z.object({
  limit: pageSize,
  cursor,
  client_id: z.optional(keyText),
});

export type ConversationQuery = z.output<typeof conversationQuery>;

/** Of an SMS in seven bits: ten parts, which no handset exceeds. */
const inboundCharactersMax = 1600;

export const inboundBody = z.object({
  channel: z._default(z.enum(channels), 'sms'),
  from: recipientSchema,
  to: z.optional(z.nullable(recipientSchema)),
  text: textUpTo(inboundCharactersMax),
});

export const outboxQuery = z.object({ to: z.optional(recipientSchema) });

/** @throws GatewayError that says why the deployment can never call it. */
export function assertWebhookUrl({ webhookUrl }: Pick<AdminDependencies, 'webhookUrl'>, url: string): void {
  const parsed = webhookUrl.safeParse(url);
  if (parsed.success) return;
  throw new GatewayError('invalid_request', 'The webhook URL is not valid.', {
    details: parsed.error.issues.map(({ message }) => ({ field: 'webhook_url', message })),
  });
}

/** What an administrator may ask, by body and by query: every fault is named before anything is done. */
import * as z from 'zod';
import { activityKinds } from '../activity/activity-log.ts';
import { GatewayError } from '../errors.ts';
import { figureSpans } from './figures.ts';
import type { MessageFilter } from './message-search.ts';
import type { AdminPorts } from './ports.ts';

const name = z.string().trim().min(1).max(100);
const limit = z.int().min(1).max(1_000_000_000).nullable().optional();

export function newClientBody({ webhookUrl }: Pick<AdminPorts, 'webhookUrl'>) {
  return z.object({
    name,
    scopes: z
      .array(z.enum(['messages', 'admin']))
      .min(1)
      .default(['messages']),
    webhook_url: webhookUrl.nullable().optional(),
  });
}

export function clientChangeBody({ webhookUrl }: Pick<AdminPorts, 'webhookUrl'>) {
  return z.object({ disabled: z.boolean().optional(), webhook_url: webhookUrl.nullable().optional() });
}

export const limitsBody = z.object({
  endpoint: z.string().min(1),
  per_minute: limit,
  per_hour: limit,
  per_day: limit,
});

export const endpointBody = z.object({ endpoint: z.string().min(1) });

export const resendBody = z.object({ delivery_ids: z.array(z.string().min(1)).min(1).max(100) });

const pageSize = z.coerce.number().int().min(1).max(100).default(25);
const cursor = z.string().min(1).max(2000).optional();

export const pageQuery = z.object({ limit: pageSize, cursor });

export const activityQuery = z.object({
  limit: pageSize,
  cursor: z
    .string()
    .regex(/^act_[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 'Give the next_cursor of an answer.')
    .optional(),
  client_id: z.string().min(1).optional(),
  kind: z.enum(activityKinds).optional(),
  since: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
});

export const messageQuery = z.object({
  limit: pageSize,
  cursor,
  client_id: z.string().min(1).optional(),
  reference: z.string().min(1).max(128).optional(),
  recipient: z.string().min(1).optional(),
});

/** @throws GatewayError where there is nothing to search by: no index holds all messages. */
export function messageFilterOf(
  query: Pick<z.output<typeof messageQuery>, 'client_id' | 'reference' | 'recipient'>,
): MessageFilter {
  if (query.recipient !== undefined) return { recipient: query.recipient };
  if (query.client_id !== undefined) return { clientId: query.client_id, reference: query.reference };
  throw new GatewayError('invalid_request', 'Name a client or a recipient to search by.', {
    details: [
      { field: 'client_id', message: 'Give a client_id, with or without a reference, or a recipient.' },
    ],
  });
}

export const figuresQuery = z.object({
  span: z.enum(Object.keys(figureSpans) as [keyof typeof figureSpans]).default('day'),
});

export const outboxQuery = z.object({ to: z.string().min(1).optional() });

/** @throws GatewayError that says why the deployment can never call it. */
export function assertWebhookUrl({ webhookUrl }: Pick<AdminPorts, 'webhookUrl'>, url: string): void {
  const parsed = webhookUrl.safeParse(url);
  if (parsed.success) return;
  throw new GatewayError('invalid_request', 'The webhook URL is not valid.', {
    details: parsed.error.issues.map(({ message }) => ({ field: 'webhook_url', message })),
  });
}

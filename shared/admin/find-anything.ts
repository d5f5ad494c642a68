/**
 * Finds an object by any text that an administrator has: an id, a phone number in any notation, or a client's name. Each
 * result links to its page in the dashboard. The number of reads is limited.
 */
import * as z from 'zod/mini';
import { type Client, inMode } from '../client/client.ts';
import { findClient } from '../client/client-store.dynamo.ts';
import { type Mode, modeOf } from '../contract/mode.ts';
import { recipientsAsWritten } from '../contract/phone-number.ts';
import { isUnassigned } from '../message/find-owner.ts';
import { findBatch } from '../message/store/batches.dynamo.ts';
import { findMessageByCarrierId, readMessage } from '../message/store/messages.dynamo.ts';
import { isPending } from '../otp/otp.ts';
import { readOtp } from '../otp/otp-store.dynamo.ts';
import { isId } from '../platform/ids.ts';
import { readDelivery } from '../webhook/delivery-store.dynamo.ts';
import type { AdminContext } from './admin-context.ts';
import { folded, readClients } from './find-client.ts';
import { hasMessages } from './message-search.dynamo.ts';
import { textUpTo } from './request-fields.ts';

export const searchQuery = z.object({ q: z.pipe(z.string().check(z.trim()), textUpTo(256)) });

export interface SearchResult {
  readonly kind: 'message' | 'batch' | 'one_time_password' | 'webhook_delivery' | 'client' | 'recipient';
  readonly id: string;
  readonly title: string;
  readonly client_id?: string;
  /** A link within the dashboard, relative to its page. */
  readonly href: string;
}

export async function search(ctx: AdminContext, text: string) {
  const wanted = text.trim();
  const byId = (await findById(ctx, idIn(wanted))) ?? (await findByCarrierId(ctx, wanted));
  // An id identifies one object, so the search ends here.
  if (byId !== undefined) return { results: [byId], more_clients: false };
  const [recipients, { clients, more }] = await Promise.all([
    findRecipients(ctx, wanted),
    clientsToSearch(ctx, wanted),
  ]);
  const named = clientsNamed(clients, wanted);
  return {
    /** The most specific first. */
    results: [...recipients, ...named.slice(0, clientsShownMax)],
    /** True if some matching clients are not shown, or if the names of some clients were not searched. */
    more_clients: more || named.length > clientsShownMax,
  };
}

/** Finds an id in any case within other text, such as a line that was copied from a log. */
function idIn(text: string): string {
  const [, prefix = '', rest = ''] =
    /(?<![a-z])(msg|bat|otp|whd)_([0-9a-z]{26})(?![0-9a-z])/i.exec(text) ?? [];
  return `${prefix.toLowerCase()}_${rest.toUpperCase()}`;
}

async function findById(ctx: AdminContext, id: string) {
  if (isId('msg', id)) return findMessage(ctx, id);
  if (isId('bat', id)) return batchWithId(ctx, id);
  if (isId('otp', id)) return findOtp(ctx, id);
  return isId('whd', id) ? findDelivery(ctx, id) : undefined;
}

/** Shorter texts cannot be a carrier's id. */
const carrierIdMin = 16;

async function findByCarrierId(ctx: AdminContext, text: string) {
  if (text.length < carrierIdMin || /\s/.test(text)) return undefined;
  const messageId = await findMessageByCarrierId(ctx, text);
  return messageId === undefined ? undefined : findMessage(ctx, messageId);
}

async function findMessage(ctx: AdminContext, id: string): Promise<SearchResult | undefined> {
  const message = await readMessage(ctx, id);
  if (message === undefined) return undefined;
  const { client_id, channel, direction, recipient, status } = message;
  const sent = channel === 'sms' ? 'SMS' : 'WhatsApp message';
  return {
    kind: 'message',
    id,
    title: `${sent} ${direction === 'inbound' ? 'from' : 'to'} ${recipient}, ${status}`,
    ...(isUnassigned(message) ? {} : { client_id }),
    href: pageOf(modeOf(client_id), 'messages', id),
  };
}

/** The result links to the list of the messages: all messages of a batch have its time of creation. */
async function batchWithId(ctx: AdminContext, id: string) {
  const batch = await findBatch(ctx, id);
  if (batch === undefined) return undefined;
  const { client_id, total, accepted, created_at } = batch;
  const title = `Bulk request of ${total} recipients, ${accepted} accepted`;
  const query = { client_id, since: created_at, until: created_at };
  return ofClient(client_id, { kind: 'batch', id, title }, 'messages', undefined, query);
}

async function findOtp(ctx: AdminContext, id: string) {
  const otp = await readOtp(ctx, id);
  if (otp === undefined) return undefined;
  const { client_id, recipient } = otp;
  const status = otp.status === 'pending' && !isPending(otp, ctx.clock()) ? 'no longer valid' : otp.status;
  const title = `One-time password to ${recipient}, ${status}`;
  return ofClient(client_id, { kind: 'one_time_password', id, title }, 'messages', undefined, { recipient });
}

async function findDelivery(ctx: AdminContext, id: string) {
  const delivery = await readDelivery(ctx, id);
  if (delivery === undefined) return undefined;
  const { client_id, event, url, state } = delivery;
  const title = `Webhook ${event} to ${url}, ${state}`;
  return ofClient(client_id, { kind: 'webhook_delivery', id, title }, 'webhooks', id);
}

/** Finds only numbers that have sent or received messages, because a text can be read as several numbers. */
async function findRecipients(ctx: AdminContext, wanted: string): Promise<SearchResult[]> {
  const numbers = recipientsAsWritten(wanted, ctx.env.COUNTRY);
  const areUsed = await Promise.all(numbers.map((number) => hasMessages(ctx, number)));
  return numbers
    .filter((_, index) => areUsed[index])
    .map(
      (recipient): SearchResult => ({
        kind: 'recipient',
        id: recipient,
        title: `Messages with ${recipient}`,
        href: pageOf(ctx.mode, 'messages', undefined, { recipient }),
      }),
    );
}

const clientsSearchedMax = 10_000;

/** Returns the client with this id, or all clients up to a limit. */
async function clientsToSearch(ctx: AdminContext, wanted: string) {
  const named = await findClient(ctx, wanted);
  if (named !== undefined) return { clients: [named], more: false };
  const { clients, more } = await readClients(ctx, clientsSearchedMax);
  return { clients: clients.map((client) => inMode(client, ctx.mode)), more };
}

const clientsShownMax = 20;

/** Finds clients by id, or by any part of the name. Full matches come first, then names that start with the text. */
function clientsNamed(clients: readonly Client[], wanted: string): SearchResult[] {
  const part = folded(wanted);
  const rank = ({ client_id, name }: Client): number => {
    const text = folded(name);
    if (client_id === wanted || text === part) return 0;
    return text.startsWith(part) ? 1 : 2;
  };
  return clients
    .filter((client) => client.client_id === wanted || folded(client.name).includes(part))
    .toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
    .map(({ client_id: id, name }) => ofClient(id, { kind: 'client', id, title: name }, 'clients', id));
}

/** Returns a result about a client, with the page that shows it. */
function ofClient(
  client_id: string,
  found: { readonly kind: SearchResult['kind']; readonly id: string; readonly title: string },
  ...page: Parameters<typeof pagePath>
): SearchResult {
  return { ...found, client_id, href: pageOf(modeOf(client_id), ...page) };
}

/** Returns the address of a dashboard page, as written after `#`. */
function pageOf(mode: Mode, ...page: Parameters<typeof pagePath>): string {
  return `#/${mode === 'test' ? 'test/' : ''}${pagePath(...page)}`;
}

function pagePath(page: string, id?: string, query: Readonly<Record<string, string>> = {}): string {
  const path = id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}

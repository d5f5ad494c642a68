/** A carrier that is called over HTTP, and a double of its vendor that it calls. */
import { text as textOf } from 'node:stream/consumers';
import type { CarrierContext } from '../../../shared/carrier/carrier-module.ts';
import { carrierReports } from '../../../shared/carrier/carrier-reports.ts';
import { carrierModules } from '../../../shared/carrier/carriers.ts';
import { attemptIdOf, type HandOverBody } from '../../../shared/message/dispatch/carrier.ts';
import type { Message } from '../../../shared/message/message.ts';
import { startServer } from '../http/local-server.ts';
import { aSendingMessage } from '../message/example-message.ts';
import { readVendorDescription, type VendorRequest } from './vendor-description.ts';
import type { Callback, Taken, CallbackVendor as Vendor, VendorResponse } from './vendors/vendor.ts';

export const publicUrl = 'https://gateway.example.com';
const now = new Date('2026-11-20T10:00:01.000Z');
export const receivedAt = new Date('2026-11-20T10:00:02.000Z');
/** The time limit of a call that must not end by it. */
export const longMs = 10_000;

const closing: (() => Promise<void>)[] = [];

/** To be called after each test. */
export async function closeDoubles() {
  for (const close of closing.splice(0)) await close();
}

/** The vendor's double; `respond` decides what becomes of a request, `undefined` breaks the connection. */
export async function doubleOf(
  vendor: Vendor,
  respond?: (request: VendorRequest) => VendorResponse | 'hang' | undefined,
) {
  const description = readVendorDescription(vendor.description);
  const taken: Taken[] = [];
  const requests: VendorRequest[] = [];
  const faults: string[] = [];
  function act(request: VendorRequest): VendorResponse {
    if (!vendor.isAuthorized(request)) return vendor.unauthorized;
    const asked = vendor.askedIn(request);
    if (asked === undefined) return vendor.answer(request, taken);
    const earlier = taken.find(({ attemptId }) => attemptId === asked.attemptId);
    if (earlier !== undefined && vendor.recognizesRepeats) return vendor.accepted(earlier, true);
    const message = {
      ...asked,
      vendorId: vendor.newId(),
      at: now,
      price: 0.031,
      outcome: 'delivered' as const,
    };
    taken.push(message);
    return vendor.accepted(message, false);
  }
  const { url, close } = await startServer(async (incoming, outgoing) => {
    const request = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers as Record<string, string>,
      text: await textOf(incoming),
    };
    requests.push(request);
    faults.push(...description.judge(request).faults);
    const response = respond === undefined ? act(request) : respond(request);
    if (response === 'hang') return;
    if (response === undefined) incoming.socket.destroy();
    else {
      faults.push(...description.responseFaults(request, response.status, response.text));
      outgoing.writeHead(response.status, response.headers).end(response.text);
    }
  });
  closing.push(close);
  return { url, taken, requests, faults };
}

export function moduleOf({ name }: Vendor) {
  const found = carrierModules.find(({ descriptor }) => descriptor.name === name);
  if (found === undefined) throw new Error(`there is no carrier ${name}`);
  return found;
}

export function reportsOf({ name }: Vendor) {
  const found = carrierReports.find(({ descriptor }) => descriptor.name === name);
  if (found?.callbacks === undefined) throw new Error(`${name} has no callbacks`);
  return { ...found, callbacks: found.callbacks };
}

/** The secret, read as the gateway reads it. */
export function credentialsOf(vendor: Vendor, baseUrl: string, more: object = {}): unknown {
  const schema = moduleOf(vendor).credentials;
  return schema?.parse({ base_url: baseUrl, ...vendor.credentials, ...more });
}

export function contextOf(
  vendor: Vendor,
  credentials: readonly unknown[],
  timeLimitMs = longMs,
): CarrierContext {
  return {
    credentials: async () => credentials,
    callbackUrl: (path) => `${publicUrl}/carriers/${vendor.name}/${path}`,
    prices: { currency: 'USD', sms: { default: 0.04 }, whatsapp: { default: 0.02 } },
    clock: () => now,
    timeLimitMs,
    env: {} as CarrierContext['env'],
  };
}

export function carrierOf(vendor: Vendor, baseUrl: string, timeLimitMs?: number) {
  const context = contextOf(vendor, [credentialsOf(vendor, baseUrl)], timeLimitMs);
  return moduleOf(vendor).create(vendor.channel, context);
}

export function requestFor(
  vendor: Vendor,
  more: Partial<Message> = {},
  body: HandOverBody = { text: 'Hello' },
  number = 1,
) {
  const message = aSendingMessage({ channel: vendor.channel, ...more });
  const attempt = { id: attemptIdOf(message.message_id, number), number, at: now };
  return { message, body, attempt };
}

/** Returns a function that reads a callback as the carrier does. */
export const readerOf =
  (vendor: Vendor) =>
  ({ path, text }: Callback) =>
    reportsOf(vendor).parse({ path, query: {}, body: text, receivedAt });

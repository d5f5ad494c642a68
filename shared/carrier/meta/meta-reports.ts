/** Verifies the callbacks of Meta, responds to its challenge, and reads its reports. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import type { CarrierReports } from '../carrier-module.ts';
import { type CarrierNotification, jsonOf, type Reported, read } from '../carrier-notification.ts';
import { readWebhookEntry, whatsAppWebhookEntry } from '../whatsapp-webhook.ts';
import { type MetaCredentials, metaCredentials, metaDescriptor } from './meta-descriptor.ts';

export const metaReports: CarrierReports<MetaCredentials> = {
  descriptor: metaDescriptor,
  callbacks: {
    credentials: metaCredentials,
    /** Meta signs the raw body with the app secret, in `X-Hub-Signature-256`. */
    verify({ headers, body }, credentials) {
      const [, given] = /^sha256=([0-9a-f]{64})$/i.exec(headers['x-hub-signature-256'] ?? '') ?? [];
      if (given === undefined) return false;
      const signature = Buffer.from(given, 'hex');
      return credentials.some(({ app_secret }) =>
        timingSafeEqual(signature, createHmac('sha256', app_secret).update(body).digest()),
      );
    },

    answerChallenge({ query }, credentials) {
      const { 'hub.mode': mode, 'hub.verify_token': token = '', 'hub.challenge': challenge } = query;
      if (mode !== 'subscribe') return undefined;
      return credentials.some(({ verify_token }) => isSame(token, verify_token)) ? challenge : undefined;
    },
  },
  parse: parseMeta,
};

/** Compares digests, because `timingSafeEqual` requires inputs of the same length. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}

const webhook = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(whatsAppWebhookEntry),
});

/** @throws UnreadableNotification if no part of the callback can be read. */
function parseMeta({ body, receivedAt }: Reported): CarrierNotification {
  const { entry } = read(webhook, jsonOf(body, 'the body'), 'the callback');
  const source = {
    receivedAt: receivedAt.toISOString(),
    numberIdOf: (metaId: string | undefined) => metaId,
    carrierMessageIdOf: (metaId: string) => metaId,
  };
  const found = entry.map((each) => readWebhookEntry(each, source));
  return {
    receipts: found.flatMap(({ receipts }) => receipts),
    inbound: found.flatMap(({ inbound }) => inbound),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  };
}

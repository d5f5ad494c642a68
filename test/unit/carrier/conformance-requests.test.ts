/**
 * What every carrier that is called over HTTP asks of its vendor: to take a message, whether it took one, and whether the
 * credentials work. A new carrier is a line in `vendors.ts`.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { carrierModules } from '../../../shared/carrier/carriers.ts';
import { attemptIdOf } from '../../../shared/message/dispatch/carrier.ts';
import type { Message } from '../../../shared/message/message.ts';
import { storedWhatsAppContent } from '../../../shared/message/whatsapp-content.ts';
import {
  carrierOf,
  closeDoubles,
  contextOf,
  credentialsOf,
  doubleOf,
  moduleOf,
  readerOf,
  requestFor,
} from '../../support/carrier/carrier-with-double.ts';
import type { Taken, CallbackVendor as Vendor } from '../../support/carrier/vendors/vendor.ts';
import { vendors } from '../../support/carrier/vendors/vendors.ts';
import { aSendingMessage } from '../../support/message/example-message.ts';

afterEach(closeDoubles);

it('every carrier that is called over HTTP has a vendor here', () => {
  const called = carrierModules.filter(({ descriptor }) => descriptor.hasCredentials);
  expect(vendors.map(({ name }) => name).toSorted()).toEqual(
    called.map(({ descriptor }) => descriptor.name).toSorted(),
  );
});

const whatsapp = (content: object) => ({ whatsapp: storedWhatsAppContent().parse(content) });

const contents: Readonly<Record<Vendor['channel'], Readonly<Record<string, Partial<Message>>>>> = {
  sms: {
    'from the default sender': {},
    'from a name': { sender: { identity: 'ACME' } },
    'from a number': { sender: { identity: '+447700900999' } },
    'to India, with the ids of its regulator': {
      recipient: '+919876543210',
      sender: { identity: 'ACMEIN', entity_id: '1101', template_id: '1107' },
    },
    'that expires in a second': { expires_at: '2026-11-20T10:00:02.000Z' },
    'that is valid for three days': { expires_at: '2026-11-23T10:00:00.000Z' },
  },
  whatsapp: {
    'with a text': {},
    'from another number': { sender: { identity: '106540352242999' } },
    'to a user by the id': { recipient: 'US.13491208655302741918' },
    'with a template': whatsapp({
      type: 'template',
      template: {
        name: 'order_shipped',
        language: 'en_GB',
        parameters: {
          header: { type: 'document', media: { url: 'https://example.com/a.pdf', filename: 'a.pdf' } },
          body: ['Ann', '42'],
          buttons: [
            'track/42',
            { type: 'quick_reply', value: 'STOP', index: 2 },
            { type: 'copy_code', value: 'A1', index: 3 },
          ],
        },
      },
    }),
    'with an image': whatsapp({ type: 'image', media: { url: 'https://example.com/a.png', caption: 'A' } }),
    'with a video': whatsapp({ type: 'video', media: { id: '1166846181421424' } }),
    'with a sound': whatsapp({ type: 'audio', media: { id: '1166846181421424' } }),
    'with a document': whatsapp({
      type: 'document',
      media: { url: 'https://example.com/a.pdf', filename: 'a.pdf' },
    }),
    'with a sticker': whatsapp({ type: 'sticker', media: { id: '798882015472548' } }),
    'with a place': whatsapp({
      type: 'location',
      location: { latitude: 51.5, longitude: -0.1, name: 'London' },
    }),
  },
};

describe.each(vendors.map((vendor) => [vendor.name, vendor] as const))('%s', (_name, vendor) => {
  const parsed = readerOf(vendor);

  describe('hands over', () => {
    it.each(Object.entries(contents[vendor.channel]))(
      'a message %s as the vendor describes it',
      async (_title, more) => {
        const double = await doubleOf(vendor);
        const outcome = await carrierOf(vendor, double.url).handOver(requestFor(vendor, more));
        expect(double.faults).toEqual([]);
        expect(outcome).toMatchObject({ outcome: 'accepted' });
        const { recipient } = aSendingMessage(more);
        expect(double.taken).toEqual([expect.objectContaining({ to: recipient })]);
      },
    );

    it('the text as it is, with the attempt’s id', async () => {
      const double = await doubleOf(vendor);
      const text = 'Grüß dich 👋 & "STOP" 50% +1\nline';
      await carrierOf(vendor, double.url).handOver(requestFor(vendor, {}, { text }, 3));
      expect(double.taken).toMatchObject([{ text, attemptId: 'msg_01KAG00000000000000000000A.3' }]);
    });

    it('by the id that its receipts have', async () => {
      const double = await doubleOf(vendor);
      const outcome = await carrierOf(vendor, double.url).handOver(requestFor(vendor));
      const [taken] = double.taken;
      const { receipts } = parsed(vendor.report(taken as Taken, 'delivered'));
      const id = outcome.outcome === 'accepted' ? outcome.carrierMessageId : undefined;
      expect(receipts.map(({ carrierMessageId }) => carrierMessageId)).toEqual([id]);
    });

    it('with the newest of two secrets', async () => {
      const double = await doubleOf(vendor);
      const [newest, older] = [double.url, 'http://127.0.0.1:1'].map((url) => credentialsOf(vendor, url));
      const carrier = moduleOf(vendor).create(vendor.channel, contextOf(vendor, [newest, older]));
      expect(await carrier.handOver(requestFor(vendor))).toMatchObject({ outcome: 'accepted' });
    });

    it('a repeated attempt as its descriptor says', async () => {
      const { repeatedRequest, settledBy } = moduleOf(vendor).descriptor;
      const double = await doubleOf(vendor);
      const carrier = carrierOf(vendor, double.url);
      const outcomes = [
        await carrier.handOver(requestFor(vendor)),
        await carrier.handOver(requestFor(vendor)),
      ];
      expect(double.taken).toHaveLength(repeatedRequest === 'recognized' ? 1 : 2);
      expect(settledBy === 'repeat').toBe(repeatedRequest === 'recognized');
      if (repeatedRequest === 'recognized') expect(outcomes[1]).toEqual(outcomes[0]);
    });
  });

  it('finds an attempt that was taken, and no other, if it can be asked', async () => {
    const double = await doubleOf(vendor);
    const carrier = carrierOf(vendor, double.url);
    const { canLookUp } = moduleOf(vendor).descriptor;
    expect(carrier.lookup !== undefined).toBe(canLookUp);
    if (carrier.lookup === undefined) return;
    const { message, attempt } = requestFor(vendor);
    expect(await carrier.lookup({ message, attempt })).toBeUndefined();
    const handOver = await carrier.handOver(requestFor(vendor));
    const found = await carrier.lookup({ message, attempt, ...handOver });
    expect(found).toMatchObject({ receipt: { transition: { to: 'delivered' } } });
    expect(double.faults).toEqual([]);
    const other = { ...attempt, id: attemptIdOf('msg_01KAG00000000000000000000B', 1) };
    const elsewhere = {
      ...message,
      message_id: 'msg_01KAG00000000000000000000B',
      recipient: '+447700900124',
    };
    expect(await carrier.lookup({ message: elsewhere, attempt: other })).toBeUndefined();
  });

  it('says whether its credentials work, by a call that sends nothing', async () => {
    const double = await doubleOf(vendor);
    const check = moduleOf(vendor).checkCredentials;
    expect(await check?.(contextOf(vendor, [credentialsOf(vendor, double.url)]))).toMatchObject({
      works: true,
    });
    expect(double.taken).toEqual([]);
    expect(double.faults).toEqual([]);
    const refusing = await doubleOf(vendor, () => vendor.unauthorized);
    const refused = await check?.(contextOf(vendor, [credentialsOf(vendor, refusing.url)]));
    expect(refused).toMatchObject({ works: false });
    for (const value of Object.values(vendor.credentials)) expect(refused?.answer).not.toContain(value);
  });
});

/**
 * What every carrier guarantees that is called over HTTP and calls back, against a double of its vendor. A new carrier is a
 * line in `vendors.ts`.
 */
import { text as textOf } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { CarrierContext } from '../../../shared/carrier/carrier-module.ts';
import { carrierReports } from '../../../shared/carrier/carrier-reports.ts';
import { carrierModules } from '../../../shared/carrier/carriers.ts';
import { attemptIdOf, type HandOverBody } from '../../../shared/message/dispatch/carrier.ts';
import type { Message } from '../../../shared/message/message.ts';
import { storedWhatsAppContent } from '../../../shared/message/whatsapp-content.ts';
import { alteredCallback } from '../../support/carrier/altered-callback.ts';
import { readVendorDescription, type VendorRequest } from '../../support/carrier/vendor-description.ts';
import type {
  Callback,
  Taken,
  CallbackVendor as Vendor,
  VendorResponse,
} from '../../support/carrier/vendors/vendor.ts';
import { vendors } from '../../support/carrier/vendors/vendors.ts';
import { freePort } from '../../support/gateway/free-port.ts';
import { startServer } from '../../support/http/local-server.ts';
import { aSendingMessage } from '../../support/message/example-message.ts';

const publicUrl = 'https://gateway.example.com';
const now = new Date('2026-11-20T10:00:01.000Z');
const receivedAt = new Date('2026-11-20T10:00:02.000Z');
/** Of a call that must end, and of one that must not. */
const [shortMs, longMs] = [300, 10_000];

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

it('every carrier that is called over HTTP has a vendor here', () => {
  const called = carrierModules.filter(({ descriptor }) => descriptor.hasCredentials);
  expect(vendors.map(({ name }) => name).toSorted()).toEqual(
    called.map(({ descriptor }) => descriptor.name).toSorted(),
  );
});

/** The vendor's double; `respond` decides what becomes of a request, `undefined` breaks the connection. */
async function doubleOf(
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

function moduleOf({ name }: Vendor) {
  const found = carrierModules.find(({ descriptor }) => descriptor.name === name);
  if (found === undefined) throw new Error(`there is no carrier ${name}`);
  return found;
}

function reportsOf({ name }: Vendor) {
  const found = carrierReports.find(({ descriptor }) => descriptor.name === name);
  if (found?.callbacks === undefined) throw new Error(`${name} has no callbacks`);
  return { ...found, callbacks: found.callbacks };
}

/** The secret, read as the gateway reads it. */
function credentialsOf(vendor: Vendor, baseUrl: string, more: object = {}): unknown {
  const schema = moduleOf(vendor).credentials;
  return schema?.parse({ base_url: baseUrl, ...vendor.credentials, ...more });
}

function contextOf(vendor: Vendor, credentials: readonly unknown[], timeLimitMs = longMs): CarrierContext {
  return {
    credentials: async () => credentials,
    callbackUrl: (path) => `${publicUrl}/carriers/${vendor.name}/${path}`,
    prices: { currency: 'USD', sms: { default: 0.04 }, whatsapp: { default: 0.02 } },
    clock: () => now,
    timeLimitMs,
    env: {} as CarrierContext['env'],
  };
}

function carrierOf(vendor: Vendor, baseUrl: string, timeLimitMs?: number) {
  const context = contextOf(vendor, [credentialsOf(vendor, baseUrl)], timeLimitMs);
  return moduleOf(vendor).create(vendor.channel, context);
}

function requestFor(
  vendor: Vendor,
  more: Partial<Message> = {},
  body: HandOverBody = { text: 'Hello' },
  number = 1,
) {
  const message = aSendingMessage({ channel: vendor.channel, ...more });
  const attempt = { id: attemptIdOf(message.message_id, number), number, at: now };
  return { message, body, attempt };
}

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
  const secret = vendor.credentials[vendor.callbackSecret] ?? '';
  const urlOf = ({ path }: Callback) => `${publicUrl}/carriers/${vendor.name}/${path}`;
  const callbackRequest = (
    callback: Callback,
    headers: Readonly<Record<string, string>>,
    of: Vendor = vendor,
  ) => ({
    method: 'POST' as const,
    url: `${publicUrl}/carriers/${of.name}/${callback.path}`,
    path: callback.path,
    query: {},
    headers: { 'content-type': callback.contentType, ...headers },
    body: Buffer.from(callback.text),
  });
  const parsed = ({ path, text }: Callback) =>
    reportsOf(vendor).parse({ path, query: {}, body: text, receivedAt });
  /** A message that the double took, with what it asked for as the carrier sent it. */
  async function handedOver(): Promise<Taken> {
    const double = await doubleOf(vendor);
    await carrierOf(vendor, double.url).handOver(requestFor(vendor));
    const [taken] = double.taken;
    if (taken === undefined) throw new Error('nothing was taken');
    return taken;
  }

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

  describe('says of a hand-over', () => {
    const outcomeOf = async (response: VendorResponse) => {
      const double = await doubleOf(vendor, () => response);
      return carrierOf(vendor, double.url).handOver(requestFor(vendor));
    };
    const cases = {
      recipient: { outcome: 'refused' },
      account: { outcome: 'refused', elsewhere: true },
      throttled: { outcome: 'throttled' },
      unavailable: { outcome: 'not_taken' },
    } as const;
    for (const [why, expected] of Object.entries(cases) as [keyof typeof cases, object][]) {
      const response = vendor.refusal(why);
      if (response === undefined) continue;
      it(`that it is ${JSON.stringify(expected)} where the vendor refuses: ${why}`, async () => {
        const outcome = await outcomeOf(response);
        expect(outcome).toMatchObject(expected);
        if (why === 'recipient') expect(outcome).not.toMatchObject({ elsewhere: true });
        if (why === 'recipient' || why === 'account')
          expect(outcome).toMatchObject({ errorCode: vendor.refusalCodes[why] });
      });
    }

    it('that it was not taken where the credentials are wrong', async () => {
      expect(await outcomeOf(vendor.unauthorized)).toMatchObject({ outcome: 'not_taken' });
    });

    it('that it was not taken where there is no connection', async () => {
      const carrier = carrierOf(vendor, `http://127.0.0.1:${await freePort()}`);
      expect(await carrier.handOver(requestFor(vendor))).toMatchObject({ outcome: 'not_taken' });
    });

    it.each([
      ['a proxy answers', { status: 502, text: '<html>Bad gateway</html>' }],
      ['a proxy gives up', { status: 504, text: '' }],
      ['the answer is cut', { status: 200, text: '{"mess' }],
      ['the answer is another one', { status: 200, text: '{}' }],
      ['the connection breaks', undefined],
      ['no answer comes', 'hang'],
    ] as const)('nothing where %s: it throws', async (_title, response) => {
      const double = await doubleOf(vendor, () => response);
      const carrier = carrierOf(vendor, double.url, response === 'hang' ? shortMs : longMs);
      await expect(carrier.handOver(requestFor(vendor))).rejects.toThrow();
    });

    const errorStatuses = [400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 501, 502, 503, 504];
    const notTheVendors = { HTML: '<html>No</html>', '{}': '{}' };
    it.each(
      errorStatuses.flatMap((status) =>
        Object.entries(notTheVendors).map(([what, text]) => [status, what, text] as const),
      ),
    )(
      'nothing where %i comes with %s, which is no error of the vendor’s own: it throws',
      async (status, _what, text) => {
        await expect(outcomeOf({ status, text })).rejects.toThrow();
      },
    );

    it('never its credentials', async () => {
      const double = await doubleOf(vendor, () => ({ status: 502, text: '' }));
      const error: unknown = await carrierOf(vendor, double.url)
        .handOver(requestFor(vendor))
        .catch((thrown: unknown) => thrown);
      const told = `${error} ${JSON.stringify(error)} ${error instanceof Error ? error.stack : ''}`;
      for (const value of Object.values(vendor.credentials)) expect(told).not.toContain(value);
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

  describe('reads a receipt', () => {
    it.each([
      ['sent', { to: 'sent' }],
      ['delivered', { to: 'delivered' }],
      ['unreachable', { to: 'failed', errorCode: 'unreachable' }],
    ] as const)('that says %s, of the attempt that it is about', async (outcome, transition) => {
      const taken = { ...(await handedOver()), at: receivedAt };
      const callback = vendor.report(taken, outcome);
      expect(
        readVendorDescription(vendor.description).callbackFaults(callback.name ?? '', callback.text),
      ).toEqual([]);
      const notification = parsed(callback);
      expect(notification).toMatchObject({ inbound: [], unreadable: [] });
      expect(notification.receipts).toMatchObject([
        { messageId: 'msg_01KAG00000000000000000000A', attempt: 1, transition },
      ]);
      expect(parsed(callback)).toEqual(notification);
    });
  });

  it('reads a message from a person', () => {
    const text = 'Stop 👋';
    const notification = parsed(vendor.received({ from: '+447700900123', text, id: 'inbound-1' }));
    expect(notification).toMatchObject({
      receipts: [],
      unreadable: [],
      inbound: [{ channel: vendor.channel, carrierMessageId: 'inbound-1', person: '+447700900123', text }],
    });
    expect(notification.inbound[0]?.number).toMatch(/^\+\d+$/);
  });

  it.each(['', '{', 'null', '[]', '"text"', '{"results":5}', '\u0000'])('sets %j aside', (text) => {
    const read = () => parsed({ path: 'reports', contentType: 'application/json', text });
    let faults: unknown;
    try {
      faults = read().unreadable.length + read().receipts.length;
    } catch (error) {
      faults = error instanceof Error ? error.name : error;
    }
    expect(faults).toBe('UnreadableNotification');
  });

  describe('takes a callback', () => {
    const credentials = [
      credentialsOf(vendor, publicUrl),
      credentialsOf(vendor, publicUrl, { [vendor.callbackSecret]: 'the one before' }),
    ];
    const verify = reportsOf(vendor).callbacks.verify;

    it.each([secret, 'the one before'])('that is signed with either of two secrets (%#)', async (used) => {
      for (const callback of [
        vendor.report(await handedOver(), 'delivered'),
        vendor.received({ from: '+447700900123', text: 'Grüß 👋 & + %', id: 'inbound-1' }),
      ])
        expect(
          verify(callbackRequest(callback, vendor.sign(callback, urlOf(callback), used)), credentials),
        ).toBe(true);
    });

    it('and none of 500 altered ones', async () => {
      const callback = vendor.report(await handedOver(), 'delivered');
      const taken = Array.from({ length: 500 }, (_, index) =>
        alteredCallback(vendor, callback, urlOf(callback), index),
      ).filter((altered) => verify(callbackRequest(altered, altered.headers), credentials));
      expect(taken).toEqual([]);
    });

    it('and none of another carrier’s', async () => {
      const callback = vendor.report(await handedOver(), 'delivered');
      const headers = vendor.sign(callback, urlOf(callback), secret);
      for (const other of vendors.filter((one) => one !== vendor)) {
        const request = callbackRequest(callback, headers, other);
        expect(reportsOf(other).callbacks.verify(request, [credentialsOf(other, publicUrl)])).toBe(false);
      }
    });
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

/** Every carrier that calls back reads what its vendor reports, and takes a callback only where its signature is right. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { alteredCallback } from '../../support/carrier/altered-callback.ts';
import {
  carrierOf,
  closeDoubles,
  credentialsOf,
  doubleOf,
  publicUrl,
  readerOf,
  receivedAt,
  reportsOf,
  requestFor,
} from '../../support/carrier/carrier-with-double.ts';
import { readVendorDescription } from '../../support/carrier/vendor-description.ts';
import type { Callback, Taken, CallbackVendor as Vendor } from '../../support/carrier/vendors/vendor.ts';
import { vendors } from '../../support/carrier/vendors/vendors.ts';

afterEach(closeDoubles);

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
  const parsed = readerOf(vendor);
  /** A message that the double took, with what it asked for as the carrier sent it. */
  async function handedOver(): Promise<Taken> {
    const double = await doubleOf(vendor);
    await carrierOf(vendor, double.url).handOver(requestFor(vendor));
    const [taken] = double.taken;
    if (taken === undefined) throw new Error('nothing was taken');
    return taken;
  }

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
});

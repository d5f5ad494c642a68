/** What every carrier that is called over HTTP says of a hand-over that its vendor did not accept, or did not respond to. */
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  carrierOf,
  closeDoubles,
  doubleOf,
  longMs,
  requestFor,
} from '../../support/carrier/carrier-with-double.ts';
import type { VendorResponse } from '../../support/carrier/vendors/vendor.ts';
import { vendors } from '../../support/carrier/vendors/vendors.ts';
import { freePort } from '../../support/gateway/free-port.ts';

/** The time limit of a call that must end by it. */
const shortMs = 300;

afterEach(closeDoubles);

describe.each(vendors.map((vendor) => [vendor.name, vendor] as const))('%s', (_name, vendor) => {
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
        if (why === 'throttled') expect(outcome).not.toHaveProperty('forRecipient');
      });
    }

    const { throttledForRecipient } = vendor;
    if (throttledForRecipient !== undefined)
      it('that it is throttled only for the recipient', async () => {
        const expected = { outcome: 'throttled', forRecipient: true };
        expect(await outcomeOf(throttledForRecipient)).toMatchObject(expected);
      });

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
});

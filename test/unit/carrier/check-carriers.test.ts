/** What is known of a carrier's credentials without handing a message over. */
import { describe, expect, it } from '@jest/globals';
import type { CarrierContext } from '../../../shared/carrier/carrier-module.ts';
import { credentialChecks } from '../../../shared/carrier/carrier-secrets.secrets.ts';
import { carrierModules } from '../../../shared/carrier/carriers.ts';
import { vendors } from '../../support/carrier/vendors/vendors.ts';

describe('a carrier', () => {
  it.each(vendors)(
    '$name names the sender of its secret before a call',
    async ({ name, channel, credentials }) => {
      const module = carrierModules.find(({ descriptor }) => descriptor.name === name);
      const context = { credentials: async () => [credentials] } as unknown as CarrierContext;
      const sender = await module?.create(channel, context).defaultSender?.();
      expect([credentials.from, credentials.phone_number_id]).toContain(sender);
    },
  );

  it('without credentials in its secret does not work, and the answer says so', async () => {
    const noSecret = async () => {
      throw new Error('the secret of the carrier twilio has no valid credentials');
    };
    const check = credentialChecks(async () => carrierModules, noSecret);
    expect(await check('twilio')).toEqual({
      works: false,
      answer: 'the secret of the carrier twilio has no valid credentials',
    });
  });

  it.each(['aws', 'simulator'])('%s has no credentials of its own', async (name) => {
    const check = credentialChecks(
      async () => carrierModules,
      async () => [],
    );
    expect(await check(name)).toBeUndefined();
  });
});

/** No client can be given a name that looks like another one. */
import { expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { newClientBody } from '../../../shared/admin/clients.ts';

const accepts = (name: string): boolean =>
  newClientBody({ webhookUrl: z.string() }).safeParse({ name }).success;

it.each(['\u202eevil', 'li\u200bve', 'Sh\u0007op', 'Shop\nlive', 'Shop\ufeff.'])(
  'refuses the name %j',
  (name) => {
    expect(accepts(name)).toBe(false);
  },
);

it.each(['Grüße & Co. 👩‍👧', '店', 'می‌خواهم'])('takes the name %s', (name) => {
  expect(accepts(name)).toBe(true);
});

/** The signatures that the packages of Twilio publish as examples, all with the auth token 12345. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isSignedBy } from '../../../shared/carrier/twilio/twilio-reports.ts';

const authToken = '12345';
const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const form = new URLSearchParams({
  CallSid: 'CA1234567890ABCDE',
  Caller: '+14158675309',
  Digits: '1234',
  From: '+14158675309',
  To: '+18005551212',
}).toString();
const json = '{"property": "value", "boolean": true}';
const jsonHash = '0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620';

function isSigned(signature: string | undefined, body: string, address = url, token = authToken): boolean {
  return isSignedBy(token, {
    method: 'POST',
    url: address,
    path: 'inbound',
    query: Object.fromEntries(new URL(address).searchParams),
    headers: signature === undefined ? {} : { 'x-twilio-signature': signature },
    body: Buffer.from(body),
  });
}

describe('the published examples', () => {
  it.each([
    ['a form', 'RSOYDt4T1cUTdK1PDd93/VVr8B8=', form, url],
    [
      'a field that is given several times',
      'IK+Dwps556ElfBT0I3Rgjkr1wJU=',
      'Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234',
      url,
    ],
    ['a body of another type', 'a9nBmqA0ju/hNViExpshrM61xv4=', json, `${url}&bodySHA256=${jsonHash}`],
    [
      'an address in capitals',
      'g9IN/x4Cft2g517EjYvEvM/W7LU=',
      form,
      'https://MyCompany.com/myapp.php?foo=1&bar=2',
    ],
  ])('%s', (_what, signature, body, address) => {
    expect(isSigned(signature, body, address)).toBe(true);
    expect(isSigned(signature, `${body}0`, address)).toBe(false);
    expect(isSigned(signature, body, address, '54321')).toBe(false);
    expect(isSigned(undefined, body, address)).toBe(false);
    expect(isSigned('FAIL', body, address)).toBe(false);
  });
});

it('takes the address with its usual port and without it', () => {
  const signed = `https://mycompany.com:443/myapp.php?foo=1&bar=2${[...new URLSearchParams(form)].flat().join('')}`;
  const signature = createHmac('sha1', authToken).update(signed).digest('base64');
  expect(isSigned(signature, form)).toBe(true);
});

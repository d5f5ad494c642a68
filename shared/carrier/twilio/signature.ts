/**
 * Checks `X-Twilio-Signature` ("Validating requests are coming from Twilio"): an HMAC of the address and the form's fields,
 * sorted; or of an address whose `bodySHA256` is the hash of another body.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { CallbackRequest } from '../carrier-module.ts';

export function isSignedBy(authToken: string, request: CallbackRequest): boolean {
  const given = request.headers['x-twilio-signature'];
  if (given === undefined) return false;
  const { bodySHA256 } = request.query;
  if (bodySHA256 !== undefined && createHash('sha256').update(request.body).digest('hex') !== bodySHA256)
    return false;
  const fields = bodySHA256 === undefined ? fieldsText(request.body.toString('utf8')) : '';
  return addressesOf(request.url).some((url) => isEqual(given, signatureOf(authToken, url + fields)));
}

function signatureOf(authToken: string, text: string): string {
  return createHmac('sha1', authToken).update(text, 'utf8').digest('base64');
}

/** Each field's name and value, sorted by name; a name that is given several times has each of its values once, sorted. */
function fieldsText(body: string): string {
  // A stranger may send very many fields, so that each is looked at once.
  const values = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(body)) {
    const known = values.get(name);
    if (known === undefined) values.set(name, new Set([value]));
    else known.add(value);
  }
  return [...values]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, given]) => [...given].sort().map((value) => name + value))
    .join('');
}

/** Twilio may sign the address with its port or without it. */
function addressesOf(url: string): string[] {
  const [, scheme = '', host = '', rest = ''] = /^(https?):\/\/([^/?#]+)(.*)$/s.exec(url) ?? [];
  const [name = '', port] = host.split(':');
  const usualPort = scheme === 'https' ? '443' : '80';
  return [url, `${scheme}://${name}${port === undefined ? `:${usualPort}` : ''}${rest}`];
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

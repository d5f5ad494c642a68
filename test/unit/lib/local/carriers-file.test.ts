/** A fault in the file of `--carriers` is named, and no error shows a value of the file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readCarriersFile } from '../../../../lib/local/carriers-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'carriers-file-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secret = 'zQ7-very-secret';
const twilio = { account_sid: 'AC1', auth_token: secret, from: '+15005550006' };

function failureOf(content: string): string {
  const file = join(folder, 'carriers.json');
  writeFileSync(file, content);
  try {
    readCarriersFile(file);
  } catch (error) {
    return error instanceof Error ? error.message.replace(file, 'FILE') : '';
  }
  return '';
}

describe('the carriers file', () => {
  it('is taken with one credential or two', () => {
    const file = join(folder, 'good.json');
    for (const given of [twilio, [{ ...twilio, base_url: 'http://127.0.0.1:9001' }, twilio]]) {
      writeFileSync(file, JSON.stringify({ sms: ['twilio', 'simulator'], twilio: given }));
      const { settings, secrets } = readCarriersFile(file);
      expect(settings).toEqual({ smsCarrier: 'twilio,simulator' });
      expect(JSON.parse(secrets.twilio ?? '')).toEqual(given);
    }
  });

  it.each([
    ['unknown carrier', { sms: [secret] }, 'sms.0: a carrier of sms is one of infobip'],
    ['carrier of another channel', { sms: ['meta'] }, 'sms.0: a carrier of sms is one of'],
    ['carrier twice', { sms: ['twilio', 'twilio'], twilio }, 'sms.1: this carrier is named twice'],
    ['carrier of no channel', { sms: ['simulator'], twilio }, 'twilio: no channel names this carrier'],
    ['list that is none', { sms: secret }, 'sms: '],
    [
      'number for a token',
      { sms: ['twilio'], twilio: { ...twilio, auth_token: 77_123 } },
      'twilio.auth_token: ',
    ],
    [
      'field of the second',
      { sms: ['twilio'], twilio: [twilio, { ...twilio, from: '' }] },
      'twilio.1.from: ',
    ],
    [
      'address by ftp',
      { sms: ['twilio'], twilio: { ...twilio, base_url: `ftp://${secret}` } },
      'twilio.base_url: ',
    ],
    [
      'address that is none',
      { sms: ['twilio'], twilio: { ...twilio, base_url: secret } },
      'twilio.base_url: ',
    ],
  ])('with a fault names it without its value: %s', (_fault, content, expected) => {
    const failure = failureOf(JSON.stringify(content));
    expect(failure).toContain(`The carriers file FILE does not have the form of docs/local.md: ${expected}`);
    for (const value of [secret, '77123', 'AC1', '+1500']) expect(failure).not.toContain(value);
  });

  it.each([`{\n  "twilio": ${secret}\n}`, `{"a": "${secret}`, ''])(
    'that is not JSON is refused without a value of it',
    (content) => {
      expect(failureOf(content)).toBe('The carriers file FILE is not JSON.');
    },
  );
});

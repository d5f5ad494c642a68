import { describe, expect, it } from '@jest/globals';
import { customerSentence } from '../../../bin/admin/customer-sentence.ts';
import { textFields, textTable } from '../../../bin/admin/print.ts';
import { runCommand } from '../../../bin/admin/program.ts';
import { statuses } from '../../../shared/message/message.ts';
import { printable } from '../../../shared/platform/visible-text.ts';

/** Clears the screen, sets the title, the one-character form of ESC [, and reverses the direction of what follows. */
const hostile = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202egnp.exe\u200b\ufeff';
const actedOn = /[^\P{Cc}\n\t\r]|[\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u;

describe('the output of npm run admin', () => {
  it('shows control characters in a text of a client instead of sending them to the terminal', () => {
    expect(hostile).toMatch(actedOn);
    const columns = [['text', (row: string) => row]] as const;
    for (const shown of [
      printable(hostile),
      textTable([hostile], columns, ''),
      textFields({ text: hostile, texts: [hostile], nested: { text: hostile } }),
    ]) {
      expect(printable(shown)).not.toMatch(actedOn);
      expect(shown).toContain(String.raw`\u001b[2J`);
    }
  });

  it('shows a text of several lines in one, so that it cannot look like other rows or fields', () => {
    const text = 'Hello\r\nstatus  delivered\tX';
    const table = textTable([text], [['body', (row) => row]], '');
    expect(table.split('\n')).toEqual(['BODY', String.raw`Hello\u000d\u000astatus  delivered\u0009X`]);
    expect(textFields({ body: text })).toBe(String.raw`body  Hello\u000d\u000astatus  delivered\u0009X`);
  });

  it('fits the width of the terminal, and keeps whole words, so that ids can be copied', () => {
    const id = 'client_0a1b2c3d4e5f6g7h';
    const rows = [
      {
        id,
        text: 'The hourly limit is reached after 100 s at full rate, which is the limit of every client.',
      },
      { id, text: '-' },
    ];
    const columns = [['client id', 'id'], 'text'] as const;
    const words = (text: string) => text.split(/\s+/);
    const whole = textTable(rows, columns, '', Number.POSITIVE_INFINITY);
    expect(whole.split('\n')).toHaveLength(3);
    const wrapped = textTable(rows, columns, '', 60).split('\n');
    expect(wrapped.length).toBeGreaterThan(3);
    expect(Math.max(...wrapped.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(words(wrapped.join(' '))).toEqual(words(whole));
    // Too narrow for two columns: a block for each row.
    const blocks = textTable(rows, columns, '', 40).split('\n\n');
    expect(blocks.map((block) => block.split('\n')[0])).toEqual([`CLIENT ID  ${id}`, `CLIENT ID  ${id}`]);
    expect(
      Math.max(
        ...blocks
          .join('\n')
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(40);
  });

  it('shows objects in words instead of JSON, one in each line', () => {
    const secrets = [
      { created_at: '2026-11-20', expires_at: null },
      { created_at: '2026-11-21', expires_at: '2026-11-22' },
    ];
    expect(textFields({ name: 'Shop', secrets }).split('\n')).toEqual([
      'name     Shop',
      'secrets  created at 2026-11-20, expires at -',
      '         created at 2026-11-21, expires at 2026-11-22',
    ]);
  });

  it('leaves every other text as it is, and a JSON document with the same meaning', () => {
    const text = 'Größe\tπ 👩‍👩‍👧 مرحبا\r\n"quoted"\\u0041';
    expect(printable(text)).toBe(text);
    expect(JSON.parse(printable(JSON.stringify({ [hostile]: hostile })))).toEqual({ [hostile]: hostile });
  });

  it('holds for everything that a command writes, its refusals too', async () => {
    const written: string[] = [];
    const output = { out: (text: string) => written.push(text), err: (text: string) => written.push(text) };
    expect(await runCommand([hostile], output)).toBe(2);
    expect(await runCommand(['--gateway', `/nowhere/${hostile}`, 'find', hostile], output)).toBe(1);
    expect(await runCommand(['call', hostile], output)).toBe(2);
    expect(written.join('')).toContain(String.raw`\u001b[2J`);
    expect(written.join('')).not.toMatch(actedOn);
  });
});

describe('the sentence that support can send to a customer', () => {
  const message = {
    channel: 'sms' as const,
    recipient: '+447700900123',
    from: null,
    error: null,
    created_at: '2026-11-20T10:00:05.000Z',
    scheduled_at: null,
    sent_at: '2026-11-20T10:01:00.000Z',
    delivered_at: '2026-11-20T10:02:00.000Z',
    read_at: null,
  };
  const sentenceOf = (change: object): string => customerSentence({ ...message, ...change } as never);
  const invalid = { code: 'invalid_recipient', message: null };
  const unknown = { code: 'of_a_later_release', message: null };
  const unconfirmed = 'which has not confirmed its delivery yet';

  it.each([
    [{ status: 'delivered' }, 'was delivered at 2026-11-20 10:02 UTC.'],
    [{ status: 'sent' }, `was handed to the mobile network at 2026-11-20 10:01 UTC, ${unconfirmed}.`],
    [
      { status: 'failed', error: invalid },
      'was not delivered: the recipient is not a number that messages can be sent to.',
    ],
    [{ status: 'failed', error: unknown }, 'was not delivered.'],
    [
      { status: 'scheduled', scheduled_at: '2026-11-21T08:00:00.000Z' },
      'will be sent at 2026-11-21 08:00 UTC.',
    ],
  ] as const)('says what became of a message: %j', (change, end) => {
    expect(sentenceOf(change)).toBe(`The SMS to +447700900123, accepted at 2026-11-20 10:00 UTC, ${end}`);
  });

  it('says when an inbound message arrived', () => {
    const inbound = { status: 'received', direction: 'inbound', from: '+447700900123' } as const;
    expect(sentenceOf(inbound)).toBe('The SMS from +447700900123 arrived at 2026-11-20 10:00 UTC.');
  });

  it.each(statuses)('has words for %s', (status) => {
    expect(sentenceOf({ status })).toMatch(/^The SMS to \+447700900123, .+\.$/);
  });
});

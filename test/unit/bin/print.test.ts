import { describe, expect, it } from '@jest/globals';
import { textTable } from '../../../bin/admin/print.ts';
import { runCommand } from '../../../bin/admin/program.ts';
import { printable } from '../../../shared/platform/visible-text.ts';

/** Clears the screen, sets the title, the one-character form of ESC [, and reverses the direction of what follows. */
const hostile = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202egnp.exe\u200b\ufeff';
const actedOn = /[^\P{Cc}\n\t\r]|[\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u;

describe('the output of npm run admin', () => {
  it('shows control characters in a text of a client instead of sending them to the terminal', () => {
    expect(hostile).toMatch(actedOn);
    const columns = [['text', (row: string) => row]] as const;
    for (const shown of [printable(hostile), textTable([hostile], columns, '')]) {
      expect(printable(shown)).not.toMatch(actedOn);
      expect(shown).toContain(String.raw`\u001b[2J`);
    }
  });

  it('shows a text of several lines in one, so that it cannot look like other rows', () => {
    const text = 'Hello\r\nstatus  delivered\tX';
    const table = textTable([text], [['body', (row) => row]], '');
    expect(table.split('\n')).toEqual(['BODY', String.raw`Hello\u000d\u000astatus  delivered\u0009X`]);
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

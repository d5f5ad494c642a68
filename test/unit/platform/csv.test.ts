import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvTable } from '../../../shared/platform/csv.ts';

/** A reader after RFC 4180: fields in quotes may have commas, line ends, and quotes twice. */
function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  let [line, field, quoted] = [[] as string[], '', false];
  for (let i = 0; i < text.length; i += 1) {
    const [one, next] = [text[i] ?? '', text[i + 1]];
    if (quoted && one === '"' && next === '"') {
      field += '"';
      i += 1;
    } else if (one === '"') quoted = !quoted;
    else if (!quoted && one === ',') {
      line.push(field);
      field = '';
    } else if (!quoted && one === '\r' && next === '\n') {
      lines.push([...line, field]);
      [line, field] = [[], ''];
      i += 1;
    } else field += one;
  }
  return lines;
}

it('every text can be read back, and none begins like a formula', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '=1+1',
      '@SUM(A1)',
      '-2',
      '+3',
      '+447700900123',
      '＝1+1',
      '＠SUM(A1)',
      '－2',
      '＋3',
      'a,b',
      'a"b',
      '\r\n',
      '\t',
      'x;=1+1',
      'x;"=1',
      ' =1',
      'a\n-2',
      'b\t＝3',
      'c|@d',
    ),
  );
  /** A text that has the apostrophe itself is not told from one that got it. */
  const unguarded = (cell: string) =>
    cell.replaceAll(/(^|[;\t|\r\n])(["\s]*)'(?=[=+\-@＝＋－＠])|^'(?=[\t\r\n])/g, '$1$2');
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { minLength: 1 }), (rows) => {
      const printed = `${csvTable(['one', 'two'], rows)}\n`;
      const [, ...read] = readCsv(printed);
      expect(read.map((cells) => cells.map(unguarded))).toEqual(rows.map((cells) => cells.map(unguarded)));
      const isNumber = (cell: string): boolean => /^\+[1-9]\d{6,14}$/.test(cell);
      // As a spreadsheet reads it whose separator is no comma: whatever the quotes, each of these begins a cell.
      for (const cell of read
        .flat()
        .filter((text) => !isNumber(text))
        .flatMap((text) => text.split(/[;\t|\r\n]/)))
        expect(cell).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/);
      for (const cell of read.flat().filter((text) => !isNumber(text)))
        expect(cell).not.toMatch(/^[=+\-@＝＋－＠\t\r\n]/);
    }),
  );
});

it('a phone number is written as it is; what only begins like one is not', () => {
  const cells = [
    '+447700900123',
    '+1',
    '+44770090012345678',
    '+447700900123;=1',
    '+447700900123-1',
    '-447700900123',
  ];
  const [, ...written] = csvTable(
    ['to'],
    cells.map((cell) => [cell]),
  )
    .replaceAll('\r', '')
    .split('\n');
  expect(written).toEqual([
    '+447700900123',
    "'+1",
    "'+44770090012345678",
    "'+447700900123;'=1",
    "'+447700900123-1",
    "'-447700900123",
  ]);
});

it('numbers, truth values and missing ones are written as they are', () => {
  expect(csvTable(['a', 'b', 'c', 'd'], [[-1.5, true, null, undefined]])).toBe('a,b,c,d\r\n-1.5,true,,\r');
});

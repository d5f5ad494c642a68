/** Finds the final status line in the first bytes of an answer, so that a receiver's time ends there and not later. */

/** Interim answers (1xx), each with its head, then the status line that counts (RFC 9112, section 4). */
const statusLine = /^(?:HTTP\/1\.[01] 1\d\d(?:(?!\r\n\r\n)[\s\S])*\r\n\r\n)*HTTP\/1\.[01] ([2-9]\d\d)[ \r]/;

/** Fed with chunks; the status once it stands there, `unreadable` once it cannot come any more. */
export function statusLineReader(maxBytes: number): (chunk: Buffer) => number | 'unreadable' | undefined {
  let text = '';
  return (chunk) => {
    text += chunk.toString('latin1', 0, maxBytes);
    const found = statusLine.exec(text)?.[1];
    if (found !== undefined) return Number(found);
    const start = 'HTTP/1.';
    if (text.length > maxBytes || !start.startsWith(text.slice(0, start.length))) return 'unreadable';
    return undefined;
  };
}

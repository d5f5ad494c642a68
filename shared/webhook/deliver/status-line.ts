/** Finds the final status line in the first bytes of a response: the endpoint's time limit ends there, not at its headers. */

/** `HTTP/1.1 200`, then a space or the end of the line (RFC 9112, section 4). */
const shape = [...'HTTP/1.'].map((char) => new RegExp(`^${char === '.' ? '\\.' : char}$`));
const statusLine = [...shape, /^[01]$/, /^ $/, /^[1-9]$/, /^\d$/, /^\d$/, /^[ \r]$/] as const;
const statusFrom = 9;
const headEnd = [13, 10, 13, 10] as const;

/**
 * Called with each chunk; returns the status once it is complete, and `unreadable` if the response is not HTTP. Interim
 * responses (1xx) are skipped with their headers. Each byte is read once and only one status line is kept, so an
 * endpoint that sends single bytes costs no extra time.
 */
export function statusLineReader(
  maxBytes: number,
): (chunk: Iterable<number>) => number | 'unreadable' | undefined {
  let readBytes = 0;
  let line = '';
  /** How many bytes of `headEnd` have been read inside an interim response; undefined outside of one. */
  let headEndSeen: number | undefined;
  let result: number | 'unreadable' | undefined;

  function take(byte: number): number | 'unreadable' | undefined {
    if (headEndSeen !== undefined) {
      if (byte === headEnd[headEndSeen]) headEndSeen += 1;
      else headEndSeen = byte === headEnd[0] ? 1 : 0;
      if (headEndSeen === headEnd.length) headEndSeen = undefined;
      return undefined;
    }
    const char = String.fromCharCode(byte);
    if (!statusLine[line.length]?.test(char)) return 'unreadable';
    line += char;
    if (line.length < statusLine.length) return undefined;
    const status = Number(line.slice(statusFrom, -1));
    if (status >= 200) return status;
    headEndSeen = char === '\r' ? 1 : 0;
    line = '';
    return undefined;
  }

  return (chunk) => {
    if (result !== undefined) return result;
    for (const byte of chunk) {
      readBytes += 1;
      result = readBytes > maxBytes ? 'unreadable' : take(byte);
      if (result !== undefined) return result;
    }
    return undefined;
  };
}

/** Makes the search index of the pages from their HTML: each heading, and each row that has an id, with the text below it. */
import type { Entry } from './browser/find.ts';
import { textOf } from './html.ts';
import type { Page } from './page.ts';
import { type PageName, pageNames, sitePages } from './site.ts';

const marked = /<(h[123]|th)(?: scope="row")?(?: id="([^"]*)")?(?: data-keywords="([^"]*)")?>(.*?)<\/\1>/gs;

/**
 * Code is left out, because it is most of the bytes, and so are the errors of each operation, which would make every
 * operation a result of "429". No heading and no row with an id is within them.
 */
const notSearched =
  /<pre\b.*?<\/pre>|<summary>.*?<\/summary>|<details class="errors">.*?<\/details>|<form\b.*?<\/form>|<thead>.*?<\/thead>/gs;

/** Only the headings of these pages are found: old changes would hide what holds now, and make the index twice as large. */
const withoutText: ReadonlySet<PageName> = new Set(['changelog']);

/** Words that readers search for and that the pages do not use, by the address of what they want. */
export const readersWords: Readonly<Record<string, string>> = {
  '/docs#settings': 'environment variables configuration ngrok tunnel localhost',
  '/docs#token': 'login OAuth bearer JWT credentials',
  '/docs#client': 'SDK library npm pip package',
  '/docs/reference': 'OpenAPI Postman specification',
  '/docs/reference#format': 'JSON UTF-8 timezone dates null',
  '/docs/reference#authentication': 'API key bearer token',
  '/docs/reference#suppressions-operations': 'opt-out opt out unsubscribe STOP blocklist',
  '/docs/reference#idempotency': 'idempotency key idempotent duplicate sends retry safely',
  '/docs/reference#phone-numbers': 'E.164 format country code',
  '/docs/reference#senders': 'sender id from number alphanumeric',
  '/docs/reference#states': 'status delivery report receipt DLR',
  '/docs/reference#getMessageStatus.response.carrier': 'carrier id',
  '/docs/reference#sendOtp': 'OTP 2FA',
  '/docs/reference#sendOtp.ttl': 'OTP expiry validity',
  '/docs/reference#listMessages.cursor': 'pagination paging next page',
  '/docs/reference#sendSms.dry_run': 'validate',
  '/docs/reference#sendSms.scheduled_at': 'schedule a message later',
  '/docs/reference#sendSms.response.segments': 'unicode length characters',
  '/docs/webhooks#verify': 'webhook signature HMAC signing replay attack',
  '/docs/webhooks#acknowledge': 'timeout',
  '/docs/webhooks#retries': 'retry backoff',
  '/docs/webhooks#events': 'event types',
  '/docs/webhooks': 'callback',
  '/docs/limits#rate-limits': '429 throttling quota too many requests',
  '/docs/limits#caps': 'budget spending limit',
  '/docs/limits#usage': 'billing price of a message cost invoice',
  '/docs/testing#simulator': 'sandbox test mode staging',
  '/docs/testing#test-keys': 'sandbox test mode without cost free',
  '/docs/testing#inbound': 'STOP reply two-way incoming',
};

/** Tags within a line do not separate words. */
const separating = /<\/?(?!(?:a|b|code|i|span|var|wbr)\b)[a-z][^>]*>/g;

interface Found {
  readonly title: string;
  readonly address: string;
  readonly place: string;
  readonly keywords: string;
  readonly texts: string[];
}

export function searchIndex(pages: Readonly<Partial<Record<PageName, Page>>>): Entry[] {
  return pageNames.flatMap((name) =>
    foundOn(name, pages[name]?.main.html ?? '').map(
      ({ title, address, place, keywords, texts }): Entry => [
        title,
        address,
        place,
        [keywords, readersWords[address]].filter(Boolean).join(' '),
        withoutText.has(name) ? '' : texts.filter(Boolean).join(' '),
      ],
    ),
  );
}

function foundOn(name: PageName, page: string): Found[] {
  const { path, title: pageTitle } = sitePages[name];
  const source = page.replaceAll(notSearched, '');
  const found: Found[] = [];
  let heading: Found | undefined;
  const marks = Array.from(source.matchAll(marked));
  for (const [at, { 0: mark, 1: tag, 2: id, 3: words = '', 4: content = '', index }] of marks.entries()) {
    const title = plainText(content.replace(/<span class="mark">.*?<\/span>/, ''));
    // What follows a table belongs to the heading again.
    const [text = '', ...rest] = source.slice(index + mark.length, marks[at + 1]?.index).split('</table>');
    const keywords = textOf({ html: words });
    if (tag === 'h1') heading = { title: pageTitle, address: path, place: '', keywords, texts: [] };
    else if (tag !== 'th')
      heading = { title, address: `${path}#${id}`, place: pageTitle, keywords, texts: [] };
    if (tag !== 'th' && heading !== undefined) found.push(heading);
    if (tag === 'th' && id !== undefined) {
      const place =
        heading === undefined || heading.title === pageTitle ? pageTitle : `${pageTitle}: ${heading.title}`;
      found.push({ title, address: `${path}#${id}`, place, keywords, texts: [plainText(text)] });
    } else heading?.texts.push(...(tag === 'th' ? [title] : []), plainText(text));
    heading?.texts.push(...rest.map(plainText));
  }
  return found;
}

function plainText(source: string): string {
  return textOf({ html: source.replaceAll(separating, ' ') })
    .replaceAll(/\s+/g, ' ')
    .trim();
}

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { type Entry, excerpt, find } from '../../../lib/build/docs/browser/find.ts';
import { published } from '../../../lib/build/docs/published.ts';
import { readersWords } from '../../../lib/build/docs/search-index.ts';
import { sitePages } from '../../../lib/build/docs/site.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { errorStatus } from '../../../shared/contract/errors.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';

const document = openApiDocument();
const responses = published();
const served = String(responses['/docs/search-index']?.body);
const index = JSON.parse(served) as Entry[];
const first = (words: string): string | undefined => find(index, words)[0]?.[1];

describe('the search of the documentation', () => {
  it('finds every operation by its title, its path and its id', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId, summary }] of Object.entries(methods)) {
        const address = `/docs/reference#${operationId}`;
        expect([summary, first(summary)]).toEqual([summary, address]);
        expect(find(index, `${method} ${path}`).map(([, found]) => found)).toContain(address);
        expect(first(operationId)).toBe(address);
      }
    }
  });

  it('finds every error code', () => {
    for (const code of Object.keys(errorStatus))
      expect([code, find(index, code).map(([, address]) => address)]).toEqual([
        code,
        expect.arrayContaining([`/docs/errors#${code}`]),
      ]);
    for (const code of Object.keys(messageErrorCodes))
      expect(find(index, code).map(([, address]) => address)).toContain(`/docs/errors#message.${code}`);
  });

  it('leads only to places that exist, each once', () => {
    const addresses = index.map(([, address]) => address);
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const [path = '', id] of addresses.map((address) => address.split('#'))) {
      const html = String(responses[path]?.body);
      expect([path, id, id === undefined || html.split(`id="${id}"`).length]).toEqual([
        path,
        id,
        id === undefined || 2,
      ]);
    }
  });

  it.each([
    ['429', '/docs/errors#rate_limit_exceeded'],
    ['STOP', '/docs/reference#suppressions-operations'],
    ['sandbox', '/docs/testing#simulator'],
    ['SDK', '/docs#client'],
    ['webhook signature', '/docs/webhooks#verify'],
    ['idempotency', '/docs/reference#idempotency'],
    ['rate limit', '/docs/limits#rate-limits'],
    ['test keys', '/docs/testing#test-keys'],
    ['otp expiry', '/docs/reference#sendOtp.ttl'],
    ['carrier id', '/docs/reference#getMessageStatus.response.carrier'],
    ['api key', '/docs/reference#authentication'],
    ['sender id', '/docs/reference#senders'],
    ['opt out', '/docs/reference#suppressions-operations'],
    ['request id', '/docs/errors#error.request_id'],
    ['pagination', '/docs/reference#listMessages.cursor'],
    ['ngrok', '/docs#settings'],
    ['webhook retries', '/docs/webhooks#retries'],
    ['dry run', '/docs/reference#sendSms.dry_run'],
  ])('has what a reader of "%s" wants at first or second', (words, wanted) => {
    expect(
      find(index, words)
        .slice(0, 2)
        .map(([, address]) => address),
    ).toContain(wanted);
  });

  it.each([
    ['429', ['/docs/errors#rate_limit_exceeded', '/docs/limits#rate-limits']],
    ['STOP', ['/docs/testing#inbound', '/docs/reference#suppressions-operations']],
    ['timeout', ['/docs/webhooks#acknowledge']],
    ['delivery receipt', ['/docs/reference#states']],
    ['cloudflared', ['/docs#settings']],
    ['redirects', ['/docs/webhooks#acknowledge']],
    ['international format', ['/docs/reference#format']],
    ['handset', ['/docs/reference#states']],
    ['satellite', ['/docs/reference#senders']],
  ])('finds what a reader of "%s" wants among the first six', (words, wanted) => {
    const found = find(index, words).slice(0, 6);
    expect(found.map(([, address]) => address)).toEqual(expect.arrayContaining(wanted));
  });

  it.each([
    ['What do I do on 429?', '/docs/errors#rate_limit_exceeded'],
    ['How does STOP work?', '/docs/reference#suppressions-operations'],
    ['Is there a sandbox?', '/docs/testing#test-keys'],
    ["How do I verify a webhook's signature?", '/docs/webhooks#verify'],
    ['How do I verify a webhook’s signature', '/docs/webhooks#verify'],
    ['How long is a one-time password valid?', '/docs/reference#sendOtp.ttl'],
    ['How do I schedule a message?', '/docs/reference#sendSms.scheduled_at'],
    ['How do I get the price of a message?', '/docs/limits#usage'],
    ['How do I rotate my webhook secret?', '/docs/reference#rotateWebhookSecret'],
    ['test without cost', '/docs/testing#test-keys'],
    ['schedule message', '/docs/reference#sendSms.scheduled_at'],
    ['sandbox', '/docs/testing#test-keys'],
    ['idempotency key', '/docs/reference#sendSms.Idempotency-Key'],
  ])('answers the question "%s" among the first three', (question, wanted) => {
    const found = find(index, question).slice(0, 3);
    expect(found.map(([, address]) => address)).toContain(wanted);
  });

  it('knows readers’ words for places that exist', () => {
    const addresses = new Set(index.map(([, address]) => address));
    expect(Object.keys(readersWords).filter((address) => !addresses.has(address))).toEqual([]);
  });

  it('has the text of every page but the changelog, and no code', () => {
    for (const { path } of Object.values(sitePages)) {
      const texts = index.filter(([, address]) => address.split('#')[0] === path).map((entry) => entry[4]);
      expect([path, texts.some((text) => text !== '')]).toEqual([path, path !== sitePages.changelog.path]);
      expect(texts.filter((text) => /<\/|&#|curl -sS/.test(text))).toEqual([]);
    }
  });

  it('is fetched with at most 40 KB', () => {
    expect(gzipSync(served).length).toBeLessThan(40_000);
  });

  it('has the nearest title first, then the entries with the most words', () => {
    const entries: Entry[] = [
      ['to', '/a#1', 'Page', '', ''],
      ['token', '/a#2', 'Page', '', ''],
      ['Get a token', '/a#3', 'Page', 'POST /auth', ''],
    ];
    expect(find(entries, 'TO').map(([title]) => title)).toEqual(['to', 'token', 'Get a token']);
    const row: Entry = ['to', '/a#4', 'Page: Section', '', ''];
    expect(find([row, ...entries], 'to').map(([, address]) => address)[0]).toBe('/a#1');
    const parts: Entry[] = [
      ['token_id', '/a#5', 'Page: Section', '', ''],
      ['Sign in', '/a#6', 'Page', 'token', ''],
    ];
    expect(find(parts, 'token').map(([title]) => title)).toEqual(['Sign in', 'token_id']);
    expect(find(parts, 'token id').map(([title]) => title)).toEqual(['token_id']);
    expect(find(entries, 'auth token').map(([title]) => title)).toEqual(['Get a token']);
    expect(find(entries, 'post auth').map(([title]) => title)).toEqual(['Get a token']);
    expect(find(entries, '  ')).toEqual([]);
    expect(find(entries, 'token nothing').map(([title]) => title)).toEqual(['token', 'Get a token']);
    expect(find(entries, 'post token nothing').map(([title]) => title)).toEqual(['Get a token', 'token']);
    expect(find(entries, 'nothing at all')).toEqual([]);
  });

  it('has titles before texts, whole words before parts of them, and fields of one text once', () => {
    const entries: Entry[] = [
      ['One', '/a#1', 'Page', '', 'It is nonstop.'],
      ['Two', '/a#2', 'Page', '', 'It is stopped.'],
      ['Three', '/a#3', 'Page', '', 'It says STOP.'],
      ['field', '/a#4', 'Page: One', '', 'Whether to stop.'],
      ['field', '/a#5', 'Page: Two', '', 'Whether to stop.'],
      ['Stop it', '/a#6', 'Page', '', ''],
    ];
    expect(find(entries, 'stop').map(([, address]) => address)).toEqual(['/a#6', '/a#3', '/a#4', '/a#2']);
  });

  it('shows the words in their text', () => {
    const long = `${'before '.repeat(30)}the word STOP is here${' after'.repeat(30)}`;
    expect(excerpt(long, 'stop')).toMatch(/^… before .* word STOP is here after .* …$/);
    expect(excerpt(long, 'stop').length).toBeLessThan(130);
    expect([excerpt('STOP it', 'stop'), excerpt('nonstop', 'stop'), excerpt('', 'x')]).toEqual([
      'STOP it',
      '',
      '',
    ]);
  });
});

/** The form of requests and answers: paths, methods, media types, faulty bodies, rate-limit headers, documentation. */
import assert from 'node:assert/strict';
import { anyRecipient, assertRefused, type Check } from './check.ts';

const sendPath = '/api/v1/sms/send';

export const formChecks: readonly Check[] = [
  {
    name: 'unknown paths are 404 in the form of every error, with rate-limit headers',
    async run(api) {
      for (const path of ['/nowhere', '/api/v1/nowhere', '/api/v2/sms/send', '/api/v1/sms/send/more']) {
        assertRefused(await api.call('GET', path, { as: 'nobody' }), 404, 'not_found');
      }
    },
  },
  {
    name: 'every known path refuses another method with 405 and says which it takes',
    async run(api) {
      for (const [template, operations] of Object.entries(api.document.document.paths)) {
        const path = template.replaceAll(/\{\w+\}/g, 'msg_00000000000000000000000000');
        const other = ['PUT', 'POST', 'DELETE'].find((method) => !(method.toLowerCase() in operations)) ?? '';
        const response = await api.call(other, path, { as: 'nobody' });
        assertRefused(response, 405, 'method_not_allowed');
        const allowed = response.headers.get('allow')?.split(', ').toSorted();
        assert.deepEqual(
          allowed,
          Object.keys(operations)
            .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
            .toSorted(),
        );
      }
    },
  },
  {
    name: 'what is no JSON object is 400, another media type 415, more than four mebibytes 413',
    async run(api) {
      for (const body of ['{"to":', '"text"', '[]', 'null']) {
        assertRefused(await api.call('POST', sendPath, { body }), 400, 'invalid_request');
      }
      assertRefused(await api.call('POST', sendPath), 400, 'invalid_request');
      const headers = { 'Content-Type': 'text/plain' };
      assertRefused(await api.call('POST', sendPath, { headers, body: '{}' }), 415, 'unsupported_media_type');
      const body = JSON.stringify({ to: anyRecipient(), message: 'x'.repeat(4 * 1024 * 1024) });
      assertRefused(await api.call('POST', sendPath, { body }), 413, 'payload_too_large');
    },
  },
  {
    name: 'all faulty fields are named at once',
    async run(api) {
      const body = {
        to: '07700900123',
        message: '',
        from: 'far too long a name',
        validity_period: 1,
        type: 'x',
      };
      const response = await api.call('POST', sendPath, { body });
      assertRefused(response, 400, 'invalid_request', ['from', 'message', 'to', 'type', 'validity_period']);
      const soon = { to: anyRecipient(), message: 'Hi', scheduled_at: new Date().toISOString() };
      assertRefused(await api.call('POST', sendPath, { body: soon }), 400, 'invalid_request', [
        'scheduled_at',
      ]);
      const url = { to: anyRecipient(), message: 'Hi', webhook_url: 'ftp://example.com/' };
      assertRefused(await api.call('POST', sendPath, { body: url }), 400, 'invalid_request', ['webhook_url']);
    },
  },
  {
    name: 'each admitted request leaves one less, and the policy is named',
    async run(api) {
      const first = await api.call('GET', '/api/v1/account');
      const second = await api.call('GET', '/api/v1/account');
      assert.match(second.headers.get('x-ratelimit-policy') ?? '', /;comment=account_(minute|hour|day)$/);
      assert.match(second.headers.get('ratelimit-policy') ?? '', /"account_minute";q=\d+;w=60/);
      assert.match(second.headers.get('ratelimit') ?? '', /"account_minute";r=\d+;t=\d+/);
      // Between the two a window may have begun anew, or another request may have come.
      if (first.headers.get('x-ratelimit-reset') !== second.headers.get('x-ratelimit-reset')) return;
      const [before, after] = [first, second].map(({ headers }) =>
        Number(headers.get('x-ratelimit-remaining')),
      );
      assert.ok((after ?? 0) < (before ?? 0), `${before} then ${after}`);
    },
  },
  {
    name: 'the API is described as OpenAPI and as pages that need nothing from elsewhere',
    async run(api) {
      assert.equal((await api.call('GET', '/openapi.json', { as: 'nobody' })).body.openapi, '3.1.1');
      for (const path of ['/docs/quick-start', '/docs/reference']) {
        const page = await api.call('GET', path, { as: 'nobody' });
        const policy = page.headers.get('content-security-policy') ?? '';
        assert.match(policy, /^default-src 'none'/);
        assert.match(policy, /connect-src 'self'/);
        // Scalar sets the styles of elements.
        assert.doesNotMatch(policy.replace("style-src 'unsafe-inline'", ''), /unsafe|https?:/);
        assert.doesNotMatch(page.text, /(src|href)="(https?:)?\/\//);
      }
    },
  },
];

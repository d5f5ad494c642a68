/** Whatever a caller sends, a request is read, or refused as its caller's fault: never a crash, never a hang. */

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requests } from '../../../lib/build/openapi/requests.ts';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { authenticateByCredentials } from '../../../shared/http/authenticate-by-credentials.ts';
import { type BodyFormat, type IncomingRequest, readBody } from '../../../shared/http/read-request.ts';
import { listMessagesQuery } from '../../../shared/message/list-own-messages.ts';
import { checkRows, readRow } from '../../../shared/message/send/bulk-recipients.ts';
import { requestHash } from '../../../shared/message/send/idempotency.ts';
import { newSms } from '../../../shared/message/send/sms-send.ts';
import { parseMessageRow } from '../../../shared/message/store/message-row.ts';
import { parseFields } from '../../../shared/operation/operation.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { runs } from '../../fuzz/runs.ts';
import { testContext } from '../../support/engine/test-context.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const anyText = fc.string({ unit: anyCharacter, maxLength: 100 });
const fields = [
  ...new Set(
    Object.values(requests).flatMap((schema) =>
      'shape' in schema.def ? Object.keys(schema.def.shape as object) : [],
    ),
  ),
  'media',
  'location',
  '__proto__',
  'constructor',
];
const value = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 4 }),
  fc.double(),
  fc.constantFrom(
    '+447700900123',
    '{{code}}',
    'text',
    'template',
    'location',
    '2026-11-21T12:00:00Z',
    'https://a.example/',
  ),
  fc.record({ latitude: fc.double({ noNaN: true }), longitude: fc.double({ noNaN: true }) }),
);
const anyRequest = fc
  .array(fc.tuple(fc.constantFrom(...fields), value), { maxLength: 10 })
  .map((entries) => Object.fromEntries(entries));

const json = { 'content-type': 'application/json' };

function requestWith(rawBody: Buffer, headers: Readonly<Record<string, string>>): IncomingRequest {
  const path = '/api/v1/auth/token';
  return {
    method: 'POST',
    path,
    pathParameters: {},
    query: {},
    headers,
    rawBody,
    sourceIp: '203.0.113.1',
    now,
  };
}

/** The error that tells the caller what is wrong; any other error is a fault of the gateway. */
function refusalOf(work: () => unknown): GatewayError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return error;
  }
}

describe('a body', () => {
  it('of any bytes and media type is read, or refused with the status that says why', () => {
    const contentType = fc.option(
      fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'x/y', ';'),
      {
        nil: undefined,
      },
    );
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 300 }).map(Buffer.from), fc.json().map(Buffer.from));
    const formats = fc.constantFrom<readonly BodyFormat[]>([], ['json'], ['json', 'form']);
    fc.assert(
      fc.property(bytes, contentType, formats, (body, type, taken) => {
        const refusal = refusalOf(() =>
          readBody(requestWith(body, type === undefined ? {} : { 'content-type': type }), taken),
        );
        if (refusal !== undefined) expect([400, 413, 415]).toContain(refusal.status);
      }),
      runs,
    );
  });

  it('that is read is never so deep that walking it could fail', () => {
    const shape = fc.constantFrom(['[', ']'], ['{"a":', '}']);
    fc.assert(
      fc.property(shape, fc.integer({ min: 0, max: 20_000 }), ([open = '', close = ''], depth) => {
        const text = `${open.repeat(depth)}1${close.repeat(depth)}`;
        const request = requestWith(Buffer.from(text), json);
        const refusal = refusalOf(() => requestHash(readBody(request, ['json'])));
        expect(refusal === undefined).toBe(depth <= 64);
      }),
      { numRuns: Math.min(runs.numRuns, 500) },
    );
  });
});

describe('a request', () => {
  it.each(Object.entries(requests))(
    '%s of any fields is taken, or refused with its faulty fields',
    (_, schema) => {
      fc.assert(
        fc.property(fc.oneof(anyRequest, value), (body) => {
          const refusal = refusalOf(() => parseFields(schema, body));
          expect([undefined, 'invalid_request']).toContain(refusal?.code);
        }),
        runs,
      );
    },
  );

  it('for a list of any query is taken, or refused with its faulty fields', () => {
    const query = fc.dictionary(
      fc.constantFrom('reference', 'status', 'channel', 'since', 'until', 'limit', 'cursor'),
      fc.oneof(
        anyText,
        fc.integer().map(String),
        fc.date().map((date) => (Number.isNaN(+date) ? 'x' : date.toISOString())),
      ),
    );
    fc.assert(
      fc.property(query, (given) => {
        const refusal = refusalOf(() => parseFields(listMessagesQuery, given));
        expect(refusal?.details ?? [{}]).not.toHaveLength(0);
      }),
      runs,
    );
  });

  it('for a bulk of any rows has each row reported or sent, and what is sent can be stored', () => {
    const row = fc.oneof(
      value,
      fc.record({
        to: fc.constantFrom('+447700900123', '+33612345678', '+33'),
        message: anyText,
        variables: value,
      }),
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), anyText, (rows, message) => {
        const { good, errors } = checkRows(rows.map(readRow), { message }, {});
        expect(good.length + errors.length).toBe(rows.length);
        for (const { to, text } of good) {
          const sms = { to, message: text, type: 'transactional' as const, validity_period: 60 };
          const id = 'msg_01KAG00000000000000000000A';
          const smart_encoding = text.length % 2 === 0;
          const origin = { messageId: id, clientId: 'client_a', select: () => ({}), smart_encoding };
          const message = newSms(origin, sms, now);
          // A table stores no undefined field.
          expect(() => parseMessageRow(JSON.parse(JSON.stringify(message)))).not.toThrow();
        }
      }),
      runs,
    );
  });

  it('for a token with any credentials, in the header or the body, is identified or refused', async () => {
    const context = testContext();
    const basic = anyText.map((text) => `Basic ${Buffer.from(text).toString('base64')}`);
    const authorization = fc.option(fc.oneof(anyText, basic, fc.constant('Basic %%%')), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(authorization, fc.oneof(fc.json(), anyText), async (header, text) => {
        const headers = { ...json, ...(header === undefined ? {} : { authorization: header }) };
        const identity = await authenticateByCredentials(context, requestWith(Buffer.from(text), headers));
        expect(identity.refusal).toBeInstanceOf(GatewayError);
        expect(identity.subject).toEqual({ kind: 'address', address: '203.0.113.1' });
      }),
      runs,
    );
  });
});

/** What the document shows is what the gateway takes and answers. */
import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { requests } from '../../../lib/build/openapi/requests.ts';
import {
  endpointDisabledExample,
  eventExample,
  inboundExample,
  recipientExample,
} from '../../../lib/build/openapi/webhook-callbacks.ts';
import {
  inboundEventNames,
  messageEventNames,
  recipientEventNames,
} from '../../../shared/contract/webhook-events.ts';
import { eventStatuses } from '../../../shared/message/message.ts';
import { apiDocument } from '../../support/http/api-document.ts';

const document = openApiDocument();
const held = apiDocument(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  it('shows an example of every request and of every response, and the limits that count it', () => {
    const withoutExample: string[] = [];
    for (const { path, method, operation } of operations) {
      const bodies = [
        ...Object.entries(operation.requestBody?.content ?? {}),
        ...Object.values(operation.responses).flatMap(({ content }) => Object.entries(content)),
      ];
      for (const [mediaType, { examples = {} }] of bodies)
        if (Object.keys(examples).length === 0) withoutExample.push(`${method} ${path} ${mediaType}`);
      const { per_minute, per_hour, per_day, counted_on } = operation['x-rate-limits'];
      for (const limit of [per_minute, per_hour, per_day]) expect(Number(limit)).toBeGreaterThan(0);
      expect(counted_on).toMatch(/client|source address/);
    }
    expect(withoutExample).toEqual([]);
  });

  it('has request examples that the operations themselves take', () => {
    for (const { operation } of operations) {
      for (const { schema, examples } of Object.values(operation.requestBody?.content ?? {})) {
        const name = String(schema.$ref).split('/').at(-1) as keyof typeof requests;
        for (const { value } of Object.values(examples)) {
          expect(requests[name].safeParse(value)).toMatchObject({ success: true });
          expect(held.schemaFaults(name, value)).toEqual([]);
        }
      }
    }
  });

  it('has answer examples that are as it says', () => {
    for (const { path, method, operation } of operations) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        for (const { value } of Object.values(content['application/json']?.examples ?? {})) {
          const headers = {
            'content-type': 'application/json',
            'x-request-id': 'r',
            'x-ratelimit-limit': '60',
            'x-ratelimit-remaining': '59',
            'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000)),
            'x-ratelimit-policy': '60;w=60;comment=sms_send_minute',
            'ratelimit-policy': '"sms_send_minute";q=60;w=60',
            ratelimit: '"sms_send_minute";r=59;t=42',
            'www-authenticate': 'Bearer',
            ...(status === '429' ? { 'retry-after': '1' } : {}),
          };
          const text = JSON.stringify(value);
          expect(
            held.faultsOf({ method: method.toUpperCase(), path, status: Number(status), headers, text }),
          ).toEqual([]);
        }
      }
    }
  });

  it('has the events of messages and endpoints, with bodies that are as it says', () => {
    const names = messageEventNames;
    expect(Object.keys(document.webhooks)).toEqual([
      ...names,
      ...inboundEventNames,
      ...recipientEventNames,
      'webhook_endpoint.disabled',
    ]);
    for (const name of inboundEventNames)
      expect(held.schemaFaults('InboundMessageEvent', inboundExample(name))).toEqual([]);
    for (const name of recipientEventNames)
      expect(held.schemaFaults('RecipientEvent', recipientExample(name))).toEqual([]);
    expect(held.schemaFaults('WebhookEndpointDisabledEvent', endpointDisabledExample)).toEqual([]);
    expect(
      names
        .map((name) => name.split('.')[1])
        .every((state) => eventStatuses.some((known) => known === state)),
    ).toBe(true);
    for (const name of names) expect(held.schemaFaults('WebhookEvent', eventExample(name))).toEqual([]);
  });
});

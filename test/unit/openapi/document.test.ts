import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as z from 'zod/mini';
import type { Description } from '../../../lib/build/openapi/description.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import {
  endpointDisabledExample,
  eventExample,
  inboundExample,
  recipientExample,
} from '../../../lib/build/openapi/events.ts';
import { commonNotes, schemaNotes } from '../../../lib/build/openapi/field-notes.ts';
import {
  type OperationName,
  operations as operationDescriptions,
} from '../../../lib/build/openapi/operations.ts';
import { requests } from '../../../lib/build/openapi/requests.ts';
import type { JsonSchema } from '../../../lib/build/openapi/schemas.ts';
import { errorStatus } from '../../../shared/contract/errors.ts';
import { policies, type Route, routes } from '../../../shared/contract/routes.ts';
import {
  inboundEventNames,
  messageEventNames,
  recipientEventNames,
} from '../../../shared/contract/webhook-events.ts';
import { listMessagesQuery } from '../../../shared/message/list/list-messages.ts';
import { eventStatuses } from '../../../shared/message/message.ts';
import { requiredField } from '../../../shared/operation/operation.ts';
import { listDeliveriesQuery } from '../../../shared/webhook/manage/delivery-operations.ts';
import { apiDocument } from '../../support/http/api-document.ts';

const document = openApiDocument();
const held = apiDocument(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  it('has every route, with the scope and the limits that it has', () => {
    expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(
      (Object.keys(operationDescriptions) as OperationName[])
        .map((name) => `${routes[name].method} ${routes[name].path}`)
        .toSorted(),
    );
    for (const { path, method, operation } of operations) {
      const route: Route | undefined = Object.values(routes).find(
        (candidate) => candidate.path === path && candidate.method === method.toUpperCase(),
      );
      expect(operation.security.length > 0).toBe(route?.scope !== null);
      const { endpoint, perMinute } = policies[route?.policy ?? 'unmatched'];
      expect(operation['x-rate-limits']).toMatchObject({ endpoint, per_minute: perMinute });
    }
  });

  it('gives each operation its own id, a summary, a description, and the errors that any can have', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    for (const { operation } of operations) {
      expect(operation.summary).not.toBe('');
      expect(operation.description).not.toBe('');
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['429', '500', '503']));
    }
  });

  it('shows an example of every request and of every answer, and the limits that count it', () => {
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

  it('names the rate-limit headers on every response', () => {
    for (const { operation } of operations) {
      for (const response of Object.values(operation.responses)) {
        expect(Object.keys(response.headers)).toEqual(
          expect.arrayContaining([
            'X-Request-Id',
            'X-RateLimit-Limit',
            'X-RateLimit-Remaining',
            'X-RateLimit-Reset',
            'X-RateLimit-Policy',
          ]),
        );
      }
    }
  });

  it('describes every field of every schema, as lib/build/openapi/field-notes.ts says it', () => {
    const silent: string[] = [];
    const walk = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [keyword, inner] of Object.entries(value)) {
        // Conditions are on fields that are described where they are defined.
        if (['if', 'then', 'else', 'contains', 'dependentSchemas'].includes(keyword)) continue;
        walk(inner, keyword === 'properties' ? place : `${place}.${keyword}`);
        if (keyword !== 'properties') continue;
        for (const [field, property] of Object.entries(inner as Record<string, { description?: string }>)) {
          if (property.description === undefined) silent.push(`${place} ${field}`);
        }
      }
    };
    walk(document.components.schemas, '');
    walk(document.components['x-dry-run'], '');
    expect(silent).toEqual([]);
  });

  it('has no description of a schema or a field that it does not have', () => {
    const { schemas, 'x-dry-run': ofDryRuns } = document.components;
    const described = Object.entries({ ...schemas, ...ofDryRuns });
    expect(described.map(([name]) => name)).toEqual(expect.arrayContaining(Object.keys(schemaNotes)));
    const unused = Object.entries(commonNotes).filter(
      ([field, note]) =>
        !described.some(([, { properties }]) =>
          Object.entries((properties ?? {}) as Record<string, JsonSchema>).some(
            ([name, { description }]) => name === field && description === note,
          ),
        ),
    );
    expect(unused).toEqual([]);
  });

  it('names every part that a generator makes a type of (lib/build/openapi/named-schemas.ts), and has no kinds that they cannot tell apart', () => {
    const found: string[] = [];
    const walk = (schema: unknown, place: string, isNamed: boolean): void => {
      if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
      const { properties, items, additionalProperties, anyOf, oneOf, allOf, type, ...rest } =
        schema as Record<string, unknown>;
      const kinds = [type ?? []].flat().filter((kind) => kind !== 'null');
      if (kinds.length > 1) found.push(`${place} is of several kinds`);
      if (allOf !== undefined) found.push(`${place} is of several parts`);
      if (typeof rest.const === 'boolean') found.push(`${place} is a constant`);
      if (rest.enum !== undefined && (rest.minLength !== undefined || rest.pattern !== undefined))
        found.push(`${place} bounds its values twice`);
      if (rest.format === 'date-time' && rest.pattern !== undefined) found.push(`${place} has a pattern`);
      if (properties !== undefined && !isNamed) found.push(`${place} has fields and no name`);
      for (const [field, property] of Object.entries(properties ?? {}))
        walk(property, `${place}.${field}`, false);
      walk(items, `${place}[]`, false);
      walk(additionalProperties, `${place}{}`, false);
      const alternatives = [anyOf ?? [], oneOf ?? []].flat() as { $ref?: string; type?: string }[];
      const unnamed = alternatives.filter(({ $ref, type: kind }) => $ref === undefined && kind !== 'null');
      if (unnamed.length > 0) found.push(`${place} has an alternative without a name`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name, true);
    for (const { operation } of operations) {
      const contents = [operation.requestBody, ...Object.values(operation.responses)].map(
        (body) => body?.content,
      );
      for (const [mediaType, { schema }] of contents.flatMap((content) => Object.entries(content ?? {})))
        walk(schema, `${operation.operationId} ${mediaType}`, false);
    }
    expect(found).toEqual([]);
  });

  it('has no schema that nothing uses: one of dry runs alone is beside the others', () => {
    const { 'x-dry-run': _, ...components } = document.components;
    const used = JSON.stringify([
      operations.map(({ operation: { 'x-dry-run': __, ...rest } }) => rest),
      document.webhooks,
      components,
    ]);
    const unused = Object.keys(components.schemas).filter((name) => !used.includes(`/schemas/${name}"`));
    expect(unused).toEqual([]);
    expect(Object.keys(document.components['x-dry-run'])).toContain('DryRunLeg');
  });

  it('has no name that a generator makes of an operation', () => {
    const ofGenerators = operations.flatMap(({ operation: { operationId } }) =>
      ['Request', 'Response', 'Params', 'Data', 'Error', 'Errors', 'Responses', 'Body'].map((suffix) =>
        `${operationId}${suffix}`.toLowerCase(),
      ),
    );
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => ofGenerators.includes(name.toLowerCase()))).toEqual([]);
  });

  it('has no two names that are the same in a client in Go: constructors, and constants of lists of values', () => {
    const { schemas } = document.components;
    const names = Object.keys(schemas);
    expect(
      names.filter((name) => names.includes(name.replace(/^New/, '')) && name.startsWith('New')),
    ).toEqual([]);
    const constants = Object.values(schemas).flatMap((schema) =>
      ((schema['x-enum-varnames'] ?? schema.enum ?? []) as string[]).map((value) =>
        value.toUpperCase().replaceAll(/\W/g, '_'),
      ),
    );
    expect(constants.filter((constant, index) => constants.indexOf(constant) !== index)).toEqual([]);
  });

  it('has the body of every webhook in a callback too, for generators that know no webhooks', () => {
    const bodiesIn = (part: unknown): string[] =>
      Array.from(
        JSON.stringify(part).matchAll(/"requestBody":.*?schemas\/(\w+)/g),
        ([, schema = '']) => schema,
      );
    const callbacks = bodiesIn(operations.map(({ operation }) => operation.callbacks ?? {}));
    const posted = new Set(bodiesIn(document.webhooks));
    expect(new Set(callbacks)).toEqual(posted);
    expect(posted.size).toBeGreaterThan(1);
  });

  it('names in its examples of errors only fields that the operation has', () => {
    for (const { operation } of operations) {
      const { $ref } = (operation.requestBody?.content['application/json']?.schema ?? {}) as {
        $ref?: string;
      };
      const schema = document.components.schemas[$ref?.split('/').at(-1) ?? ''];
      const parameters = operation.parameters?.map(({ name }) => String(name)) ?? [];
      const fields = [...Object.keys(schema?.properties ?? {}), ...parameters];
      const examples = Object.values(operation.responses).flatMap(({ content }) =>
        Object.values(content['application/json']?.examples ?? {}),
      );
      const named = examples.flatMap(
        ({ value }) => (value as { details?: { field: string }[] }).details?.map(({ field }) => field) ?? [],
      );
      for (const field of named) expect(fields).toContain(field.split(/[.[]/)[0]);
    }
  });

  it('names in its examples of errors the limit of the operation', () => {
    for (const { operation } of operations) {
      const { value } =
        operation.responses[429]?.content['application/json']?.examples.rate_limit_exceeded ?? {};
      const { message } = value as { message: string };
      expect(message).toContain(`The limit of ${operation['x-rate-limits'].per_minute} requests a minute`);
    }
  });

  it('shows in its examples of errors what the gateway says of a faulty field', () => {
    const takesFields = ({ request, parameters = [] }: Description) =>
      request !== undefined || parameters.some((parameter) => parameter.in === 'query');
    const silent = Object.entries<Description>(operationDescriptions).filter(
      ([, description]) => takesFields(description) && description.fieldError === undefined,
    );
    expect(silent.map(([name]) => name)).toEqual([]);
    const faulty = [
      undefined,
      null,
      '',
      'x',
      '1',
      5,
      [],
      Array.from({ length: 1001 }, () => '+447700900123'),
    ];
    for (const [name, { fieldError, request }] of Object.entries(operationDescriptions)) {
      if (fieldError === undefined || request === undefined) continue;
      const said = faulty.flatMap((value) => {
        const { success, error } = requests[request.schema].safeParse({
          ...(Object.values(request.examples)[0]?.value as object),
          [fieldError.field]: value,
        });
        return success ? [] : error.issues.map(({ message }) => message);
      });
      // The rules for URLs are those of a stage.
      const ofStage = /url$/.test(fieldError.field) ? ['must begin with https://'] : [];
      expect([name, [...said, requiredField, ...ofStage]]).toEqual([
        name,
        expect.arrayContaining([fieldError.message]),
      ]);
    }
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

  it('leads only from fields that an answer has to what the operation there takes', () => {
    const links = operations
      .flatMap(({ operation }) => Object.values(operation.responses))
      .flatMap((answer) => Object.values(answer.links ?? {}).map((link) => ({ answer, link })));
    expect(links.length).toBeGreaterThan(4);
    for (const { answer, link } of links) {
      const target = operations.find(({ operation }) => operation.operationId === link.operationId);
      const taken = target?.operation.parameters?.map(({ name }) => name) ?? [];
      expect(taken).toEqual(expect.arrayContaining(Object.keys(link.parameters ?? {})));
      const { schema } = answer.content['application/json'] ?? {};
      const name = String(schema?.$ref).split('/').at(-1) ?? '';
      const fields = Object.keys(document.components.schemas[name]?.properties ?? {});
      for (const expression of Object.values({ ...link.parameters })) {
        const [, field] = /^\$response\.body#\/(.+)$/.exec(String(expression)) ?? [];
        if (field !== undefined) expect(fields).toContain(field);
      }
    }
  });

  it('has every error code that can be answered, at its one status', () => {
    const documented = new Map<string, string>();
    for (const { operation } of operations) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (status.startsWith('2')) continue;
        for (const code of Object.keys(content['application/json']?.examples ?? {}))
          documented.set(code, status);
      }
    }
    // Of no operation: it is what a path says of methods that it does not take.
    documented.set('method_not_allowed', '405');
    expect(Object.fromEntries(documented)).toEqual(
      Object.fromEntries(Object.entries(errorStatus).map(([code, status]) => [code, String(status)])),
    );
  });

  it('names the query that a list of messages reads, no more and no less', () => {
    const query = document.paths['/api/v1/messages']?.get?.parameters?.map(({ name }) => name);
    expect(query).toEqual(Object.keys(listMessagesQuery.shape));
  });

  it('names the query that the log of webhooks reads, no more and no less', () => {
    const query = document.paths['/api/v1/webhook-deliveries']?.get?.parameters?.map(({ name }) => name);
    expect(query).toEqual(Object.keys(listDeliveriesQuery.shape));
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

  it('weighs on no function: the build makes it for the one that serves it', () => {
    const root = join(import.meta.dirname, '..', '..', '..');
    const importers = ['bin', 'lib', 'functions', 'dashboard', 'shared']
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
          (path) => `${folder}/${path}`,
        ),
      )
      .filter((path) => /\.tsx?$/.test(path) && !/^lib\/build\/(openapi|docs|clients)\//.test(path))
      .filter((path) =>
        /from '[^']*\/(openapi|build\/docs|build\/clients)\//.test(readFileSync(join(root, path), 'utf8')),
      );
    expect(importers).toEqual([]);
  });

  it('says in JSON Schema what the refinements of zod say in code', () => {
    const { SmsMessage } = document.components.schemas;
    const properties = SmsMessage?.properties as Record<string, { pattern: string; maxLength: number }>;
    const samples = [
      '+447700900123',
      '07700900123',
      '+0123',
      '+44 7700',
      'ACME',
      '12345',
      'far too long a name',
    ];
    for (const sample of samples) {
      const accepted = (field: 'to' | 'from') =>
        requests.SmsMessage.safeParse({ to: '+447700900123', message: 'x', [field]: sample }).success;
      expect([sample, new RegExp(properties.to?.pattern ?? '').test(sample)]).toEqual([
        sample,
        accepted('to'),
      ]);
      expect([sample, new RegExp(properties.from?.pattern ?? '').test(sample)]).toEqual([
        sample,
        accepted('from'),
      ]);
    }
    expect(properties.message?.maxLength).toBe(1600);
    expect(z.toJSONSchema(requests.TokenRequest).required).toEqual([
      'client_id',
      'client_secret',
      'grant_type',
    ]);
  });
});

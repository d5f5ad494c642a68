import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as z from 'zod/mini';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { commonNotes, schemaNotes } from '../../../lib/build/openapi/field-notes.ts';
import type { JsonSchema } from '../../../lib/build/openapi/named-schemas.ts';
import {
  type OperationName,
  operations as operationDescriptions,
} from '../../../lib/build/openapi/operations.ts';
import { requests } from '../../../lib/build/openapi/requests.ts';
import { testOutboxQuery } from '../../../shared/carrier/simulator/test-outbox.ts';
import { errorStatus } from '../../../shared/contract/errors.ts';
import { policies } from '../../../shared/contract/rate-limits-and-caps.ts';
import { type Route, routes } from '../../../shared/contract/routes.ts';
import { listMessagesQuery } from '../../../shared/message/list-own-messages.ts';
import { suppressionsQuery } from '../../../shared/message/suppression/manage-suppressions.ts';
import { usageQuery } from '../../../shared/usage/usage-query.ts';
import { listDeliveriesQuery } from '../../../shared/webhook/log/delivery-log.ts';

const document = openApiDocument();
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

  it('has another example of an Idempotency-Key for each send, and requires a body only where one is needed', () => {
    const keys = operations.flatMap(({ operation }) =>
      (operation.parameters ?? [])
        .filter(({ name }) => name === 'Idempotency-Key')
        .map(({ example }) => example),
    );
    expect(keys.length).toBe(4);
    expect(new Set(keys).size).toBe(keys.length);
    const optional = operations.filter(({ operation }) => operation.requestBody?.required === false);
    expect(optional.map(({ operation }) => operation.operationId)).toEqual([
      'rotateWebhookSecret',
      'rotateWebhookEndpointSecret',
      'testWebhookEndpoint',
      'putSuppression',
    ]);
  });

  it('has a name for every object within another, which the clients have a type of', () => {
    const unnamed: string[] = [];
    const walk = (schema: unknown, place: string, isNamed: boolean): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties, items, additionalProperties, anyOf, oneOf } = schema as Record<string, unknown>;
      if (properties !== undefined && !isNamed) unnamed.push(place);
      for (const [field, property] of Object.entries(properties ?? {}))
        walk(property, `${place}.${field}`, false);
      walk(items, `${place}[]`, false);
      walk(additionalProperties, `${place}{}`, false);
      for (const alternative of [anyOf ?? [], oneOf ?? []].flat()) walk(alternative, place, false);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name, true);
    expect(unnamed).toEqual([]);
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
        // The condition is on a field that is described where it is defined.
        if (keyword === 'if') continue;
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

  it('has no unused schema: those of dry runs have a section of their own', () => {
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

  it('has the body of every webhook in a callback too, for generators that leave out what only webhooks use', () => {
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

  it.each([
    ['/api/v1/messages', listMessagesQuery],
    ['/api/v1/test/outbox', testOutboxQuery],
    ['/api/v1/account/usage', usageQuery],
    ['/api/v1/webhook-endpoints', z.object({})],
    ['/api/v1/webhook-deliveries', listDeliveriesQuery],
    ['/api/v1/suppressions', suppressionsQuery],
  ])('names the query that %s reads, no more and no less', (path, schema) => {
    const query = document.paths[path]?.get?.parameters
      ?.filter((one) => one.in === 'query')
      .map(({ name }) => name);
    expect((query ?? []).toSorted()).toEqual(Object.keys(schema.shape).toSorted());
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
      '+44 (0)7700 900123',
      '07700900123',
      'ACME',
      '12345',
      'far too long a name',
    ];
    // The numbering plans, which no pattern can say, refuse further numbers.
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

  it('takes null for every optional field of every request, as its introduction says', () => {
    let fields = 0;
    const refused = Object.entries(requests).flatMap(([name, schema]) => {
      const { properties = {}, required = [] } = z.toJSONSchema(schema, {
        io: 'input',
        unrepresentable: 'any',
      });
      const optional = Object.keys(properties).filter((field) => !required.includes(field));
      fields += optional.length;
      return optional
        .filter((field) =>
          schema
            .safeParse({ [field]: null })
            .error?.issues.some(({ path, code }) => path[0] === field && code === 'invalid_type'),
        )
        .map((field) => `${name} ${field}`);
    });
    expect(refused).toEqual([]);
    expect(fields).toBeGreaterThan(40);
  });
});

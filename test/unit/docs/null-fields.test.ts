/** In every request, null means the same as leaving an optional field out, as the introduction of the API document says. */
import { expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { requests } from '../../../lib/build/openapi/requests.ts';

function optionalFields(schema: z.ZodMiniType): string[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties).filter((name) => !required.includes(name));
}

const fields = Object.entries(requests).flatMap(([name, schema]) =>
  optionalFields(schema).map((field) => ({ name, field, schema: schema as z.ZodMiniType })),
);

it('there are such fields', () => expect(fields.length).toBeGreaterThan(40));

it.each(fields)('$name takes null in $field', ({ schema, field }) => {
  const { error } = schema.safeParse({ [field]: null });
  const ofField =
    error?.issues.filter(({ path, code }) => path[0] === field && code === 'invalid_type') ?? [];
  expect(ofField).toEqual([]);
});

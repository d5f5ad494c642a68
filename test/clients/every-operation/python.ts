/** The calls as the programs in Python read them, with the names that generators make. */
import { type Call, given, pascalCase, snakeCase } from './calls.ts';

export function callsForPython(calls: readonly Call[]): string {
  return JSON.stringify(
    calls.map((call) => ({
      operation_id: call.operationId,
      name: snakeCase(call.operationId),
      tag: snakeCase(call.tag),
      tag_class: pascalCase(call.tag),
      values: [...given(call, 'path'), ...given(call, 'query')].map(({ name, value, schema }) => ({
        name,
        value,
        is_time: schema.format === 'date-time',
        enum: enumOf(call, name, schema),
      })),
      body: call.body === undefined ? null : { ...call.body, name: snakeCase(call.body.schema) },
    })),
  );
}

/** The class of a list of values: its own name, or one after its place. */
function enumOf(
  { operationId }: Call,
  name: string,
  schema: Call['parameters'][number]['schema'],
): string | null {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? null;
  return schema.enum === undefined ? null : `${pascalCase(operationId)}${pascalCase(name)}`;
}

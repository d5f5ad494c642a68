/** Parameters of operations, in the path or in the query. */
import { personKeywords } from '../../../../shared/contract/phone-number.ts';
import { idLengthMax } from '../../../../shared/http/read-request.ts';
import { defaultPageLimit, pageLimitMax } from '../../../../shared/operation/list-query.ts';
import type { Parameter } from '../description.ts';

/** @param example - the value in the operation's samples */
export function inPath(
  name: string,
  description: string,
  example: string,
  schema: Parameter['schema'] = { type: 'string', maxLength: idLengthMax },
): Parameter {
  return { name, in: 'path', required: true, description, schema, example };
}

/** @param example - the parameter's value in the code samples; absent if the samples omit the parameter */
export function inQuery(
  name: string,
  description: string,
  schema: Parameter['schema'],
  example?: unknown,
): Parameter {
  return { name, in: 'query', description, schema, example };
}

/** A phone number in any accepted spelling, or the id of a WhatsApp user. */
export const person = { type: 'string', ...personKeywords } as const;
export const dateTime = { type: 'string', format: 'date-time' } as const;
export const pageLimit = {
  type: 'integer',
  minimum: 1,
  maximum: pageLimitMax,
  default: defaultPageLimit,
} as const;

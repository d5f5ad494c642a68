/** Finds the fields and query parameters that an operation does not know, and the names that were probably meant (contract 1.5). */
import type * as z from 'zod/mini';
import { errorDetailsMax, type FieldError } from '../contract/errors.ts';
import { closestName } from '../platform/closest-name.ts';

type Schema = z.core.$ZodType;
type Path = readonly PropertyKey[];

export interface UnknownField {
  readonly path: Path;
  readonly known: readonly string[];
}

/** Names each unknown field or parameter, with the known name that it most likely means. */
export function describeUnknown(found: readonly UnknownField[], noun: 'field' | 'parameter'): FieldError[] {
  return found.slice(0, errorDetailsMax).map(({ path, known }) => {
    const meant = closestKnown(String(path.at(-1)), known);
    const question = meant === undefined ? '' : ` Did you mean ${fieldName([...path.slice(0, -1), meant])}?`;
    return { field: fieldName(path), message: `There is no such ${noun}.${question}` };
  });
}

/** The names of each field at other gateways, in lower case without punctuation. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  to: ['recipient', 'phone', 'phonenumber', 'number', 'destination', 'msisdn', 'mobile'],
  from: ['sender', 'senderid', 'originator', 'source'],
  message: ['body', 'text', 'content', 'sms'],
  scheduled_at: ['sendat', 'schedule', 'scheduletime', 'deliverat', 'sendtime'],
  webhook_url: ['callback', 'callbackurl', 'statuscallback', 'notifyurl', 'dlrurl'],
  validity_period: ['ttl', 'validity', 'expiresin'],
  reference: ['clientref', 'externalid', 'customid', 'correlationid'],
  recipients: ['messages', 'destinations', 'numbers'],
  variables: ['params', 'parameters', 'placeholders'],
  status: ['state'],
  state: ['status'],
  since: ['from', 'after', 'startdate', 'datesentafter'],
  until: ['to', 'before', 'enddate', 'datesentbefore'],
  limit: ['pagesize', 'perpage', 'count'],
  cursor: ['page', 'pagetoken', 'startingafter', 'offset'],
};

/** No name of ours is nearly as long, and the comparison takes time by the length. */
const comparedCharactersMax = 64;

function closestKnown(name: string, known: readonly string[]): string | undefined {
  if (name.length > comparedCharactersMax) return undefined;
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return known.find((one) => elsewhere[one]?.includes(plain)) ?? closestName(name, known);
}

/** Returns a path as `recipients[2].to`. */
export function fieldName(path: Path): string {
  return path
    .map((key, depth) => (typeof key === 'number' ? `[${key}]` : `${depth === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

/**
 * Returns each field that no object of the schema contains. It does not look into alternatives and maps.
 *
 * @param path - the place of the value in the body
 */
export function unknownIn(schema: Schema, value: unknown, path: Path = []): UnknownField[] {
  const { def } = schema._zod as { readonly def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
      const known = Object.keys(def.shape);
      return Object.entries(value).flatMap(([key, inner]) => {
        const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
        return field === undefined
          ? [{ path: [...path, key], known }]
          : unknownIn(field, inner, [...path, key]);
      });
    }
    case 'array':
      if (!Array.isArray(value)) return [];
      return value.flatMap((item, index) => unknownIn(def.element, item, [...path, index]));
    case 'optional':
    case 'nullable':
      return unknownIn(def.innerType, value, path);
    case 'pipe':
      return unknownIn(def.in, value, path);
    default:
      return [];
  }
}

/**
 * Fields of requests and responses: optional ones, date-times, descriptions. Also their faults: the words for every kind of
 * issue that zod finds, and the names that were probably meant by unknown ones (contract 1.5).
 */
import * as z from 'zod/mini';
import { describe } from 'zod/mini';
import { errorDetailsMax, type FieldError } from '../contract/errors.ts';
import { closestName } from '../platform/closest-name.ts';

/**
 * Makes a field optional. Null means the same as an absent field, because clients that serialize their own types send null.
 */
export function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.optional(
    z.pipe(
      z.nullish(schema),
      z.transform((value) => value ?? undefined),
    ),
  );
}

export function withDefault<Schema extends z.ZodMiniType>(schema: Schema, value: z.output<Schema>) {
  return z.pipe(
    z.nullish(schema),
    z.transform((given) => given ?? value),
  );
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * Returns the options with which `z.refine` reports an error at this field together with the errors of other fields, which
 * may therefore be invalid.
 */
export function faultAt(path: readonly (string | number)[], error: string) {
  const when = ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null;
  return { path: [...path], error, when };
}

const form = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([Zz]|[+-]\d\d:?\d\d)$/;
const strict = z.iso.datetime({ offset: true });

const dateTimeRule = 'must be a date-time such as 2026-11-20T10:00:00Z';

/**
 * A date-time in a request, parsed to a date: RFC 3339, or with an offset without a colon, which some libraries write
 * (`+0000`).
 */
export const dateTime = z.pipe(
  z.string().check(
    z.superRefine<string>((text, context) => {
      if (isDateTime(text)) return;
      // In a query, a plus that is not written as `%2B` arrives as a space.
      const hint = isDateTime(text.replace(' ', '+')) ? '. Write + in a URL as %2B.' : '';
      context.addIssue({ code: 'custom', message: `${dateTimeRule}${hint}` });
    }),
    z.meta({ format: 'date-time' }),
  ),
  z.transform((text) => new Date(normal(text))),
);

function isDateTime(text: string): boolean {
  return strict.safeParse(normal(text)).success;
}

/** Returns the text in the form that `z.iso.datetime` and `Date` accept. Other texts are returned unchanged. */
function normal(text: string): string {
  const [, day, time, zone] = form.exec(text) ?? [];
  if (day === undefined || zone === undefined) return text;
  const offset = zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`;
  return `${day}T${time}${offset}`;
}

/** Describes a field in the API document. Functions do not load response schemas, so descriptions do not slow them. */
export function described<Schema extends z.ZodMiniType>(schema: Schema, text: string): Schema {
  return schema.check(describe(text));
}

export interface UnknownField {
  readonly path: readonly PropertyKey[];
  readonly known: readonly string[];
}

/** Describes each unknown field or parameter, with the known name that was probably meant. */
export function describeUnknown(found: readonly UnknownField[], noun: 'field' | 'parameter'): FieldError[] {
  return found.slice(0, errorDetailsMax).map(({ path, known }) => {
    const meant = closestKnown(String(path.at(-1)), known);
    const question = meant === undefined ? '' : ` Did you mean ${fieldName([...path.slice(0, -1), meant])}?`;
    return { field: fieldName(path), message: `There is no such ${noun}.${question}` };
  });
}

/** For each field, its names at other gateways, in lower case without punctuation. */
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

/** Longer names are not compared: no known name is nearly as long, and the time of a comparison grows with the length. */
const comparedCharactersMax = 64;

function closestKnown(name: string, known: readonly string[]): string | undefined {
  if (name.length > comparedCharactersMax) return undefined;
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return known.find((one) => elsewhere[one]?.includes(plain)) ?? closestName(name, known);
}

/** Returns a path in the form `recipients[2].to`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((key, depth) => (typeof key === 'number' ? `[${key}]` : `${depth === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

/**
 * Returns each field that the schema does not contain. Unions and maps are not searched.
 *
 * @param path - the path of the value in the body
 */
export function unknownIn(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[] = [],
): UnknownField[] {
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

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

const formatNames: Readonly<Record<string, string>> = {
  url: 'a URL',
  datetime: 'a date-time such as 2026-11-20T10:00:00Z',
  email: 'an email address',
};

/** The units of limits, by zod's origin. For other origins, the limit is for the value itself. */
const units: Readonly<Record<string, string>> = { string: 'characters', array: 'items', record: 'fields' };

/** Returns a sentence that continues the field's name, such as `must be a text`. */
export function issueText(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'never'
        ? 'must be left out'
        : `must be ${typeNames[issue.expected] ?? 'another value'}`;
    case 'invalid_value':
      return `must be ${alternatives(issue.values.map(String))}`;
    case 'invalid_union': {
      const kinds = issue.errors.map(kindFault);
      return kinds.length === 0 || kinds.includes(undefined)
        ? 'is not valid'
        : `must be ${alternatives([...new Set(kinds.map((expected) => typeNames[expected ?? ''] ?? 'another value'))])}`;
    }
    case 'too_big':
      // A whole number is first compared with the largest exact number, whose text would not help.
      if (issue.maximum === Number.MAX_SAFE_INTEGER) return 'is too large';
      return issue.inclusive === false
        ? `must be less than ${issue.maximum}`
        : sized(issue.exact ? '' : 'at most ', issue.maximum, issue.origin);
    case 'too_small':
      if (issue.minimum === Number.MIN_SAFE_INTEGER) return 'is too small';
      return issue.inclusive === false
        ? `must be more than ${issue.minimum}`
        : issue.minimum === 1 && units[issue.origin] !== undefined
          ? 'must not be empty'
          : sized(issue.exact ? '' : 'at least ', issue.minimum, issue.origin);
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? 'in another form'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not have ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return 'has a name that is not valid';
    case 'invalid_element':
      return 'has a value that is not valid';
    default:
      return 'is not valid';
  }
}

/**
 * Returns the errors inside a union. If exactly one alternative accepts values of this type, returns its errors, each at
 * its own path. Otherwise returns one error, which says that the value matches no alternative.
 */
export function faultsIn(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [alternative, ...others] = issue.errors.filter((faults) => kindFault(faults) === undefined);
  if (alternative === undefined || others.length > 0) return [issue];
  return alternative.flatMap((inner) => faultsIn({ ...inner, path: [...issue.path, ...inner.path] }));
}

function kindFault(faults: readonly z.core.$ZodIssue[]): string | undefined {
  for (const fault of faults) {
    if (fault.path.length > 0) continue;
    if (fault.code === 'invalid_type') return fault.expected;
    if (fault.code !== 'invalid_union') continue;
    const kinds = fault.errors.map(kindFault);
    if (!kinds.includes(undefined)) return kinds[0];
  }
  return undefined;
}

/** Returns `a`, `a or b`, or `a, b or c`. */
function alternatives(values: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values);
}

function sized(bound: string, size: unknown, origin: string): string {
  const unit = units[origin];
  return unit === undefined ? `must be ${bound}${size}` : `must have ${bound}${size} ${unit}`;
}

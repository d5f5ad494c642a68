/** Checks responses against the gateway's own OpenAPI document, and describes the differences. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '../../../lib/build/openapi/document.ts';

interface ReceivedResponse {
  readonly method: string;
  /** As it was asked for, query and all. */
  readonly path: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface ApiDocument {
  readonly document: OpenApiDocument;
  /** Returns the differences from the document; empty if there are none. */
  faultsOf(answer: ReceivedResponse): string[];
  /** Returns the faults of a value that must match a schema of `components`. */
  schemaFaults(schema: string, value: unknown): string[];
}

/** Those that JSON Schema does not know. */
const ownFormats = [
  'phone-number',
  'sender',
  'cursor',
  'delivery-cursor',
  'suppression-cursor',
  'origin',
  'queue-arn',
  'bus-arn',
  'role-arn',
];

export function apiDocument(document: OpenApiDocument): ApiDocument {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  // Clients must bear new values; a test must not overlook one.
  ajv.addKeyword({
    keyword: 'x-extensible-enum',
    validate: (values: readonly unknown[], value: unknown) => values.includes(value),
  });
  // A test of its own knows which numbers there are; of the others the gateway knows.
  for (const format of ownFormats) ajv.addFormat(format, true);
  ajv.addSchema(closed(document), 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  const faultsAt = (pointer: string, value: unknown): string[] => {
    const known = compiled.get(pointer);
    const validate = known ?? ajv.compile({ $ref: `openapi#${pointer}` });
    compiled.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`,
    );
  };
  const schemaFaults = (schema: string, value: unknown): string[] =>
    faultsAt(`/components/schemas/${schema}`, value);

  return {
    document,
    schemaFaults,
    faultsOf(answer) {
      const { method, path, status } = answer;
      const template = templateOf(document, path);
      const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
      if (template === undefined || operation === undefined) {
        // The document excludes the administration and paths without a route.
        const isForAdmins = path === '/admin' || path.startsWith('/admin/');
        const isPage = /^\/($|docs|openapi\.json|\.well-known\/)/.test(path);
        const isError = status >= 400 || !(isForAdmins || isPage);
        const error = isError ? schemaFaults('ErrorResponse', parsed(answer.text)) : [];
        return [...headerFaults(answer, everyHeader), ...error];
      }
      const isDryRun = status === 200 && new URLSearchParams(path.split('?')[1]).get('dry_run') === 'true';
      const response = isDryRun ? operation['x-dry-run']?.response : operation.responses[String(status)];
      if (response === undefined) return [`${method} ${template} may not answer ${status}: ${answer.text}`];
      const mediaType = answer.headers['content-type']?.split(';')[0] ?? 'no media type';
      if (response.content[mediaType] === undefined) return [`${mediaType} is not documented`];
      const named: NamedHeaders = document.components.headers;
      const required = Object.keys(response.headers).filter((name) => named[name]?.required === true);
      const malformed = Object.keys(response.headers).flatMap((name) => {
        const value = answer.headers[name.toLowerCase()];
        if (value === undefined || named[name] === undefined) return [];
        const isNumber = named[name].schema.type === 'integer';
        const faults = faultsAt(`/components/headers/${name}/schema`, isNumber ? Number(value) : value);
        return faults.map((fault) => `${name} ${value}: ${fault}`);
      });
      const pointer = [
        '',
        'paths',
        template,
        method.toLowerCase(),
        ...(isDryRun ? ['x-dry-run', 'response'] : ['responses', status]),
        'content',
        mediaType,
        'schema',
      ]
        .map((step) => String(step).replaceAll('~', '~0').replaceAll('/', '~1'))
        .map(encodeURIComponent)
        .join('/');
      const body = mediaType === 'application/json' ? parsed(answer.text) : answer.text;
      const code = (body as { readonly error?: unknown } | null)?.error;
      const codes: readonly unknown[] | undefined = response['x-error-codes'];
      const unknown = codes?.includes(code) === false ? [`${code} is not documented`] : [];
      return [...headerFaults(answer, required), ...malformed, ...faultsAt(pointer, body), ...unknown];
    },
  };
}

type NamedHeaders = Readonly<
  Record<string, { readonly required?: boolean; readonly schema: { readonly type: string } }>
>;

const everyHeader: readonly string[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Policy',
];

/** The headers of the specification's section 8: that they are there, and that they agree with each other. */
function headerFaults({ headers, status }: ReceivedResponse, required: readonly string[]): string[] {
  const faults = required
    .filter((name) => headers[name.toLowerCase()] === undefined)
    .map((name) => `${name} is missing`);
  const number = (name: string): number => Number(headers[name]);
  const [limit, remaining] = [number('x-ratelimit-limit'), number('x-ratelimit-remaining')];
  if (!Number.isInteger(limit) || !Number.isInteger(remaining) || remaining < 0 || remaining > limit) {
    faults.push(`X-RateLimit-Remaining ${remaining} of ${limit}`);
  }
  const policy =
    /^(?<limit>\d+);w=(60;comment=[a-z_]+_minute|3600;comment=[a-z_]+_hour|86400;comment=[a-z_]+_day|600;comment=otp_recipient)$/;
  if (policy.exec(headers['x-ratelimit-policy'] ?? '')?.groups?.limit !== String(limit)) {
    faults.push(`X-RateLimit-Policy ${headers['x-ratelimit-policy']}`);
  }
  const secondsLeft = number('x-ratelimit-reset') - Date.now() / 1000;
  if (!(secondsLeft > -120 && secondsLeft < 86_520)) faults.push(`X-RateLimit-Reset in ${secondsLeft} s`);
  if ((headers['retry-after'] !== undefined) !== (status === 429)) {
    faults.push(`Retry-After ${headers['retry-after']} with ${status}`);
  }
  return faults;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The path of the document that an address has; one without a parameter goes first. */
function templateOf(document: OpenApiDocument, path: string): string | undefined {
  const segments = path.split('?')[0]?.split('/') ?? [];
  return Object.keys(document.paths)
    .toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .find((template) => {
      const wanted = template.split('/');
      return (
        wanted.length === segments.length &&
        wanted.every((part, index) =>
          part.startsWith('{') ? segments[index] !== '' : part === segments[index],
        )
      );
    });
}

const conditions: ReadonlySet<string> = new Set(['if', 'then', 'else']);

/** Clients must bear new fields, so the document leaves objects open; a test must not overlook one. */
function closed(document: OpenApiDocument): OpenApiDocument {
  const close = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(close);
    if (typeof schema !== 'object' || schema === null) return schema;
    // A condition is on some fields of an object that may have others.
    const inner = Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, conditions.has(key) ? value : close(value)]),
    );
    return 'properties' in inner && !('additionalProperties' in inner)
      ? { ...inner, additionalProperties: false }
      : inner;
  };
  const { schemas, 'x-dry-run': ofDryRuns } = document.components;
  const components = {
    ...document.components,
    schemas: close(schemas) as typeof schemas,
    'x-dry-run': close(ofDryRuns) as typeof ofDryRuns,
  };
  return { ...document, components };
}

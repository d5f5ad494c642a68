/**
 * Judges requests to a carrier, and the responses and callbacks that a test makes in its place, by the OpenAPI
 * description of its API.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface VendorRequest {
  readonly method: string;
  /** As it was asked for, query and all. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface VendorDescription {
  /** The template of the path, and what the description refuses in the request; empty where nothing. */
  judge(request: VendorRequest): {
    readonly template: string | undefined;
    readonly faults: readonly string[];
  };
  responseFaults(request: VendorRequest, status: number, text: string): readonly string[];
  /** Returns the faults of a callback with this name in `webhooks`. Empty if the description contains no such callback. */
  callbackFaults(name: string, text: string): readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: object;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Response {
  readonly content?: Content;
}

/** The reference is replaced by the entry of `components` with this name. */
interface Reference {
  readonly $ref: string;
}

interface Operation {
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Content };
  /** By the status, or by all that begin with a digit: `4XX`. */
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

type PathItem = Readonly<Record<string, Operation | undefined>>;

interface OpenApi {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks?: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly responses?: Readonly<Record<string, Response>>;
  };
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

const known = new Map<string, VendorDescription>();

/**
 * A file is read once, as its schemas take long to compile.
 *
 * @param file - JSON: OpenAPI 3.0 or 3.1, with every `$ref` below `#/components`
 */
export function readVendorDescription(file: string): VendorDescription {
  const found = known.get(file) ?? judgeOf(file);
  known.set(file, found);
  return found;
}

function judgeOf(file: string): VendorDescription {
  const description = JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
  const faultsOf = schemaFaults(description.components);

  function resolved<Part extends object>(
    named: Readonly<Record<string, Part>> = {},
    part: Part | Reference,
  ): Part {
    if (!('$ref' in part)) return part;
    const found = named[part.$ref.split('/').at(-1) ?? ''];
    if (found === undefined) throw new Error(`there is no ${part.$ref}`);
    return found;
  }

  function found(request: VendorRequest) {
    const [path = ''] = request.path.split('?');
    const template = Object.keys(description.paths).find((each) => patternOf(each).test(path));
    const operation =
      template === undefined ? undefined : description.paths[template]?.[request.method.toLowerCase()];
    return { path, template, operation };
  }

  function parameterFaults({ name, in: place, required, schema }: Parameter, given: string | undefined) {
    if (given === undefined) return required === true ? [`${place} ${name} is missing`] : [];
    return faultsOf(schema, given, `${place} ${name}`, 'text');
  }

  function bodyFaults(content: Content, request: VendorRequest): string[] {
    const mediaType = request.headers['content-type']?.split(';')[0] ?? 'no content type';
    const schema = content[mediaType]?.schema;
    if (schema === undefined) return [`${mediaType} is not accepted`];
    if (mediaType === json) return jsonFaults(schema, request.text);
    if (mediaType !== form) return [`${mediaType} cannot be judged`];
    const fields = new URLSearchParams(request.text);
    const values = Object.fromEntries(
      [...new Set(fields.keys())].map((name) => {
        const all = fields.getAll(name);
        return [name, all.length === 1 ? all[0] : all];
      }),
    );
    const unknown = Object.keys(values).filter((name) => schema.properties?.[name] === undefined);
    return [
      ...unknown.map((name) => `field ${name} is not known`),
      ...faultsOf(schema, values, 'body', 'text'),
    ];
  }

  function jsonFaults(schema: Schema, text: string): string[] {
    try {
      return faultsOf(schema, JSON.parse(text), 'body', 'json');
    } catch {
      return ['the body is not JSON'];
    }
  }

  return {
    judge(request) {
      const { path, template, operation } = found(request);
      if (template === undefined || operation === undefined)
        return { template, faults: [`there is no ${request.method} ${path}`] };
      const places: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
        path: patternOf(template).exec(path)?.groups ?? {},
        query: Object.fromEntries(new URLSearchParams(request.path.slice(path.length + 1))),
        header: request.headers,
      };
      const { parameters: given = [], requestBody } = operation;
      const parameters = given.map((one) => resolved(description.components.parameters, one));
      const known = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
      const faults = [
        ...Object.keys(places.query ?? {})
          .filter((name) => !known.includes(name))
          .map((name) => `query ${name} is not known`),
        ...parameters.flatMap((one) => parameterFaults(one, places[one.in]?.[keyOf(one)])),
        ...(requestBody === undefined ? [] : bodyFaults(requestBody.content, request)),
      ];
      return { template, faults };
    },
    responseFaults(request, status, text) {
      const responses = found(request).operation?.responses ?? {};
      const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
      // Few descriptions list their errors.
      if (response === undefined) return status < 400 ? [`${status} is no documented status`] : [];
      const schema = resolved(description.components.responses, response).content?.[json]?.schema;
      return schema === undefined ? [] : jsonFaults(schema, text);
    },
    callbackFaults(name, text) {
      const schema = description.webhooks?.[name]?.post?.requestBody?.content[json]?.schema;
      return schema === undefined ? [] : jsonFaults(schema, text);
    },
  };
}

function keyOf({ name, in: place }: Parameter): string {
  if (place === 'header') return name.toLowerCase();
  return place === 'path' ? groupOf(name) : name;
}

function patternOf(template: string): RegExp {
  const parts = template.split(/\{([^}]+)\}/);
  const source = parts.map((part, place) =>
    place % 2 === 0 ? part.replaceAll('.', '\\.') : `(?<${groupOf(part)}>[^/]+)`,
  );
  return new RegExp(`^${source.join('')}$`);
}

/** Groups of a pattern have no hyphens. */
function groupOf(name: string): string {
  return name.replaceAll(/\W/g, '_');
}

/** @returns a function that compiles each schema once; in a text, a number is written as digits */
function schemaFaults(components: object) {
  const options = { strict: false, allErrors: true, logger: false } as const;
  const judges = { json: new Ajv2020(options), text: new Ajv2020({ ...options, coerceTypes: 'array' }) };
  for (const judge of Object.values(judges)) formats.default(judge);
  const compiled = new Map<object, ValidateFunction>();
  return (schema: object, value: unknown, what: string, written: keyof typeof judges): string[] => {
    const validate = compiled.get(schema) ?? judges[written].compile({ components, allOf: [schema] });
    compiled.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  };
}

/** Builds the OpenAPI 3.1 document of the API, from the routes, their policies and the schemas of the operations. */
import { policies } from '../../../shared/contract/rate-limits-and-caps.ts';
import { baseUrlMarker, type Route, routes, version } from '../../../shared/contract/routes.ts';
import type { Example } from './description.ts';
import { idempotencyKeyOf, namedHeaders } from './headers.ts';
import { introduction, tagNotes } from './introduction.ts';
import type { JsonSchema } from './named-schemas.ts';
import { isOperation, type OperationName, operations } from './operations.ts';
import { dryRunOf, type OpenApiResponse, reference, responsesOf } from './responses.ts';
import { componentSchemas } from './schemas.ts';
import { callbacksOf, webhooks } from './webhook-callbacks.ts';

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly JsonSchema[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<
      Record<string, { schema: JsonSchema; examples: Readonly<Record<string, Example>> }>
    >;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly callbacks?: Readonly<Record<string, unknown>>;
  /** The parameter that requests a dry run, with its response (status 200); absent if the operation is not a send. */
  readonly 'x-dry-run'?: NonNullable<ReturnType<typeof dryRunOf>>;
  readonly 'x-rate-limits': Readonly<Record<string, unknown>>;
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** Returns the document. The function describe-api replaces its placeholder for the gateway's URL. */
export function openApiDocument() {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const [name, { path, method }] of Object.entries<Route>(routes)) {
    if (!isOperation(name)) continue;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(name) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Messaging Gateway',
      version,
      summary: 'Messages by SMS and WhatsApp, one-time passwords, and signed webhooks.',
      description: introduction,
      contact: { name: 'The team that runs this gateway', url: `${baseUrlMarker}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrlMarker, description: 'The gateway that serves this document' }],
    tags: Object.entries(tagNotes).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooks(),
    components: {
      ...componentSchemas(),
      headers: namedHeaders,
      securitySchemes,
    },
  };
}

const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token from `POST /api/v1/auth/token`.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'sk-…',
    description:
      'An API key (`sk-…`). New integrations use API keys only for tests (`sk-test-…`), and access tokens for everything else.',
  },
  clientCredentials: {
    type: 'oauth2',
    description: 'The same access token, for tools that request it themselves.',
    flows: {
      clientCredentials: {
        tokenUrl: `${baseUrlMarker}${routes.issueToken.path}`,
        scopes: { messages: 'Send and look up messages.' },
      },
    },
  },
} as const;

function operationOf(name: OperationName): OpenApiOperation {
  const route: Route = routes[name];
  const description = operations[name];
  const { tag, summary, request, parameters = [], keyed = false } = description;
  const callbacks = callbacksOf[name];
  const dryRun = dryRunOf(description);
  const allParameters = [
    ...parameters.map(({ required = false, ...parameter }) => ({ ...parameter, required })),
    ...(keyed ? [idempotencyKeyOf(operationIdOf(name))] : []),
  ];
  return {
    operationId: operationIdOf(name),
    tags: [tag],
    summary,
    description: description.description,
    security: securityOf(route),
    ...(allParameters.length === 0 ? {} : { parameters: allParameters }),
    ...(request === undefined
      ? {}
      : {
          requestBody: {
            required: request.optional !== true,
            content: {
              'application/json': { schema: reference(request.schema), examples: request.examples },
            },
          },
        }),
    responses: responsesOf(route, description),
    callbacks,
    'x-dry-run': dryRun,
    'x-rate-limits': limitsOf(route),
  };
}

/**
 * Returns the operationId, with `Whatsapp` as one word, so that the Python method is `send_whatsapp` and not
 * `send_whats_app`.
 */
export function operationIdOf(name: OperationName): string {
  return name.replace('WhatsApp', 'Whatsapp');
}

function securityOf(route: Route): OpenApiOperation['security'] {
  if (route.scope === null) return [];
  return [{ accessToken: [] }, { clientCredentials: [route.scope] }, { apiKey: [] }];
}

function limitsOf({ policy, scope }: Route): Record<string, unknown> {
  const { perMinute, perHour, perDay, endpoint } = policies[policy];
  return {
    policy,
    endpoint,
    per_minute: perMinute,
    per_hour: perHour,
    per_day: perDay,
    counted_on: countedOn(policy, scope),
  };
}

function countedOn(policy: Route['policy'], scope: Route['scope']): string {
  if (scope !== null) return 'client';
  return policy === 'auth_token'
    ? 'client if its credentials are valid; otherwise source address'
    : 'source address';
}

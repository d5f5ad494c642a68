/** GET /openapi.json, /docs and /docs/webhooks, which the build puts into this function's folder, and /.well-known. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { baseUrlMarker } from '../shared/contract/base-url.ts';
import { routes } from '../shared/contract/routes.ts';
import { type HttpFunction, publicHttpFunction } from '../shared/http/http-function.ts';
import { publicHttpDependencies, publicHttpEnvironment } from '../shared/http/public-http-dependencies.ts';
import type { ApiResponse } from '../shared/operation/operation.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { showWellKnown } from '../shared/token/server-metadata.ts';
import { dynamoSigningKeyStore } from '../shared/token/signing-keys.dynamo.ts';

const answerFile = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

const env = readEnvironment([...publicHttpEnvironment, 'SIGNING_KEYS_TABLE', 'TOKEN_ISSUER']);
const dependencies = publicHttpDependencies(env);
/** By its address: `localhost` may be one of IPv6, where the local gateway does not listen. */
const baseUrl = env.TOKEN_ISSUER.replace('//localhost:', '//127.0.0.1:');

/** Reads the file at the first request, and keeps it. */
function show(routeName: 'getOpenApiDocument' | 'getDocs' | 'getWebhookGuide'): HttpFunction {
  let answer: ApiResponse | undefined;
  const operation = async (): Promise<ApiResponse> => {
    answer ??= answerOf(readFileSync(join(import.meta.dirname, 'answers', `${routeName}.json`), 'utf8'));
    return answer;
  };
  return publicHttpFunction(routes[routeName], operation, { dependencies });
}

function answerOf(file: string): ApiResponse {
  const { headers, ...answer } = answerFile.parse(JSON.parse(file));
  const body = answer.body.replaceAll(baseUrlMarker, baseUrl);
  const etag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
  return { ...answer, headers: { ...headers, ETag: etag }, body };
}

const wellKnown = showWellKnown(env.TOKEN_ISSUER, dynamoSigningKeyStore(dynamo(), env.SIGNING_KEYS_TABLE));

const functions: Readonly<Record<string, HttpFunction>> = {
  [routes.getOpenApiDocument.path]: show('getOpenApiDocument'),
  [routes.getWebhookGuide.path]: show('getWebhookGuide'),
  [routes.getWellKnown.path]: publicHttpFunction(routes.getWellKnown, wellKnown, { dependencies }),
};
const showDocs = show('getDocs');

export const handler: HttpFunction = (event, context) =>
  (functions[event.resource] ?? showDocs)(event, context);

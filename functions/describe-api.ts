/** GET /openapi.json, /docs and /docs/webhooks: responses that the build puts into this function's folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { routes } from '../shared/contract/routes.ts';
import { type HttpFunction, publicHttpFunction } from '../shared/http/http-function.ts';
import { publicHttpDependencies, publicHttpEnvironment } from '../shared/http/public-http-dependencies.ts';
import type { ApiResponse } from '../shared/operation/operation.ts';
import { readEnvironment } from '../shared/platform/env.ts';

const answerFile = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

const dependencies = publicHttpDependencies(readEnvironment(publicHttpEnvironment));

/** Reads the file at the first request, and keeps it. */
function show(routeName: 'getOpenApiDocument' | 'getDocs' | 'getWebhookGuide'): HttpFunction {
  let answer: ApiResponse | undefined;
  const operation = async (): Promise<ApiResponse> => {
    answer ??= answerFile.parse(
      JSON.parse(readFileSync(join(import.meta.dirname, 'answers', `${routeName}.json`), 'utf8')),
    );
    return answer;
  };
  return publicHttpFunction(routes[routeName], operation, { dependencies });
}

const functions: Readonly<Record<string, HttpFunction>> = {
  [routes.getOpenApiDocument.path]: show('getOpenApiDocument'),
  [routes.getWebhookGuide.path]: show('getWebhookGuide'),
};
const showDocs = show('getDocs');

export const handler: HttpFunction = (event, context) =>
  (functions[event.resource] ?? showDocs)(event, context);

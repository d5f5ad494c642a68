/** GET /openapi.json, /docs and /docs/webhooks: the API described, for tools and for people, by answers made by the build. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type RouteName, routes } from '../shared/contract/routes.ts';
import { type HttpFunction, httpFunction } from '../shared/http/http-function.ts';
import type { ApiResponse } from '../shared/operation/operation.ts';

const answerFile = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/** Read when it is first asked for, and once. */
function show(routeName: RouteName): HttpFunction {
  let answer: ApiResponse | undefined;
  return httpFunction(routes[routeName], async () => {
    answer ??= answerFile.parse(
      JSON.parse(readFileSync(join(import.meta.dirname, 'answers', `${routeName}.json`), 'utf8')),
    );
    return answer;
  });
}

const functions: Readonly<Record<string, HttpFunction>> = {
  [routes.getOpenApiDocument.path]: show('getOpenApiDocument'),
  [routes.getWebhookGuide.path]: show('getWebhookGuide'),
};
const showDocs = show('getDocs');

export const handler: HttpFunction = (event, context) =>
  (functions[event.resource] ?? showDocs)(event, context);

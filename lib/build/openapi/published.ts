/** All that the API says of itself, as it is answered. Made by the build: a start that carried what makes it took a third longer. */

import type { RouteName } from '../../../shared/contract/routes.ts';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './document.ts';
import { documentHeaders, pageResponse } from './page.ts';
import { webhookGuide } from './webhook-guide.ts';

/** By the route that answers with it. */
export function published() {
  const document = openApiDocument();
  return {
    getOpenApiDocument: {
      status: 200,
      // Any page may read the document: it says the same to everyone.
      headers: {
        'Content-Type': 'application/json',
        ...documentHeaders,
        'Access-Control-Allow-Origin': '*',
      },
      body: JSON.stringify(document),
    },
    getDocs: pageResponse(docsPage(document)),
    getWebhookGuide: pageResponse(webhookGuide()),
  } satisfies Partial<Record<RouteName, ApiResponse>>;
}

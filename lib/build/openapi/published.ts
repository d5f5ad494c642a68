/** The responses of describe-api. Generated at build time, because generating them at start-up took a third longer. */

import type { RouteName } from '../../../shared/contract/routes.ts';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './document.ts';
import { documentHeaders, pageResponse } from './page.ts';
import { webhookGuide } from './webhook-guide.ts';

/** By route. */
export function published() {
  const document = openApiDocument();
  return {
    getOpenApiDocument: {
      status: 200,
      // The document is the same for everyone, so any page may read it.
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

/** GET /openapi.json, /docs and /docs/webhooks: the API described, for tools and for people. */
import { type HttpFunction, httpFunction } from '../shared/http.ts';
import { docsPage } from '../shared/openapi/docs-page.ts';
import { openApiDocument } from '../shared/openapi/document.ts';
import { documentHeaders, pageResponse } from '../shared/openapi/page.ts';
import { webhookGuide } from '../shared/openapi/webhook-guide.ts';
import { routes } from '../shared/routes.ts';

// Any page may read the document: it says the same to everyone.
const headers = { ...documentHeaders, 'Access-Control-Allow-Origin': '*' };
/** Each made when it is first asked for, and once: a start that made all three took twice as long. */
const document = once(openApiDocument);
const docs = once(() => pageResponse(docsPage(document())));
const guide = once(() => pageResponse(webhookGuide()));

const functions: Readonly<Record<string, HttpFunction>> = {
  [routes.getOpenApiDocument.path]: httpFunction(routes.getOpenApiDocument, async () => ({
    status: 200,
    headers,
    body: document(),
  })),
  [routes.getWebhookGuide.path]: httpFunction(routes.getWebhookGuide, async () => guide()),
};
const showDocs = httpFunction(routes.getDocs, async () => docs());

export const handler: HttpFunction = (event, context) =>
  (functions[event.resource] ?? showDocs)(event, context);

function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The events that the gateway posts, and their bodies, from the webhooks of the OpenAPI document. */
import type { OpenApiDocument } from '../../openapi/document.ts';
import { codeRow, type Html, heading, html, inline, table } from '../html.ts';
import { fieldTable, type Resolve } from './field-rows.ts';

type Webhooks = Pick<OpenApiDocument, 'webhooks'>;

const webhooksOf = ({ webhooks }: Webhooks) => Object.entries(webhooks);

export function eventTable(document: Webhooks): Html {
  return table(
    [{ title: 'Event' }, { title: 'Meaning' }],
    webhooksOf(document).map(([name, { post }]) => codeRow(`event.${name}`, name, inline(post.summary))),
  );
}

/** Makes one table for each schema, headed by the events that have it. */
export function eventBodies(document: Webhooks, resolve: Resolve): Html {
  const bySchema = Map.groupBy(webhooksOf(document), ([, { post }]) =>
    String(post.requestBody.content['application/json'].schema.$ref),
  );
  return html`${Array.from(bySchema, ([$ref, events]) => {
    const name = $ref.split('/').at(-1) ?? '';
    return html`${heading(3, `body.${name}`, `Body: ${name}`)}<p class="quiet">${events.map(([event], index) => html`${index > 0 && ', '}<code>${event}</code>`)}</p>${fieldTable({ $ref }, resolve, name)}`;
  })}`;
}

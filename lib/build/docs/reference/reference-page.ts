/** The API reference: the basics, every operation with its samples, and the events, all from the OpenAPI document. */
import type { OpenApiDocument } from '../../openapi/document.ts';
import { basics } from '../../openapi/introduction.ts';
import { heading, html, inline, prose, table } from '../html.ts';
import type { Page, Section } from '../page.ts';
import { samplesOf } from '../samples/samples.ts';
import { linkTo } from '../site.ts';
import type { Resolve } from './field-rows.ts';
import { fieldTable } from './field-table.ts';
import { type DocumentedOperation, operationSection } from './operation-section.ts';

export function referencePage(document: OpenApiDocument): Page {
  const resolve: Resolve = (reference) =>
    document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
  const samples = Map.groupBy(samplesOf(document), ({ operationId }) => operationId);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): DocumentedOperation => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  );
  const byTag = document.tags
    .map(({ name, description }) => ({
      id: idOf(name),
      name,
      description,
      operations: operations.filter(({ tags }) => tags.includes(name)),
    }))
    .filter((tag) => tag.operations.length > 0);
  return {
    name: 'reference',
    sections: [
      { id: 'basics', title: 'Basics', sections: basics.map(({ id, title }) => ({ id, title })) },
      ...byTag.map(
        (tag): Section => ({
          id: tag.id,
          title: tag.name,
          sections: tag.operations.map(({ operationId, summary }) => ({ id: operationId, title: summary })),
        }),
      ),
      { id: 'events', title: 'Events' },
    ],
    main: html`<h1>API reference</h1>
<p class="quiet">Version ${document.info.version} · address <code>${document.servers[0]?.url}</code> · <a href="~/openapi.json">OpenAPI 3.1 document</a></p>
<p>The samples take the address and the access token from the variables <code>BASE_URL</code> and <code>TOKEN</code>, which the <a href="${linkTo('start', 'settings')}">quick start</a> sets.</p>
<section>${heading(2, 'basics', 'Basics')}${basics.map(({ id, title, text }) => html`${heading(3, id, title)}${prose(text)}`)}</section>
${byTag.map(
  (tag) =>
    html`<section>${heading(2, tag.id, tag.name)}<p class="quiet">${tag.description}</p>${tag.operations.map((operation) => operationSection(operation, samples.get(operation.operationId) ?? [], resolve))}</section>`,
)}
${events(document, resolve)}`,
  };
}

function idOf(name: string): string {
  return `${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}-operations`;
}

function events(document: OpenApiDocument, resolve: Resolve) {
  const all = Object.entries(document.webhooks) as [string, { post: { summary: string } }][];
  return html`<section>${heading(2, 'events', 'Events')}
<p>The gateway posts one event for each state that a message enters. How to receive and verify them: <a href="${linkTo('webhooks')}">Webhooks</a>.</p>
${table(
  [{ title: 'Event' }, { title: 'Meaning' }],
  all.map(([name, { post }]) => ({
    id: `event.${name}`,
    name: html`<code>${name}</code>`,
    cells: [inline(post.summary)],
  })),
)}
${heading(3, 'event-body', 'Body of an event')}${fieldTable({ $ref: '#/components/schemas/WebhookEvent' }, resolve, 'event')}</section>`;
}

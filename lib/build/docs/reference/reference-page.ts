/** The API reference: the basics, every operation with its samples, and the events, all from the OpenAPI document. */
import type { OpenApiDocument } from '../../openapi/document.ts';
import { basics } from '../../openapi/introduction.ts';
import { heading, html, prose } from '../html.ts';
import type { Page, Section } from '../page.ts';
import { samplesOf } from '../samples/samples.ts';
import { linkTo } from '../site.ts';
import { eventBodies, eventTable } from './events.ts';
import type { Resolve } from './field-rows.ts';
import { type DocumentedOperation, operationSection } from './operation-section.ts';

export function referencePage(document: OpenApiDocument): Page {
  const { schemas, 'x-dry-run': ofDryRuns } = document.components;
  const resolve: Resolve = (reference) => {
    const name = reference.split('/').at(-1) ?? '';
    return schemas[name] ?? ofDryRuns[name] ?? {};
  };
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
<section>${heading(2, 'events', 'Events')}
<p>How to receive and verify them: <a href="${linkTo('webhooks')}">Webhooks</a>.</p>
${eventTable(document)}${eventBodies(document, resolve)}</section>`,
  };
}

function idOf(name: string): string {
  return `${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}-operations`;
}

/** Lists the entries of the search (`Entry` in `find.ts`): the sections of the guides, and the reference. */
import type { OpenApiDocument, OpenApiOperation } from '../openapi/document.ts';
import { topics } from '../openapi/introduction.ts';
import { anchorOf, type Guide, sectionsOf } from './guides.ts';

export function searchEntries(guides: readonly Guide[], document: OpenApiDocument) {
  const page = 'API reference';
  return [
    ...guides.flatMap((guide) =>
      sectionsOf(guide).map(({ title, anchor, text }) => {
        return { id: `${guide.name}${anchor}`, title, page: guide.title, text };
      }),
    ),
    ...topics.map(({ title, text }) => {
      return { id: `reference#description/${anchorOf(title)}`, title, page, text };
    }),
    ...operationsOf(document).map(({ name, link, operation }) => ({
      id: link,
      title: operation.summary,
      page,
      text: `${name}: ${operation.description}`,
      names: namesIn(operation, document),
    })),
  ];
}

/** Returns the address of each operation in the reference, by `METHOD /path`. */
export function linksOfOperations(document: OpenApiDocument): ReadonlyMap<string, string> {
  return new Map(operationsOf(document).map(({ name, link }) => [name, link]));
}

function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const [tag = ''] = operation.tags;
      return { name, operation, link: `reference#tag/${anchorOf(tag)}/${operation.operationId}` };
    }),
  );
}

/** Returns the names of the parameters and of the request's fields. */
function namesIn(
  { operationId, parameters = [], requestBody }: OpenApiOperation,
  { components }: OpenApiDocument,
) {
  const schema = String(requestBody?.content['application/json']?.schema.$ref).replace(/.*\//, '');
  const fields = Object.keys(components.schemas[schema]?.properties ?? {});
  return [operationId, ...parameters.map(({ name }) => name), ...fields].join(' ');
}

/**
 * Builds the responses of describe-api: the API document, the guides, the reference, and the files that they load. They are
 * built in advance, because building them in the function made its start a third longer.
 */
import { createHash } from 'node:crypto';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import { type OpenApiDocument, openApiDocument } from '../openapi/document.ts';
import { anchorOf, guideNames, programs, readGuideFile, renderGuide } from './guides.ts';
import { guidePage, referencePage } from './page.ts';
import { scalarScript } from './scalar.ts';

/** Returns every response by its path. */
export function published(): Readonly<Record<string, ApiResponse>> {
  const document = openApiDocument();
  const guides = guideNames.map((name) => renderGuide(name, linksOfOperations(document)));
  const reference = { name: 'reference', title: 'API reference' };
  const links = [...guides, reference];
  const scalar = scalarScript();
  const library = `scalar.${createHash('sha256').update(scalar).digest('hex').slice(0, 16)}.js`;
  return {
    // The document is the same for every client, so any web page may read it.
    '/openapi.json': file('application/json', JSON.stringify(document), {
      'Access-Control-Allow-Origin': '*',
    }),
    '/docs/reference': cached(referencePage(reference, links, library)),
    ...Object.fromEntries(guides.map((guide) => [`/docs/${guide.name}`, cached(guidePage(guide, links))])),
    ...Object.fromEntries(
      programs.map((name) => [`/docs/${name}`, file('text/plain; charset=utf-8', readGuideFile(name))]),
    ),
    [`/docs/${library}`]: file('text/javascript; charset=utf-8', scalar, {
      'Cache-Control': 'public, max-age=31536000, immutable',
    }),
  };
}

/** Returns the link to each operation in the reference, by `METHOD /path`. */
export function linksOfOperations({ paths }: OpenApiDocument): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([
          method,
          {
            operationId,
            tags: [tag = ''],
          },
        ]) => [`${method.toUpperCase()} ${path}`, `reference#tag/${anchorOf(tag)}/${operationId}`],
      ),
    ),
  );
}

function file(type: string, body: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return cached({ status: 200, headers: { 'Content-Type': type, ...headers }, body });
}

function cached({ headers, ...response }: ApiResponse): ApiResponse {
  const usual = { 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' };
  return { ...response, headers: { ...usual, ...headers } };
}

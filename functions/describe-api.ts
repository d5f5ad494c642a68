/**
 * Serves GET /, /openapi.json, /docs with its pages, and /.well-known. The build puts the pages into this function's folder.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { standardError } from '../shared/contract/errors.ts';
import { baseUrlMarker, routes } from '../shared/contract/routes.ts';
import { type HttpFunction, publicHttpFunction } from '../shared/http/http-function.ts';
import { redirectTo } from '../shared/http/response.ts';
import type { ApiResponse, Operation } from '../shared/operation/operation.ts';
import { kms } from '../shared/platform/aws/clients.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { showWellKnown } from '../shared/token/server-metadata.ts';

const responseFile = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

const context = { ...contextOf(environmentOf<'describe-api'>()), kms: kms() };
const { env } = context;

const folder = join(import.meta.dirname, 'responses');

/** The responses, by file name. Each file is read at the first request for it. */
const responses = new Map<string, ApiResponse>();

function responseOf(name: string): ApiResponse {
  const known = responses.get(name);
  if (known !== undefined) return known;
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) throw standardError('not_found');
  const response = readResponse(readFileSync(file, 'utf8'));
  responses.set(name, response);
  return response;
}

function readResponse(file: string): ApiResponse {
  const { headers, ...response } = responseFile.parse(JSON.parse(file));
  const body = response.body.replaceAll(baseUrlMarker, env.TOKEN_ISSUER);
  const etag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
  return { ...response, headers: { ...headers, ETag: etag }, body };
}

/** Matches the names of pages, so that a request cannot open any other file. */
const pageName = /^[a-z][a-z-]*(\.[a-z0-9]+)*$/;

const redirectToPage = (page: string): ApiResponse =>
  redirectTo(env.TOKEN_ISSUER, routes.getDocsPage.path.replace('{page}', page));

/**
 * Serves a page. The links in a page are relative, so an address that ends with a slash is redirected. The redirect contains
 * only the page's name, because the decoded bytes of the path are not permitted in a header.
 */
const showPage: Operation = async ({ path, pathParameters: { page = '' }, headers }) => {
  if (!pageName.test(page)) throw standardError('not_found');
  const response = responseOf(`docs.${page}`);
  if (path.endsWith('/')) return redirectToPage(page);
  const file = join(folder, `docs.${page}.br`);
  // API Gateway decides by `Accept` if it decodes the base64 of binary content.
  const takesBrotli = headers.accept !== undefined && /\bbr\b/.test(headers['accept-encoding'] ?? '');
  if (!takesBrotli || !existsSync(file)) return response;
  const coding = { 'Content-Encoding': 'br', Vary: 'Accept-Encoding' };
  return { ...response, headers: { ...response.headers, ...coding }, body: readFileSync(file) };
};

const redirectToQuickStart: Operation = async () => redirectToPage('quick-start');

const functions: Readonly<Record<string, HttpFunction>> = {
  [routes.getOpenApiDocument.path]: publicHttpFunction(context, routes.getOpenApiDocument, async () =>
    responseOf('openapi.json'),
  ),
  [routes.getRoot.path]: publicHttpFunction(context, routes.getRoot, redirectToQuickStart),
  [routes.getDocsPage.path]: publicHttpFunction(context, routes.getDocsPage, showPage),
  [routes.getWellKnown.path]: publicHttpFunction(context, routes.getWellKnown, showWellKnown(context)),
};
const showDocs = publicHttpFunction(context, routes.getDocs, redirectToQuickStart);

export const handler: HttpFunction = (event, lambda) =>
  (functions[event.resource] ?? showDocs)(event, lambda);

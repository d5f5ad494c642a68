/** The API reference page, generated from the OpenAPI document. */

import { type ErrorCode, errorStatus } from '../../../shared/contract/errors.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import type { Example } from './description.ts';
import type { OpenApiDocument, OpenApiOperation } from './document.ts';
import { errorNotes } from './errors.ts';
import { fieldRows, kindOf, type Resolve } from './field-rows.ts';
import { code, type Html, html, inline, type Page, prose } from './page.ts';
import type { OpenApiResponse } from './responses.ts';
import type { JsonSchema } from './schemas.ts';

interface Operation extends OpenApiOperation {
  readonly method: string;
  readonly path: string;
}

export function docsPage(document: OpenApiDocument): Page {
  const resolve: Resolve = (reference) =>
    document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Operation => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  );
  const byTag = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ tags }) => tags.includes(name)),
  }));
  return {
    title: 'Messaging Gateway: API reference',
    navigation: [
      html`<a href="#top"><b>Messaging Gateway</b></a>`,
      ...byTag.map(
        (tag) =>
          html`<strong>${tag.name}</strong>${tag.operations.map(
            ({ operationId, summary }) => html`<a href="#${operationId}">${summary}</a>`,
          )}`,
      ),
      html`<strong>Webhooks</strong><a href="#webhooks">Events</a><a href="docs/webhooks">Guide for webhooks</a>`,
      html`<strong>Errors</strong><a href="#errors">Error codes</a><a href="#message-errors">Message error codes</a>`,
      html`<strong>For tools</strong><a href="openapi.json">openapi.json</a>`,
    ],
    main: [
      html`<h1 id="top">Messaging Gateway</h1><p class="soft">API ${document.info.version} · <a href="openapi.json">OpenAPI 3.1</a> · <a href="docs/webhooks">guide for webhooks</a></p>`,
      prose(document.info.description),
      ...byTag.map(
        (tag) =>
          html`<section><h2>${tag.name}</h2><p class="soft">${tag.description}</p>${tag.operations.map((operation) => operationSection(operation, resolve))}</section>`,
      ),
      webhooks(document, resolve),
      errors(resolve),
      messageErrors(),
    ],
  };
}

function operationSection(operation: Operation, resolve: Resolve): Html {
  const { operationId, method, path, summary, description, parameters = [], requestBody } = operation;
  const limits = operation['x-rate-limits'];
  return html`<article><h3 id="${operationId}">${summary}</h3>
<div class="route"><span class="method ${method}">${method}</span><code>${path}</code></div>
${prose(description)}
<p class="soft">Limits: ${grouped(limits.per_minute)} a minute, ${grouped(limits.per_hour)} an hour, ${grouped(limits.per_day)} a day.${operation.security.length === 0 ? ' No access token is needed.' : ''}</p>
${parameters.length > 0 && html`<h4>Parameters</h4>${parameterTable(parameters, resolve)}`}
${requestBody !== undefined && requestSection(operation, resolve)}
<h4>Answers</h4>
${Object.entries(operation.responses).map(([status, response]) => responseSection(status, response, resolve))}
</article>`;
}

const grouped = (number: unknown): string => Number(number).toLocaleString('en');

function requestSection({ method, path, requestBody, security }: Operation, resolve: Resolve): Html {
  const contents = Object.entries(requestBody?.content ?? {});
  const [first] = contents;
  if (first === undefined) return html``;
  const [mediaType, { schema, examples }] = first;
  const types = contents.map(([type]) => type).join(' or ');
  const [example] = Object.values(examples);
  return html`<h4>Request body</h4><p class="soft">${types}</p>${fieldTable(schema, resolve, 'required')}
<h4>Example</h4>${code(curl(method, path, mediaType, example?.value, security.length > 0))}
${Object.values(examples)
  .slice(1)
  .map((other) => exampleBlock(other))}`;
}

function curl(method: string, path: string, mediaType: string, body: unknown, withToken: boolean): string {
  return [
    `curl -X ${method} "$BASE_URL${path}"`,
    ...(withToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    `-H 'Content-Type: ${mediaType}'`,
    `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join(' \\\n  ');
}

function responseSection(status: string, response: OpenApiResponse, resolve: Resolve): Html {
  const succeeded = status.startsWith('2');
  const [content] = Object.entries(response.content);
  if (content === undefined) return html``;
  const [mediaType, { schema, examples = {} }] = content;
  const codes = succeeded ? [] : Object.keys(examples);
  const described = succeeded
    ? html`${prose(response.description)}${mediaType === 'application/json' ? fieldTable(schema, resolve) : html`<p class="soft">${mediaType}</p>`}`
    : html`<ul>${codes.map((name) => html`<li><code>${name}</code> ${inline(examples[name]?.summary ?? '')}</li>`)}</ul>`;
  const shown = succeeded ? Object.values(examples) : Object.values(examples).slice(0, 1);
  return html`<details${succeeded ? { html: ' open' } : ''}><summary>${status}${codes.length > 0 ? ` ${codes.join(', ')}` : ''}</summary>${described}${shown.map(exampleBlock)}</details>`;
}

function exampleBlock({ summary, value }: Example): Html {
  return html`<p class="soft">${inline(summary)}</p>${code(JSON.stringify(value, null, 2))}`;
}

function parameterTable(parameters: readonly JsonSchema[], resolve: Resolve): Html {
  return html`<div class="table"><table class="fields"><thead><tr><th>Name</th><th>Kind</th><th>Meaning</th></tr></thead><tbody>${parameters.map(
    (parameter) =>
      html`<tr><td><code>${parameter.name}</code>${parameter.required === true && html` <span class="must">required</span>`}</td><td class="kind">${parameter.in}: ${kindOf(parameter.schema as JsonSchema, resolve)}</td><td>${inline(String(parameter.description))}</td></tr>`,
  )}</tbody></table></div>`;
}

function fieldTable(schema: JsonSchema, resolve: Resolve, must = 'always'): Html {
  // Several possible bodies: a table for each, by schema name.
  if (Array.isArray(schema.oneOf)) {
    return html`${(schema.oneOf as JsonSchema[]).map(
      (one) =>
        html`${typeof one.$ref === 'string' && html`<h4>${one.$ref.split('/').at(-1)}</h4>`}${fieldTable(one, resolve, must)}`,
    )}`;
  }
  const rows = fieldRows(schema, resolve);
  if (rows.length === 0) return html``;
  return html`<div class="table"><table class="fields"><thead><tr><th>Field</th><th>Kind</th><th>Meaning</th></tr></thead><tbody>${rows.map(
    ({ name, kind, required, note }) =>
      html`<tr><td><code>${name}</code>${required && html` <span class="must">${must}</span>`}</td><td class="kind">${kind}</td><td>${inline(note)}</td></tr>`,
  )}</tbody></table></div>`;
}

function errors(resolve: Resolve): Html {
  const codes = Object.entries(errorStatus) as [ErrorCode, number][];
  return html`<section><h2 id="errors">Error codes</h2><div class="table"><table class="fields"><thead><tr><th>Code</th><th>Status</th><th>When</th></tr></thead><tbody>${codes.map(
    ([name, status]) =>
      html`<tr><td><code>${name}</code></td><td>${status}</td><td>${inline(errorNotes[name].when)}</td></tr>`,
  )}</tbody></table></div>
<h4>Body</h4>${fieldTable({ $ref: '#/components/schemas/ErrorResponse' }, resolve)}</section>`;
}

function messageErrors(): Html {
  const codes = Object.entries(messageErrorCodes);
  return html`<section><h2 id="message-errors">Message error codes</h2>
${prose('Why a message was refused, failed or expired: `error.code` of a status answer and `error_code` of a webhook. A code keeps its meaning; a release may add codes. Retryable: the same message, sent again later, can be delivered.')}
<div class="table"><table class="fields"><thead><tr><th>Code</th><th>Message</th><th>Cause</th><th>What to do</th><th>Retryable</th></tr></thead><tbody>${codes.map(
    ([name, { message, cause, remedy, retryable }]) =>
      html`<tr><td><code>${name}</code></td><td>${message}</td><td>${cause}</td><td>${inline(remedy)}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function webhooks(document: OpenApiDocument, resolve: Resolve): Html {
  const events = Object.entries(document.webhooks) as [string, { post: { summary: string } }][];
  return html`<section><h2 id="webhooks">Webhooks</h2>
<p>The gateway posts one notification for each state that a message enters. How to receive and verify them, with code: <a href="docs/webhooks">guide for webhooks</a>.</p>
<div class="table"><table><thead><tr><th>Event</th><th>Meaning</th></tr></thead><tbody>${events.map(
    ([name, { post }]) => html`<tr><td><code>${name}</code></td><td>${inline(post.summary)}</td></tr>`,
  )}</tbody></table></div>
<h4>Body</h4>${fieldTable({ $ref: '#/components/schemas/WebhookEvent' }, resolve)}</section>`;
}

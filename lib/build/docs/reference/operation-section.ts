/** Shows one operation: its samples, its parameters and request body, and its responses. */
import { type ErrorCode, errorStatus } from '../../../../shared/contract/errors.ts';
import type { Example } from '../../openapi/description.ts';
import type { OpenApiOperation } from '../../openapi/document.ts';
import { errorNotes } from '../../openapi/errors.ts';
import { prefer } from '../../openapi/headers.ts';
import type { JsonSchema } from '../../openapi/named-schemas.ts';
import type { OpenApiResponse } from '../../openapi/responses.ts';
import { codeBlock } from '../highlight.ts';
import { codeRow, type Html, heading, html, inline, prose, table } from '../html.ts';
import { languageBlocks } from '../language-blocks.ts';
import { jsonNotation, literal } from '../samples/literal.ts';
import { sampleRequest } from '../samples/sample-request.ts';
import { languages, type Sample } from '../samples/samples.ts';
import { linkTo } from '../site.ts';
import { fieldTable, kindOf, type Resolve } from './field-rows.ts';

export interface DocumentedOperation extends OpenApiOperation {
  readonly method: string;
  readonly path: string;
}

export function operationSection(
  operation: DocumentedOperation,
  samples: readonly Sample[],
  resolve: Resolve,
): Html {
  const { operationId, method, path, summary, description, requestBody, 'x-dry-run': dryRun } = operation;
  const parameters = [
    // What every operation takes is in the basics.
    ...(operation.parameters ?? []).filter(({ name }) => name !== prefer.name),
    ...(dryRun === undefined ? [] : [dryRun.parameter]),
  ];
  return html`<article>${heading(3, operationId, summary, `${method} ${path} ${operationId}`)}
<div class="route"><span class="method ${method}">${method}</span><code>${path}</code></div>
${prose(description)}
${limits(operation)}
${sampleBlocks(operation, samples)}
${tryIt(operation)}
${parameters.length > 0 && html`<h4>Parameters</h4>${parameterTable(operationId, parameters, resolve)}`}
${requestBody !== undefined && requestSection(operationId, requestBody.content, resolve)}
<h4>Response</h4>
${Object.entries(operation.responses)
  .filter(([status]) => status.startsWith('2'))
  .map(([status, response]) => responseSection(`${operationId}.response`, status, response, resolve))}
${dryRun !== undefined && responseSection(`${operationId}.dry_run_answer`, '200', dryRun.response, resolve)}
${errorsOf(operation)}
</article>`;
}

function sampleBlocks({ operationId, summary }: OpenApiOperation, samples: readonly Sample[]): Html {
  const blocks = samples.map(({ language, source }) => {
    const { title, grammar } = languages[language];
    return { language, title, content: codeBlock(source, grammar, `${summary}: ${title}`) };
  });
  return languageBlocks(blocks, html` data-sample="${operationId}"`);
}

/** The script of the page shows it, and makes its form when it is opened. */
function tryIt(operation: DocumentedOperation): Html {
  const { method, path, authorized, body } = sampleRequest(operation.method, operation.path, operation);
  const request = JSON.stringify({ method, path, authorized, body });
  return html`<details class="try" data-request="${request}" hidden><summary>Try it: ${operation.summary}</summary></details>`;
}

function limits({ security, 'x-rate-limits': { per_minute, per_hour, per_day } }: OpenApiOperation): Html {
  const [minute, hour, day] = [per_minute, per_hour, per_day].map((limit) =>
    Number(limit).toLocaleString('en'),
  );
  return html`<p class="quiet">${security.length === 0 ? 'Needs no access token. ' : ''}<a href="${linkTo('limits', 'rate-limits')}">Limits</a>: ${minute} a minute, ${hour} an hour, ${day} a day.</p>`;
}

function requestSection(
  operationId: string,
  content: NonNullable<OpenApiOperation['requestBody']>['content'],
  resolve: Resolve,
): Html {
  const [[mediaType, { schema, examples }] = ['', { schema: {}, examples: {} }]] = Object.entries(content);
  // The samples already show the first example.
  const others = Object.values(examples).slice(1);
  return html`<h4>Request body</h4><p class="quiet">${mediaType}</p>${fieldTable(schema, resolve, operationId, 'required')}
${others.map((example) => html`<details><summary>Example: ${inline(example.summary)}</summary>${json(example)}</details>`)}`;
}

function responseSection(id: string, status: string, response: OpenApiResponse, resolve: Resolve): Html {
  const { schema, examples = {} } = response.content?.['application/json'] ?? {};
  return html`<p><b>${status}</b> ${inline(response.description)}</p>
${schema !== undefined && fieldTable(schema, resolve, id)}
${Object.values(examples).map((example, index) => html`<details${index === 0 && html` open`}><summary>Example: ${inline(example.summary)}</summary>${json(example)}</details>`)}`;
}

function errorsOf({ operationId, responses }: DocumentedOperation): Html {
  const refusals = Object.entries(responses).filter(([status]) => !status.startsWith('2'));
  const examples = refusals.flatMap(([, response]) =>
    Object.entries(response.content?.['application/json']?.examples ?? {}),
  ) as [ErrorCode, Example][];
  return html`<details class="errors"><summary>Errors: ${examples.map(([code]) => code).join(', ')}</summary>${table(
    [{ title: 'Code' }, { title: 'Status', quiet: true }, { title: 'When' }],
    examples.map(([code]) => ({
      name: html`<a href="${linkTo('errors', code)}"><code>${code}</code></a>`,
      cells: [String(errorStatus[code]), inline(errorNotes[code])],
    })),
  )}${examples.filter(([code]) => ownExamples.has(code)).map(([code, example]) => html`<p class="quiet"><code>${code}</code></p>${json({ ...example, summary: `${operationId}: ${code}` })}`)}</details>`;
}

/** Errors whose bodies differ by operation; the others are on the page of errors. */
const ownExamples: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'rate_limit_exceeded']);

function json({ summary, value }: Example): Html {
  return codeBlock(literal(jsonNotation, value), 'json', `Example: ${summary}`);
}

function parameterTable(operationId: string, parameters: readonly JsonSchema[], resolve: Resolve): Html {
  return table(
    [{ title: 'Name' }, { title: 'Kind', quiet: true }, { title: 'Meaning' }],
    parameters.map(({ name, in: place, required, schema, description }) => {
      const kind = `${place}: ${kindOf(schema as JsonSchema, resolve)}`;
      const row = codeRow(`${operationId}.${name}`, name, kind, inline(String(description)));
      return { ...row, mark: required === true ? 'required' : undefined };
    }),
  );
}

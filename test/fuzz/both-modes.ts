/**
 * Compares live and test keys: each request that names something of the live data is made again with what its test data has
 * in that place, and both responses must have the same status, fields and faults (contract, section 17).
 */
import { gunzipSync } from 'node:zlib';
import type { ApiDocument } from '../support/http/api-document.ts';
import type { PassedRequest, PassedResponse } from './counting-front.ts';

/** What the contract says of test keys: live keys cannot read the outbox (17.5), and test data has secrets of its own (17.2). */
const documented = [
  /^403 (200|400) GET \/api\/v1\/test\/outbox/,
  /^(409 \d+|200 409) POST \/api\/v1\/account\/webhook-secret/,
];
/** An id, a cursor or a credential: nothing else is as long, of these characters, and different in both responses. */
const name = /[\w.~-]{16,}/g;
/**
 * Fields that depend on the time: of a connection that is used again, of an attempt that was answered in time, of a page, and
 * of how far a message or a batch is.
 */
const ofTiming = /\.(connect_ms|attempt_log\.\d+\.status|next_cursor|counts\.\w+|carrier|attempts)$/;
const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

interface BothModes {
  /** Takes what is in the same place of both values as names of the same thing. */
  pair(live: unknown, test: unknown): void;
  compare(
    request: PassedRequest,
    response: PassedResponse,
    send: (request: PassedRequest) => Promise<PassedResponse>,
  ): Promise<void>;
  /** How many requests were made with both. */
  compared(): number;
  differences(): readonly string[];
}

export function bothModes(document: ApiDocument): BothModes {
  const testNames = new Map<string, string>();
  const differences: string[] = [];
  let compared = 0;

  function pair(live: unknown, test: unknown): void {
    if (typeof live === 'string' && typeof test === 'string') {
      // The client has one id for both of its secrets: it and words of the gateway have no capital.
      const isName = live !== test && live.match(name)?.[0] === live && /[A-Z]/.test(live);
      if (isName && !testNames.has(live)) testNames.set(live, test);
    } else if (isObject(live) && isObject(test)) {
      for (const [field, value] of Object.entries(live)) pair(value, test[field]);
    }
  }

  function renamed(text: string): string {
    return text.replaceAll(name, (each) => testNames.get(each) ?? each);
  }

  function ofTest({ method, path, headers, body }: PassedRequest): PassedRequest {
    const renamedBody = Buffer.from(renamed(body.toString('latin1')), 'latin1');
    const others = headers.map((header, index) => {
      const isLength = index % 2 === 1 && headers[index - 1]?.toLowerCase() === 'content-length';
      return isLength ? String(renamedBody.length) : renamed(header);
    });
    return { method, path: renamed(path), headers: others, body: renamedBody };
  }

  return {
    pair,
    compared: () => compared,
    differences: () => differences,
    async compare(request, live, send) {
      const again = ofTest(request);
      if (JSON.stringify(again) === JSON.stringify(request)) return;
      compared += 1;
      const test = await send(again);
      const operation = `${request.method} ${request.path}`;
      const bodies = [bodyOf(live), bodyOf(test)] as const;
      pair(...bodies);
      // The first of its requests may have taken effect.
      if (live.isRepeated || test.isRepeated) return;
      if (documented.some((difference) => difference.test(`${live.status} ${test.status} ${operation}`)))
        return;
      const found =
        live.status === test.status
          ? [
              ...bodyDifferences(live.status, ...bodies, renamed),
              ...headerDifferences(live, test),
              ...schemaFaults(document, again, test),
            ]
          : [`status ${live.status} and ${test.status}`];
      if (found.length > 0)
        differences.push(
          `${operation} ${request.body}: ${found.join('; ')}\n  ${textOf(live)}\n  ${textOf(test)}`.slice(
            0,
            3000,
          ),
        );
    },
  };
}

/** A refusal says the same; a success has the same fields. */
function bodyDifferences(
  status: number,
  live: unknown,
  test: unknown,
  renamed: (text: string) => string,
): string[] {
  if (status < 400) return fieldDifferences(live, test, '');
  const said = (body: unknown) => {
    const { request_id, retry_after, ...rest } = body as Readonly<Record<string, unknown>>;
    return JSON.stringify(rest).replaceAll(time, 'TIME');
  };
  return renamed(said(live)) === said(test) ? [] : [`${said(live)} and ${said(test)}`];
}

/** The fields that only one has, at any depth. How far a message is may differ: what is null in one can be an object in the other. */
function fieldDifferences(live: unknown, test: unknown, path: string): string[] {
  if (!isObject(live) || !isObject(test)) return [];
  if (Array.isArray(live) !== Array.isArray(test)) return [`${path} is a list in one of them`];
  const names = new Set([...Object.keys(live), ...Object.keys(test)]);
  return [...names].flatMap((field) => {
    const at = `${path}.${field}`;
    if (field in live && field in test) return fieldDifferences(live[field], test[field], at);
    return Array.isArray(live) || field === 'mode' || ofTiming.test(at) ? [] : [`only one has ${at}`];
  });
}

/** A body is compressed where it is long, which the names in it decide. */
const ofCompression = ['content-encoding', 'vary'];

function headerDifferences(live: PassedResponse, test: PassedResponse): string[] {
  const [ofLive, ofTest] = [Object.keys(headersOf(live)), Object.keys(headersOf(test))];
  const onlyOne = [
    ...ofLive.filter((header) => !ofTest.includes(header)),
    ...ofTest.filter((header) => !ofLive.includes(header)),
  ];
  return onlyOne
    .filter((header) => !ofCompression.includes(header))
    .map((header) => `only one has the header ${header}`);
}

function schemaFaults(
  document: ApiDocument,
  { method, path }: PassedRequest,
  response: PassedResponse,
): string[] {
  const { status } = response;
  return document.faultsOf({ method, path, status, headers: headersOf(response), text: textOf(response) });
}

function headersOf({ headers }: PassedResponse): Record<string, string> {
  return Object.fromEntries(
    headers.flatMap((header, index) =>
      index % 2 === 0 ? [[header.toLowerCase(), headers[index + 1] ?? '']] : [],
    ),
  );
}

function textOf(response: PassedResponse): string {
  const isCompressed = headersOf(response)['content-encoding'] === 'gzip';
  return (isCompressed ? gunzipSync(response.body) : response.body).toString();
}

function bodyOf(response: PassedResponse): unknown {
  const text = textOf(response);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Talks to a gateway over HTTP alone, and holds each of its answers against its own document. */
import { setTimeout as pause } from 'node:timers/promises';
import type { OpenApiDocument } from '../../lib/build/openapi/document.ts';
import { type Answer, type ApiDocument, apiDocument } from '../support/http/api-document.ts';

export interface Target {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey?: string | undefined;
}

export interface Call {
  /** `token` where not given. */
  readonly as?: 'token' | 'nobody';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; text as it is. */
  readonly body?: unknown;
  /** Whether a 429 is what is wanted, and not to be waited out. */
  readonly limited?: boolean;
}

export interface Received extends Answer {
  /** The parsed body; undefined where it is not JSON. */
  readonly json: Readonly<Record<string, unknown>>;
}

export class Api {
  readonly target: Target;
  readonly document: ApiDocument;
  /** How many answers were held against the document. */
  answers = 0;
  private token: string | undefined;

  private constructor(target: Target, document: ApiDocument) {
    this.target = target;
    this.document = document;
  }

  static async at(target: Target): Promise<Api> {
    const response = await fetch(`${target.baseUrl}/openapi.json`, { signal: AbortSignal.timeout(30_000) });
    if (response.status !== 200) throw new Error(`GET /openapi.json answers ${response.status}`);
    return new Api(target, apiDocument((await response.json()) as OpenApiDocument));
  }

  /** @throws Error when the answer is not as the document says. */
  async call(method: string, path: string, call: Call = {}): Promise<Received> {
    const { as = 'token', headers = {}, body, limited = false } = call;
    const sent: RequestInit = {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(as === 'token' ? { Authorization: `Bearer ${await this.accessToken()}` } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    let response = await fetch(`${this.target.baseUrl}${path}`, sent);
    if (response.status === 429 && !limited) {
      // Someone else uses this client or this address too; the next minute has room.
      await pause(1000 * Number(response.headers.get('retry-after') ?? 60));
      response = await fetch(`${this.target.baseUrl}${path}`, sent);
    }
    const answer: Answer = {
      method,
      path,
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
    const faults = this.document.faultsOf(answer);
    this.answers += 1;
    if (faults.length > 0) throw new Error(`${method} ${path} ${answer.status}: ${faults.join('; ')}`);
    return { ...answer, json: jsonOf(answer) };
  }

  async accessToken(): Promise<string> {
    if (this.token !== undefined) return this.token;
    const { json } = await this.call('POST', '/api/v1/auth/token', {
      as: 'nobody',
      body: {
        client_id: this.target.clientId,
        client_secret: this.target.clientSecret,
        grant_type: 'client_credentials',
      },
    });
    if (typeof json.access_token !== 'string') throw new Error('the credentials give no access token');
    this.token = json.access_token;
    return this.token;
  }
}

function jsonOf({ headers, text }: Answer): Readonly<Record<string, unknown>> {
  return headers['content-type']?.startsWith('application/json') === true ? JSON.parse(text) : {};
}

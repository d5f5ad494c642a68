/** Calls a gateway over HTTP, and compares each response with the OpenAPI document that this gateway serves. */
import type { OpenApiDocument } from '../../lib/build/openapi/document.ts';
import { admitted } from '../support/http/admitted.ts';
import { type ApiDocument, apiDocument } from '../support/http/api-document.ts';
import { type CallResponse, type HttpCall, httpCall, timeLimitMs } from '../support/http/http-call.ts';

export interface Target {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey?: string | undefined;
}

export interface Call extends HttpCall {
  /** `token` where not given. */
  readonly as?: 'token' | 'nobody';
  /** Return a 429; without it the call waits and tries again. */
  readonly limited?: boolean;
}

const retryAfter = ({ headers }: { readonly headers: Headers }) => headers.get('retry-after');

export class Api {
  readonly target: Target;
  readonly document: ApiDocument;
  /** How many answers were compared with the document. */
  answers = 0;
  private token: string | undefined;

  private constructor(target: Target, document: ApiDocument) {
    this.target = target;
    this.document = document;
  }

  static async at(target: Target): Promise<Api> {
    const response = await admitted(
      () => fetch(`${target.baseUrl}/openapi.json`, { signal: AbortSignal.timeout(timeLimitMs) }),
      retryAfter,
    );
    if (response.status !== 200) throw new Error(`GET /openapi.json answers ${response.status}`);
    return new Api(target, apiDocument((await response.json()) as OpenApiDocument));
  }

  /** @throws Error when the response differs from the document */
  async call(method: string, path: string, call: Call = {}): Promise<CallResponse> {
    const { as = 'token', headers = {}, body, limited = false } = call;
    const authorization =
      as === 'token' ? { Authorization: `Bearer ${await this.accessToken()}` } : undefined;
    const { baseUrl } = this.target;
    const send = (): Promise<CallResponse> => {
      this.answers += 1;
      const sent = { body, headers: { ...authorization, ...headers } };
      return httpCall({ baseUrl, document: this.document }, method, path, sent);
    };
    return limited ? send() : admitted(send, retryAfter);
  }

  async accessToken(): Promise<string> {
    if (this.token !== undefined) return this.token;
    const { body } = await this.call('POST', '/api/v1/auth/token', {
      as: 'nobody',
      body: {
        client_id: this.target.clientId,
        client_secret: this.target.clientSecret,
        grant_type: 'client_credentials',
      },
    });
    if (typeof body.access_token !== 'string') throw new Error('the credentials give no access token');
    this.token = body.access_token;
    return this.token;
  }
}

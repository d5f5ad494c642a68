/** The gateway's API, a method for each operation: `gateway.sms.send({ to, message })`. */
import { ArgumentError } from './errors.ts';
import { Resources } from './generated/resources.ts';
import type { GatewayOptions, SendOptions } from './options.ts';
import type { Runtime } from './runtime.ts';
import { type CallGateway, connect } from './transport.ts';

export interface RawRequestOptions extends SendOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
  readonly body?: object | undefined;
}

export class MessagingGateway extends Resources {
  readonly #call: CallGateway;

  /**
   * Make one for the whole program: it holds the access token. It holds nothing that needs closing.
   *
   * @param runtime - for tests
   */
  constructor(options: GatewayOptions, runtime?: Runtime) {
    const call = connect(options, runtime);
    super(call);
    this.#call = call;
  }

  /**
   * Sends a request for which this version has no method, with the same token, time limits and retries. A POST without
   * an idempotency key is repeated only if the gateway refused it or was never reached.
   *
   * @param path - `/api/v1/…`
   */
  request<Answer extends object = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { query, body, ...options }: RawRequestOptions = {},
  ): Promise<Answer> {
    if (!path.startsWith('/')) throw new ArgumentError(`The path must begin with a slash: ${path}`);
    const isKeyed = options.idempotencyKey !== undefined;
    const repeat = method !== 'POST' ? 'always' : isKeyed ? 'with_key' : 'if_refused';
    return this.#call<Answer>({ method, path, query, body, repeat }, options);
  }
}

/** Replaces `@smithy/node-http-handler` in the simulated functions: requests to AWS go to the simulation. */

interface SdkRequest {
  readonly hostname: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface Limits {
  readonly requestTimeout?: number;
}

/** A parameter of the function around the code of a process. */
declare const simulatedAws: (
  request: SdkRequest,
  limitMs: number,
  signal: AbortSignal | undefined,
) => Promise<{ statusCode: number; headers: Record<string, string>; body: Uint8Array }>;

export class NodeHttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #limits: Limits;

  constructor(limits: Limits = {}) {
    this.#limits = limits;
  }

  static create(given: unknown): unknown {
    return typeof Object(given).handle === 'function' ? given : new NodeHttpHandler(given as Limits);
  }

  async handle(request: SdkRequest, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}) {
    const response = await simulatedAws(request, this.#limits.requestTimeout ?? 0, abortSignal);
    return { response };
  }

  destroy(): void {}

  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Limits {
    return this.#limits;
  }
}

/** Reads a body as the SDK does; here it is never a stream. */
export async function streamCollector(body: unknown): Promise<Uint8Array> {
  return body as Uint8Array;
}

export const NodeHttp2Handler = NodeHttpHandler;
export const DEFAULT_REQUEST_TIMEOUT = 0;

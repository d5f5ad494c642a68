/** The client in TypeScript, connected to a server that answers as it is told, with a clock and waits of its own. */
import { MessagingGateway } from '../../../clients/typescript/src/gateway.ts';
import type { GatewayOptions, Runtime } from '../../../clients/typescript/src/transport.ts';
import { type FaultServer, type Reply, startFaultServer } from './fault-server.ts';

/** A request with a longer one never times out in the tests. */
const timeoutMs = 30_000;

export interface StartedClient {
  readonly gateway: MessagingGateway;
  readonly server: FaultServer;
  /** How long it waited before each retry, in milliseconds. */
  readonly waits: number[];
  readonly clock: { milliseconds: number };
}

export async function startClient(
  replies: Parameters<typeof startFaultServer>[0] = [],
  options: Partial<GatewayOptions> & {
    readonly tokenReply?: (request: number) => Reply;
    /** When the server has read a request that it leaves without a response. */
    readonly onHang?: () => void;
  } = {},
): Promise<StartedClient> {
  const { tokenReply, onHang, ...more } = options;
  // Time ends for a request when the server has read it and leaves it without a response.
  let endTime = (): void => undefined;
  const server = await startFaultServer(replies, {
    ...(tokenReply === undefined ? {} : { tokenReply }),
    onHang: () => (onHang ?? endTime)(),
  });
  const waits: number[] = [];
  const clock = { milliseconds: 0 };
  const runtime: Runtime = {
    now: () => clock.milliseconds,
    random: () => 1,
    wait: async (milliseconds, signal) => {
      waits.push(milliseconds);
      signal?.throwIfAborted();
    },
    timeout: (milliseconds) => {
      const controller = new AbortController();
      if (milliseconds <= timeoutMs) endTime = () => controller.abort();
      return controller.signal;
    },
  };
  const credentials = { clientId: 'client_1', clientSecret: 'hidden-secret' };
  const gateway = new MessagingGateway({ baseUrl: server.baseUrl, ...credentials, ...more }, runtime);
  return { gateway, server, waits, clock };
}

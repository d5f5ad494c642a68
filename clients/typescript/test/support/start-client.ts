/** The client in TypeScript, connected to a server that answers as it is told, with a clock and waits of its own. */
import { MessagingGateway } from '../../src/gateway.ts';
import type { GatewayOptions } from '../../src/options.ts';
import type { Runtime } from '../../src/runtime.ts';
import { type FaultServer, type Reply, startFaultServer } from './fault-server.ts';

const startedAtMs = Date.parse('2026-11-20T10:00:00Z');

export interface StartedClient {
  readonly gateway: MessagingGateway;
  readonly server: FaultServer;
  /** How long it waited before each retry, in milliseconds. */
  readonly waits: number[];
  /** The time limits that it set, in milliseconds. */
  readonly limitsMs: readonly number[];
  readonly clock: { milliseconds: number };
  /** Ends every time limit that is set now. */
  readonly endTime: () => void;
  /** Ends the time limits of so many milliseconds only. */
  readonly endTimeOf: (milliseconds: number) => void;
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
  // Every time limit ends when the server has read a request and leaves it without a response.
  let limits: { readonly milliseconds: number; readonly controller: AbortController }[] = [];
  const endTime = (): void => {
    for (const { controller } of limits) controller.abort();
    limits = [];
  };
  const endTimeOf = (wanted: number): void => {
    for (const { milliseconds, controller } of limits) if (milliseconds === wanted) controller.abort();
  };
  const server = await startFaultServer(replies, {
    ...(tokenReply === undefined ? {} : { tokenReply }),
    onHang: () => (onHang ?? endTime)(),
  });
  const waits: number[] = [];
  const limitsMs: number[] = [];
  const clock = { milliseconds: 0 };
  const runtime: Runtime = {
    now: () => clock.milliseconds,
    wallClock: () => startedAtMs + clock.milliseconds,
    random: () => 1,
    wait: async (milliseconds, signal) => {
      waits.push(milliseconds);
      signal?.throwIfAborted();
    },
    timeout: (milliseconds) => {
      const controller = new AbortController();
      limitsMs.push(milliseconds);
      limits.push({ milliseconds, controller });
      return controller.signal;
    },
  };
  const credentials = { clientId: 'client_1', clientSecret: 'hidden-secret' };
  let gateway: MessagingGateway;
  try {
    gateway = new MessagingGateway({ baseUrl: server.baseUrl, ...credentials, ...more }, runtime);
  } catch (error) {
    await server.close();
    throw error;
  }
  return { gateway, server, waits, limitsMs, clock, endTime, endTimeOf };
}

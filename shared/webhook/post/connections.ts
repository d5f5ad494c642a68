/**
 * The connections of one poster: at most 128 to a host, above any batch, each kept for 4 s when idle, and of idle ones
 * so few that a POST to yet another receiver never waits for room.
 */
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { type ConnectTo, type DialTarget, dial } from './dial.ts';

interface Connections {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** Closes idle connections where too many are kept: Node's agents never close one host's for another's. */
  makeRoom(): void;
}

const maxTotal = 512;
/** With these and all that a worker has under way, an agent is far from its total. */
const maxIdle = 256;

type Created = (error: Error | null, stream: Duplex) => void;

/** What every request of ours names; an agent adds the rest. */
function targetOf({ host, port, lookup }: ClientRequestArgs): DialTarget {
  if (!host || lookup === undefined) throw new Error('a request names its host and its lookup');
  return { host, port: Number(port), lookup };
}

/** An agent waits for what its `createConnection` calls back with; a connection that failed has no stream. */
const failedWith = (created: Created | undefined) => (error: Error) => created?.(error, undefined as never);

export function connections(tls: SecureContextOptions = {}, connectTo?: ConnectTo): Connections {
  class DialingHttpAgent extends HttpAgent {
    override createConnection(options: ClientRequestArgs, created?: Created): undefined {
      dial(targetOf(options), connectTo).then((socket) => created?.(null, socket), failedWith(created));
    }
  }
  class DialingHttpsAgent extends HttpsAgent {
    override createConnection(options: ClientRequestArgs, created?: Created): undefined {
      const secure = (socket: Duplex) => super.createConnection({ ...options, socket } as ClientRequestArgs);
      dial(targetOf(options), connectTo)
        .then(secure)
        .then((socket) => created?.(null, socket as Duplex), failedWith(created));
    }
  }

  const pool = {
    keepAlive: true,
    maxSockets: 128,
    maxTotalSockets: maxTotal,
    maxFreeSockets: 4,
    // Below the 5 s after which common servers close, so that a POST rarely meets a connection that is going away.
    timeout: 4000,
  };
  const agents = { http: new DialingHttpAgent(pool), https: new DialingHttpsAgent({ ...pool, ...tls }) };
  return {
    ...agents,
    makeRoom() {
      for (const { freeSockets } of [agents.http, agents.https]) {
        // By host, in the order in which each last came to have an idle one.
        const idle = Object.values(freeSockets).flatMap((sockets = []) => sockets);
        for (const socket of idle.slice(0, Math.max(0, idle.length - maxIdle))) socket.destroy();
      }
    },
  };
}

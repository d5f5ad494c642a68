/**
 * The connection pool: at most 128 connections to a host, more than any batch needs, closed after 4 s idle. The number
 * of idle connections is limited, so that a POST to another endpoint never waits for a free one.
 */
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { type ConnectTo, type DialTarget, dial } from './dial.ts';

interface Connections {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** Closes idle connections if there are too many: Node's agents never close one host's for another's. */
  makeRoom(): void;
}

const maxTotal = 512;
/** With these and all that a worker uses at once, an agent stays far below its total. */
const maxIdle = 256;

type Created = (error: Error | null, stream: Duplex) => void;

function targetOf({ host, port, lookup }: ClientRequestArgs): DialTarget {
  if (!host || lookup === undefined) throw new Error('a request needs a host and a lookup');
  return { host, port: Number(port), lookup };
}

/** An agent waits for the callback of its `createConnection`; a failed connection has no stream. */
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
    // Less than the 5 s after which common servers close, so that a POST rarely uses a closing connection.
    timeout: 4000,
  };
  const agents = { http: new DialingHttpAgent(pool), https: new DialingHttpsAgent({ ...pool, ...tls }) };
  return {
    ...agents,
    makeRoom() {
      for (const { freeSockets } of [agents.http, agents.https]) {
        // The host that has had idle connections for longest comes first.
        const idle = Object.values(freeSockets).flatMap((sockets = []) => sockets);
        for (const socket of idle.slice(0, Math.max(0, idle.length - maxIdle))) socket.destroy();
      }
    },
  };
}

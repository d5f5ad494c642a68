/**
 * The connections of one poster: at most 128 to a host, above any batch, each kept for 4 s when idle, and of idle ones
 * so few that a POST to yet another receiver never waits for room.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { SecureContextOptions } from 'node:tls';

interface Connections {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** Closes idle connections where too many are kept: Node's agents never close one host's for another's. */
  makeRoom(): void;
}

const maxTotal = 512;
/** With these and all that a worker has under way, an agent is far from its total. */
const maxIdle = 256;

export function connections(tls: SecureContextOptions = {}): Connections {
  const pool = {
    keepAlive: true,
    maxSockets: 128,
    maxTotalSockets: maxTotal,
    maxFreeSockets: 4,
    // Below the 5 s after which common servers close, so that a POST rarely meets a connection that is going away.
    timeout: 4000,
  };
  const agents = { http: new HttpAgent(pool), https: new HttpsAgent({ ...pool, ...tls }) };
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

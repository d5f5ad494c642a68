/**
 * An agent that keeps a connection only for a time. Lambda freezes a process between invocations: no timer closes its idle
 * connections then, and the process learns that a server has closed one only after it has written the next request to it.
 * Whether that request was processed is then unknown. So the age is checked when a connection is taken, by the wall clock.
 */
import type { Agent, ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

/** The part of an agent that Node calls for each request, which its types leave out. */
interface TakesConnections {
  addRequest(request: ClientRequest, options: unknown): void;
}

/** Changes the agent and returns it. It never uses a connection that was idle for longer than `idleMaxMs`. */
export function keepingConnections<A extends Agent>(agent: A, idleMaxMs: number): A {
  const idleSince = new WeakMap<Duplex, number>();
  const keep = agent.keepSocketAlive.bind(agent);
  const { addRequest } = agent as unknown as TakesConnections;

  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex) {
      idleSince.set(socket, Date.now());
      return keep(socket);
    },
    addRequest(request: ClientRequest, options: unknown): void {
      const oldest = Date.now() - idleMaxMs;
      const idle = Object.values(agent.freeSockets).flatMap((sockets = []) => sockets);
      // Node skips those that are destroyed.
      for (const socket of idle) if ((idleSince.get(socket) ?? 0) < oldest) socket.destroy();
      addRequest.call(agent, request, options);
    },
  });
}

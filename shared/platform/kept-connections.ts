/**
 * An agent that keeps an idle connection only for a limited time. Lambda freezes a process between invocations, so no timer
 * closes its idle connections. If the server has closed a connection, the process notices this only after it has written the
 * next request. It is then unknown if that request was processed. So the agent checks the age when it takes a connection, by
 * the wall clock.
 */
import type { Agent, ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Changes the agent and returns it. It never uses a connection that was idle for longer than `idleMaxMs`, and keeps
 * at most `idleMax` connections over all hosts; Node's `maxFreeSockets` limits them for each host.
 */
export function keepingConnections<A extends Agent>(agent: A, idleMaxMs: number, idleMax = Infinity): A {
  const idleSince = new WeakMap<Duplex, number>();
  const keep = agent.keepSocketAlive.bind(agent);
  // Node calls `addRequest` for each request, but its types leave it out.
  const { addRequest } = agent as unknown as {
    addRequest(request: ClientRequest, options: unknown): void;
  };
  const idleConnections = () =>
    Object.values(agent.freeSockets)
      .flatMap((sockets = []) => sockets)
      .filter((socket) => !socket.destroyed);

  return Object.assign(agent, {
    keepSocketAlive(socket: Duplex) {
      const idle = idleConnections();
      // The host that has had idle connections for longest comes first.
      if (idle.length >= idleMax) idle[0]?.destroy();
      idleSince.set(socket, Date.now());
      return keep(socket);
    },
    addRequest(request: ClientRequest, options: unknown): void {
      const oldest = Date.now() - idleMaxMs;
      // Node skips destroyed connections.
      for (const socket of idleConnections()) if ((idleSince.get(socket) ?? 0) < oldest) socket.destroy();
      addRequest.call(agent, request, options);
    },
  });
}

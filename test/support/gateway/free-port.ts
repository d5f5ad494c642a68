/**
 * Returns a free TCP port of the loopback address, for a program that needs a port as input. It is none of those that systems
 * give to
 * connections and to servers that ask for any port: until the program listens, only another call of this could take it.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux gives out ports from 32768 on, other systems from 49152 on. */
const [lowest, highest] = [20_000, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

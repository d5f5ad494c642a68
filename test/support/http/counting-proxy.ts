/**
 * A proxy between a process and the emulator that records each AWS call, repeated ones included, and can end the process at
 * one of them.
 */
import { type IncomingMessage, request } from 'node:http';
import { startServer } from './local-server.ts';

export interface CountingProxy {
  readonly endpoint: string;
  /** Their operations, such as `UpdateItem`, in order. */
  readonly calls: string[];
  close(): Promise<void>;
}

/** The end of the process that makes a call: before the call takes effect, or after it and without its response. */
export interface Death {
  readonly when: 'before' | 'after';
  readonly kill: () => void;
}

/** @param deathAt - asked at each call, by its operation */
export async function startCountingProxy(
  target: string,
  deathAt: (operation: string) => Death | undefined = () => undefined,
): Promise<CountingProxy> {
  const calls: string[] = [];
  const { url, close } = await startServer((incoming, outgoing) => {
    const operation = operationOf(incoming);
    calls.push(operation);
    const death = deathAt(operation);
    if (death?.when === 'before') {
      death.kill();
      return;
    }
    const onward = request(
      new URL(incoming.url ?? '/', target),
      { method: incoming.method, headers: incoming.headers },
      (response) => {
        if (death !== undefined) {
          response.resume().on('end', death.kill);
          return;
        }
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  return { endpoint: url, calls, close };
}

/** `DynamoDB_20120810.UpdateItem` is `UpdateItem`; a call of another protocol is its method and path. */
function operationOf({ headers, method, url }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  return typeof target === 'string' ? (target.split('.')[1] ?? target) : `${method} ${url}`;
}

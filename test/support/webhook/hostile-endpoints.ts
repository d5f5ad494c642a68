/** Hostile endpoints. Run as a program, this file serves each on its own port and sends the ports to its parent. */
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { AttemptError } from '../../../shared/webhook/attempt-record.ts';

interface HostileWebhookEndpoint {
  readonly name: string;
  /** Called when a request starts to arrive. */
  readonly answer: (socket: Socket) => void;
  /** The expected result of the attempt. */
  readonly status?: number;
  readonly error?: AttemptError;
}

const ok = 'HTTP/1.1 200 OK\r\n';

const acts: [string, (socket: Socket) => void, { status?: number; error?: AttemptError | undefined }][] = [
  ['never answers', () => {}, { error: 'timeout' }],
  ['drips its status line', (socket) => drip(socket, 'HTTP/1.1 200 OK', 600), { error: 'timeout' }],
  [
    'drips its headers',
    (socket) => {
      socket.write(ok);
      drip(socket, 'X-Slow: '.padEnd(9999, 'a'), 50);
    },
    { error: 'timeout' },
  ],
  [
    'drips its body',
    (socket) => {
      socket.write(`${ok}Content-Length: 100000\r\n\r\n`);
      drip(socket, 'a'.repeat(9999), 50);
    },
    { status: 200 },
  ],
  [
    'sends an endless body',
    (socket) => {
      socket.write(`${ok}Transfer-Encoding: chunked\r\n\r\n`);
      flood(socket, Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 97), Buffer.from('\r\n')]));
    },
    { status: 200 },
  ],
  [
    'sends endless headers',
    (socket) => {
      socket.write(ok);
      flood(socket, Buffer.from(`X-A: ${'a'.repeat(1000)}\r\n`));
    },
    { error: 'not_200' },
  ],
  [
    'sends interim answers for ever',
    (socket) => flood(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')),
    { error: 'not_200' },
  ],
  [
    'sends a compressed bomb',
    (socket) => {
      const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
      socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    },
    { status: 200 },
  ],
  [
    'upgrades the connection',
    (socket) => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    { error: 'reset' },
  ],
  ['speaks something else', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), { error: 'not_200' }],
  ['resets before its response', (socket) => socket.resetAndDestroy(), { error: 'reset' }],
  ['closes before its response', (socket) => socket.end(), { error: 'reset' }],
  [
    'resets within its status line',
    (socket) => socket.write('HTTP/1.1 2', () => setTimeout(() => socket.resetAndDestroy(), 50)),
    { error: 'reset' },
  ],
  [
    'resets within its body',
    (socket) =>
      socket.write(`${ok}Content-Length: 100\r\n\r\nabc`, () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      ),
    { status: 200 },
  ],
];

export const hostileWebhookEndpoints: readonly HostileWebhookEndpoint[] = acts.map(
  ([name, answer, expected]) => ({
    name,
    answer,
    ...(expected as Pick<HostileWebhookEndpoint, 'status' | 'error'>),
  }),
);

function drip(socket: Socket, bytes: string, everyMs: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent >= bytes.length) sent = Math.max(0, bytes.length - 1);
    if (socket.destroyed) clearInterval(timer);
    else socket.write(bytes.charAt(sent++));
  }, everyMs);
}

function flood(socket: Socket, chunk: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk)) {}
  };
  socket.on('drain', more);
  more();
}

if (process.argv[1] === import.meta.filename && process.send !== undefined) {
  const ports = await Promise.all(
    hostileWebhookEndpoints.map(
      ({ name, answer }) =>
        new Promise<[string, number]>((resolve) => {
          const server = createServer((socket) => {
            socket.on('error', () => {}).once('data', () => answer(socket));
          });
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve([name, typeof address === 'object' && address !== null ? address.port : 0]);
          });
        }),
    ),
  );
  process.send(Object.fromEntries(ports));
}

/** Runs a function as Lambda does: Amazon's runtime client loads its bundle and asks our Runtime API for one event. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Invocation {
  /** The file of Amazon's client, and what Node is to load before it. */
  readonly client: { readonly file: string; readonly nodeOptions: readonly string[] };
  /** The folder that would be uploaded. */
  readonly taskRoot: string;
  readonly handler: string;
  readonly functionArn: string;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly event: unknown;
}

interface Invoked {
  /** What the handler returned, `error` what the client told of its loading or its call. */
  readonly response?: unknown;
  readonly error?: string;
  /** Both output streams. */
  readonly output: string;
}

export async function invoke(invocation: Invocation): Promise<Invoked> {
  let settle: (told: Omit<Invoked, 'output'>) => void = () => undefined;
  const settled = new Promise<Omit<Invoked, 'output'>>((resolve) => {
    settle = resolve;
  });
  const requestId = randomUUID();
  let given = false;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const path = (request.url ?? '').replace('/2018-06-01/runtime/', '');
    if (path === 'invocation/next') {
      // The second event never comes: Lambda freezes the function meanwhile.
      if (given) return;
      given = true;
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': requestId,
        'Lambda-Runtime-Deadline-Ms': String(Date.now() + invocation.timeoutSeconds * 1000),
        'Lambda-Runtime-Invoked-Function-Arn': invocation.functionArn,
        'Lambda-Runtime-Trace-Id':
          'Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=0',
      });
      response.end(JSON.stringify(invocation.event));
      return;
    }
    response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"status":"OK"}');
    if (path === `invocation/${requestId}/response`) {
      settle({ response: text === '' ? null : JSON.parse(text) });
    } else {
      settle({ error: `${path}: ${text}` });
    }
  }

  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const name = invocation.functionArn.split(':').at(-1) ?? '';
  const child = spawn(process.execPath, [...invocation.client.nodeOptions, invocation.client.file], {
    cwd: invocation.taskRoot,
    // Lambda developer guide, "Defined runtime environment variables".
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      LANG: 'en_US.UTF-8',
      TZ: ':UTC',
      ...invocation.environment,
      _HANDLER: invocation.handler,
      AWS_DEFAULT_REGION: invocation.environment.AWS_REGION ?? '',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
      AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/20/[$LATEST]abcdef',
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      LAMBDA_TASK_ROOT: invocation.taskRoot,
      LAMBDA_RUNTIME_DIR: '/var/runtime',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'exit').then(([code, signal]) => settle({ error: `ended: ${code ?? signal}` }));
  const late = setTimeout(
    () => settle({ error: `no response in ${invocation.timeoutSeconds} s` }),
    invocation.timeoutSeconds * 1000,
  );
  const told = await settled;
  clearTimeout(late);
  child.kill('SIGKILL');
  await ended;
  server.close().closeAllConnections();
  return { ...told, output };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** Follows the quick start with the commands of its page, as a reader does in two terminals. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ReceiverLanguage } from '../../../lib/build/docs/receivers.ts';
import { freePort } from '../gateway/free-port.ts';
import { eventually } from '../gateway/gateway.ts';
import type { TestClient } from '../http/client.ts';
import { shownCode } from './shown-code.ts';

interface Followed {
  /** What the last command printed: the status of the message. */
  readonly status: Readonly<Record<string, unknown>>;
  /** The lines of the webhook endpoint. */
  readonly lines: readonly string[];
}

/** @param client - with test keys */
export async function followQuickStart(client: TestClient, language: ReceiverLanguage): Promise<Followed> {
  const shown = await shownCode(client.baseUrl, 'start');
  const port = String(await freePort());
  const commands = (step: string): string => {
    const found = shown.find(
      (code) => code.step === step && (code.language === undefined || code.language === language),
    );
    if (found === undefined) throw new Error(`the quick start has no step ${step}`);
    return found.source
      .replaceAll('8080', port)
      .replaceAll('YOUR_TEST_API_KEY', client.apiKey)
      .replaceAll('YOUR_CLIENT_ID', client.clientId)
      .replaceAll('YOUR_CLIENT_SECRET', client.clientSecret)
      .replaceAll('YOUR_WEBHOOK_SECRET', client.webhookSecret);
  };
  const folder = await mkdtemp(join(tmpdir(), 'quick-start-'));
  // A process group of its own: `go run` starts the program as a process below it.
  const endpoint = spawn('bash', ['-eu', '-c', commands('receive')], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  endpoint.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  try {
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).catch(() => undefined);
      return answer?.status === 401 ? true : undefined;
    });
    const first = ['settings', 'send'].map(commands).join('\n');
    const bash = async (script: string): Promise<string> =>
      (await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], { cwd: folder })).stdout;
    const id = (await bash(`${first}\necho "$MESSAGE_ID"`)).trim().split('\n').at(-1) ?? '';
    const linesOf = (): string[] =>
      printed
        .trim()
        .split('\n')
        .filter((line) => line.includes(id));
    await eventually(async () => (linesOf().length >= 2 ? true : undefined));
    const status = await bash(
      `${commands('settings')}\nexport MESSAGE_ID='${id}'\n${commands('token')}\n${commands('follow')}`,
    );
    return { status: JSON.parse(status) as Record<string, unknown>, lines: linesOf() };
  } finally {
    if (endpoint.pid !== undefined) process.kill(-endpoint.pid);
    await rm(folder, { recursive: true });
  }
}

/** Follows the quick start with the commands of its page, as a reader does in two terminals. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../gateway/free-port.ts';
import { eventually } from '../gateway/gateway.ts';
import type { TestClient } from '../http/client.ts';
import { page } from './pages.ts';

interface Followed {
  /** The output of the last command: the status of the message. */
  readonly status: Readonly<Record<string, unknown>>;
  /** The lines of the webhook endpoint. */
  readonly lines: readonly string[];
}

/** How to run the program of step 3 in each language. */
const programs = {
  Node: { block: 'TypeScript', file: 'send.mts', command: [process.execPath] },
  Python: { block: 'Python', file: 'send.py', command: ['python3'] },
  Go: { block: 'Go', file: 'send.go', command: ['go', 'run'] },
} as const;

type QuickStartLanguage = keyof typeof programs;

const baseUrlOfGuide = 'https://gateway.example.com';

/** The code below the heading that begins with this text. @param title - of the block, if there are several */
function quickStartCode(step: string, title?: string): string {
  const [, section = ''] = page('docs/guides/quick-start.md').split(new RegExp(`^## ${step}.*$`, 'm'));
  const blocks = section.split(/^## /m)[0]?.matchAll(/^```\w+(?: (?<title>\w+))?\n(?<code>[\s\S]*?)\n```$/gm);
  const found = Array.from(blocks ?? []).find(({ groups }) => groups?.title === title)?.groups?.code;
  if (found === undefined) throw new Error(`step ${step} of the quick start has no code of ${title}`);
  return found;
}

/** @param client - with test keys */
export async function followQuickStart(client: TestClient, language: QuickStartLanguage): Promise<Followed> {
  const port = String(await freePort());
  const code = (step: string, title?: string): string =>
    quickStartCode(step, title)
      .replaceAll(baseUrlOfGuide, client.baseUrl)
      .replaceAll('8080', port)
      .replaceAll('YOUR_TEST_API_KEY', client.apiKey)
      .replaceAll('YOUR_CLIENT_ID', client.clientId)
      .replaceAll('YOUR_CLIENT_SECRET', client.clientSecret)
      .replaceAll('YOUR_WEBHOOK_SECRET', client.webhookSecret);
  const folder = await mkdtemp(join(tmpdir(), 'quick-start-'));
  // A process group of its own: `go run` starts the program as a process below it.
  const endpoint = spawn('bash', ['-eu', '-c', code('2', language)], {
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
    const bash = async (...scripts: string[]): Promise<string> =>
      (
        await promisify(execFile)(
          'bash',
          ['-eu', '-o', 'pipefail', '-c', [code('1'), ...scripts].join('\n')],
          {
            cwd: folder,
          },
        )
      ).stdout;
    const { block, file, command } = programs[language];
    await writeFile(join(folder, file), `${code('3', block)}\n`);
    const sent = [await bash(code('3', 'curl')), await bash([...command, file].join(' '))];
    const [id = '', ofProgram = ''] = sent.map((text) => /"message_id":"(\w+)"/.exec(text)?.[1]);
    const linesOf = (): string[] =>
      printed
        .trim()
        .split('\n')
        .filter((line) => line.includes(id) || line.includes(ofProgram));
    await eventually(async () => (linesOf().length >= 4 ? true : undefined));
    const status = await bash(code('6'), code('5').replace('YOUR_MESSAGE_ID', id));
    return { status: JSON.parse(status) as Record<string, unknown>, lines: linesOf() };
  } finally {
    if (endpoint.pid !== undefined) process.kill(-endpoint.pid);
    await rm(folder, { recursive: true });
  }
}

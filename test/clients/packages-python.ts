/** The wheel in an empty environment of each version of Python on this machine, and what type checkers say about it. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientQuickStart } from '../../lib/build/docs/client-quick-starts.ts';
import type { Steps } from './steps.ts';
import { at, programs, run } from './tools.ts';

const judges = ['mypy==2.4.1', 'twine==7.0.0', 'pyright==1.1.414'];
const versions = ['3.10', '3.11', '3.12', '3.13', '3.14'];

export async function pythonSteps(
  { step }: Pick<Steps, 'step'>,
  baseUrl: string,
  packed: (ending: string) => Promise<string>,
): Promise<void> {
  const inEnvironment = async (
    interpreter: string,
    packages: readonly string[],
    work: (python: string, folder: string) => Promise<void>,
  ): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'packed-python-'));
    try {
      await run(interpreter, ['-m', 'venv', 'venv'], at(folder));
      const python = join(folder, 'venv/bin/python');
      await run(python, ['-m', 'pip', 'install', '--quiet', await packed('.whl'), ...packages], at(folder));
      await work(python, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  const found = await interpreters();
  for (const { version, interpreter } of found)
    await step(`packed: Python ${version}`, () =>
      inEnvironment(interpreter, [], async (python, folder) => {
        const { stdout } = await run(python, [join(programs, 'packed_scenario.py'), baseUrl], at(folder));
        assert.match(stdout, /^OK$/m);
      }),
    );
  const newest = found.at(-1)?.interpreter ?? 'python3';
  await step('packed: twine, mypy and pyright find nothing', () =>
    inEnvironment(newest, judges, async (python, folder) => {
      // With the folder as its own project, pyright would not see the environment.
      const empty = join(folder, 'program');
      await mkdir(empty);
      const environment = { ...process.env, PATH: `${join(folder, 'venv/bin')}:${process.env.PATH}` };
      const tool = (name: string, ...args: string[]) =>
        run(join(folder, 'venv/bin', name), args, { ...at(empty), env: environment });
      await writeFile(join(empty, 'program.py'), typedProgram);
      const { file, program } = clientQuickStart('python');
      await writeFile(join(empty, file), program);
      const said = [
        await tool('twine', 'check', '--strict', await packed('.whl'), await packed('.tar.gz')),
        await tool('mypy', '--strict', 'program.py', file),
        await tool('pyright', '--pythonpath', python, 'program.py', file),
        await tool('pyright', '--verifytypes', 'messaging_gateway', '--ignoreexternal'),
      ];
      for (const { stdout } of said) console.log(stdout.trim().split('\n').slice(-8).join('\n'));
    }),
  );
}

/** Those on the path, and those of pyenv. */
async function interpreters(): Promise<{ version: string; interpreter: string }[]> {
  const pyenv = join(homedir(), '.pyenv/versions');
  const installed = await readdir(pyenv).catch(() => []);
  const candidates = versions.flatMap((version) => [
    { version, interpreter: `python${version}` },
    ...installed
      .filter((name) => name.startsWith(`${version}.`))
      .map((name) => ({ version, interpreter: join(pyenv, name, 'bin/python') })),
  ]);
  const working: { version: string; interpreter: string }[] = [];
  for (const one of candidates) {
    if (working.some(({ version }) => version === one.version)) continue;
    const starts = await run(one.interpreter, ['-c', 'import venv']).then(
      () => true,
      () => false,
    );
    if (starts) working.push(one);
  }
  return working;
}

const typedProgram = `
import asyncio

import httpx
from messaging_gateway import AsyncMessagingGateway, MessagingGateway, RequestReport, models, response_of, verify_webhook
from messaging_gateway.testing import fake_gateway


class Store:
    def get(self, key: str) -> str | None:
        return None

    def set(self, key: str, value: str, seconds: int) -> None:
        return None


def log(report: RequestReport) -> None:
    print(report.path)


def use(secret: str) -> list[models.Message]:
    with MessagingGateway(
        base_url="https://gateway.test", api_key="sk-1", token_store=Store(), on_request=log, http_client=httpx.Client()
    ) as gateway:
        sent = gateway.sms.send(to="+44", message="Hello", idempotency_key="a", max_retries=1, deadline_seconds=5)
        request_id: str | None = response_of(sent).request_id
        event = verify_webhook(b"{}", {"webhook-id": "a"}, secret)
        if isinstance(event, models.WebhookEvent):
            print(event.data.message_id, request_id)
        return gateway.messages.list(status="failed", max_items=5).to_list()


async def use_async() -> None:
    async with AsyncMessagingGateway(base_url="https://gateway.test", api_key="sk-1") as gateway:
        async for message in gateway.messages.list(max_items=5, headers={"X-Tenant": "a"}):
            print(message.message_id)
        page = await gateway.messages.list()
        print(await page.next_page())


print(fake_gateway().sent)
asyncio.run(use_async())
`;

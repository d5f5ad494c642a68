/** Prism as a stand-in for the gateway: what it answers to every example of a request is as the document says. */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { OpenApiDocument } from '../../lib/build/openapi/document.ts';
import { freePort } from '../support/gateway/free-port.ts';
import { apiDocument } from '../support/http/api-document.ts';

const startSeconds = 60;

/** @throws Error that names every response that is not as the document says */
export async function mockFaults(prism: string, file: string, text: string): Promise<void> {
  const port = await freePort();
  const server = spawn(prism, ['mock', '--port', String(port), file], { stdio: 'ignore' });
  try {
    const baseUrl = `http://127.0.0.1:${port}`;
    await answering(baseUrl);
    const faults = await askAll(baseUrl, JSON.parse(text) as OpenApiDocument);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  } finally {
    server.kill();
  }
}

async function answering(baseUrl: string): Promise<void> {
  for (let tries = 0; tries < startSeconds * 4; tries += 1) {
    if (await fetch(baseUrl).then(Boolean, () => false)) return;
    await pause(250);
  }
  throw new Error('Prism does not answer');
}

async function askAll(baseUrl: string, document: OpenApiDocument): Promise<string[]> {
  const { schemaFaults } = apiDocument(document);
  const faults: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries(methods)) {
      const values = Object.values(requestBody?.content['application/json']?.examples ?? {}).map(
        ({ value }) => value,
      );
      const names = Object.fromEntries(
        parameters.map(({ name, example }) => [String(name), String(example)]),
      );
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
      for (const body of values.length === 0 ? [undefined] : values) {
        const answer = await fetch(`${baseUrl}${address}`, {
          method: method.toUpperCase(),
          headers: { Authorization: 'Bearer sk-1', 'Content-Type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const schema = responses[String(answer.status)]?.content['application/json']?.schema;
        const name = String(schema?.$ref).split('/').at(-1) ?? '';
        const found = answer.ok ? schemaFaults(name, await answer.json()) : [await answer.text()];
        faults.push(...found.map((fault) => `${method} ${path} ${answer.status}: ${fault}`));
      }
    }
  }
  return faults;
}

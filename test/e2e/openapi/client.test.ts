import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { served } from '../../support/docs/served.ts';
import { gateway } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);

/** What someone writes who has the document and nothing else. */
const program = `
import { Api } from './client.js';

const api = new Api({
  baseUrl: process.env.BASE_URL ?? '',
  securityWorker: (token: string | null) => (token === null ? {} : { headers: { Authorization: \`Bearer \${token}\` } }),
  baseApiParams: { secure: true },
});
const token = await api.api.issueToken({
  client_id: process.env.CLIENT_ID ?? '',
  client_secret: process.env.CLIENT_SECRET ?? '',
  grant_type: 'client_credentials',
});
api.setSecurityData(token.data.access_token);
const sent = await api.api.sendSms({ to: '+447700900123', message: 'Hello' }, { headers: { 'Idempotency-Key': 'one' } });
const found = await api.api.getMessageStatus(sent.data.message_id);
if (!('message_id' in found.data)) throw new Error('no message');
console.log(JSON.stringify({ status: sent.status, recipient: found.data.recipient, segments: sent.data.segments }));
`;

it('a client generated from the document compiles and sends a message', async () => {
  // Inside the checkout, so that the compiler finds the types of Node.
  const folder = await mkdtemp(join(root, '.local', 'client-'));
  try {
    const { body } = await served(`${gateway().base_url}/openapi.json`);
    await writeFile(join(folder, 'openapi.json'), body);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'program.ts'), program);
    const generator = join(root, 'node_modules/swagger-typescript-api/dist/cli.mjs');
    await run(process.execPath, [generator, 'generate', '-p', 'openapi.json', '-o', '.', '-n', 'client.ts'], {
      cwd: folder,
    });
    // The generator asks the compiler to look away; here it must not.
    const client = join(folder, 'client.ts');
    await writeFile(client, (await readFile(client, 'utf8')).replace('// @ts-nocheck\n', ''));
    const options = [
      '--ignoreConfig',
      '--strict',
      '--target',
      'es2024',
      '--lib',
      'es2024,dom,dom.iterable',
      '--types',
      'node',
    ];
    const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext'];
    await run(join(root, 'node_modules/.bin/tsc'), [...options, ...modules, 'program.ts'], { cwd: folder });
    const { baseUrl, clientId, clientSecret } = await newClient({ name: 'Generated', limits: 'default' });
    const { stdout } = await run(process.execPath, [join(folder, 'program.js')], {
      env: { BASE_URL: baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret },
    });
    expect(JSON.parse(stdout)).toEqual({ status: 202, recipient: '+447700900123', segments: 1 });
  } finally {
    await rm(folder, { recursive: true });
  }
});

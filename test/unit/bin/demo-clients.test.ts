/** The demo clients in a data folder: their secrets are nowhere else, so a damaged file is never replaced. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { readDemoClients } from '../../../bin/demo-clients.ts';

const kept = {
  client_id: 'client_a',
  client_secret: 's',
  api_key: 'sk-a',
  webhook_secret: 'whsec_a',
  admin: { client_id: 'client_b', client_secret: 't' },
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'messaging-gateway-demo-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('are read; there may be none yet', async () => {
  expect(await readDemoClients(folder)).toBeUndefined();
  await writeFile(join(folder, 'demo-clients.json'), JSON.stringify(kept));
  expect(await readDemoClients(folder)).toEqual(kept);
});

it.each(['', JSON.stringify(kept).slice(0, 40), '{}', JSON.stringify({ ...kept, admin: {} })])(
  'a damaged file is named and stays as it is: %j',
  async (text) => {
    const file = join(folder, 'demo-clients.json');
    await writeFile(file, text);
    await expect(readDemoClients(folder)).rejects.toThrow(`${file} is damaged`);
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

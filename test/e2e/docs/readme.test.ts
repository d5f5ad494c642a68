import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { page, shellBlocks } from '../../support/docs/pages.ts';
import { gateway } from '../../support/gateway/gateway.ts';
import { newClient, withTestKey } from '../../support/http/client.ts';

describe('the README', () => {
  it('has curl calls that send and follow a message with a test key, as written', async () => {
    const block = shellBlocks(page('README.md')).find((one) => one.includes('/api/v1/sms/send')) ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'readme-'));
    try {
      mkdirSync(join(folder, '.local'));
      const { clientId, apiKey } = await withTestKey(await newClient({ name: 'README', limits: 'default' }));
      const connection = { base_url: gateway().base_url, test_api_key: apiKey };
      writeFileSync(join(folder, '.local', 'gateway.json'), JSON.stringify(connection));
      const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', block], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ client_id: clientId, mode: 'test' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

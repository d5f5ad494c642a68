import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { page, shellBlocks } from '../../support/docs/pages.ts';
import { gateway } from '../../support/gateway/gateway.ts';
import { newClient } from '../../support/http/client.ts';

describe('the README', () => {
  it('has three curl calls that work as written', async () => {
    const block = shellBlocks(page('README.md')).find((one) => one.includes('/api/v1/sms/send')) ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'readme-'));
    try {
      mkdirSync(join(folder, '.local'));
      const { clientId, clientSecret } = await newClient({ name: 'README', limits: 'default' });
      const connection = { base_url: gateway().base_url, client_id: clientId, client_secret: clientSecret };
      writeFileSync(join(folder, '.local', 'gateway.json'), JSON.stringify(connection));
      const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', block], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject({ client_id: clientId, recipient: '+447700900123' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

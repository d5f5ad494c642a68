/** Linters, a mock server and OAuth libraries agree with the API document. */
import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mockFaults } from './mock.ts';
import type { Steps } from './steps.ts';
import { at, document, made, npmFolder, npmTool, run } from './tools.ts';

export interface Credentials {
  readonly BASE_URL: string;
  readonly CLIENT_ID: string;
  readonly CLIENT_SECRET: string;
}

interface RedoclyResult {
  readonly problems: readonly { ruleId: string; message: string; ignored?: boolean }[];
  readonly totals: { readonly ignored: number };
}

/** @param text - of the document */
export async function documentSteps(
  { step }: Steps,
  { text, credentials }: { readonly text: string; readonly credentials: Credentials },
): Promise<void> {
  await step('Redocly, its recommended rules', async () => {
    // The one finding that is a decision is in this file, with its reason.
    await cp(join(import.meta.dirname, 'redocly-ignore.yaml'), join(npmFolder, '.redocly.lint-ignore.yaml'));
    const options = ['--format=json', '--max-problems=1000'];
    const { stdout } = await npmTool('redocly', 'lint', ...options, document).catch(
      (failure: { stdout: string }) => failure,
    );
    const { problems, totals } = JSON.parse(stdout) as RedoclyResult;
    const found = problems.filter(({ ignored }) => ignored !== true);
    if (found.length > 0)
      throw new Error(found.map(({ ruleId, message }) => `${ruleId}: ${message}`).join('\n'));
    // An entry that nothing needs any more is to be removed.
    assert.equal(totals.ignored, 1);
  });
  await step('Spectral, its rules for OpenAPI', async () => {
    await writeFile(join(made, 'spectral.yaml'), 'extends: spectral:oas\n');
    await npmTool('spectral', 'lint', '--fail-severity=hint', '-r', join(made, 'spectral.yaml'), document);
  });
  await step('Prism answers as the document says', () =>
    mockFaults(join(npmFolder, 'node_modules/.bin/prism'), document, text),
  );
  await step('openid-client and oauth4webapi find, request and verify tokens', async () => {
    await cp(join(import.meta.dirname, 'discover.mjs'), join(npmFolder, 'discover.mjs'));
    await run('node', ['discover.mjs'], { ...at(npmFolder), env: { ...process.env, ...credentials } });
  });
}

/** Redocly finds no fault in the API document, and clients that two generators make of it compile; one of them is used. */
import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gateway } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';
import { installTypescriptTools } from './generate-clients.ts';
import type { Steps } from './steps.ts';
import { at, compiles, document, made, npmFolder, npmTool, run, typescriptTool } from './tools.ts';

const codegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

interface RedoclyResult {
  readonly problems: readonly { ruleId: string; message: string; ignored?: boolean }[];
  readonly totals: { readonly ignored: number };
}

const typescriptProgram = `
import type { components, operations, paths } from './schema.js';

type Json<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;
type Sent = Json<paths['/api/v1/sms/send']['post']['responses'][202]>;
export const sms: Json<NonNullable<operations['sendSms']['requestBody']>> = { to: '+447700900123', message: 'Hello' };
export const idOf = (sent: Sent): string => sent.message_id;
export const status: components['schemas']['MessageStatus'] = 'delivered';
// @ts-expect-error: there is no such field
export const wrong = (sent: Sent): unknown => sent.id;
`;

export async function documentSteps({ step, stepWith }: Steps): Promise<void> {
  await step('Redocly, its recommended rules', async () => {
    // The one finding that is a decision is in this file, with its reason.
    await cp(join(import.meta.dirname, 'redocly-ignore.yaml'), join(npmFolder, '.redocly.lint-ignore.yaml'));
    // The document is that of a gateway on this machine.
    const options = ['--format=json', '--max-problems=1000', '--skip-rule=no-server-example.com'];
    const { stdout } = await npmTool('redocly', 'lint', ...options, document).catch(
      (failure: { stdout: string }) => failure,
    );
    const { problems, totals } = JSON.parse(stdout) as RedoclyResult;
    const found = problems.filter(({ ignored }) => ignored !== true);
    if (found.length > 0)
      throw new Error(found.map(({ ruleId, message }) => `${ruleId}: ${message}`).join('\n'));
    // An entry that is no longer needed must be removed.
    assert.equal(totals.ignored, 1);
  });
  await step('openapi-typescript: its types compile', async () => {
    await installTypescriptTools();
    await typescriptTool('openapi-typescript', document, '-o', join(made, 'schema.d.ts'));
    await writeFile(join(made, 'program.ts'), typescriptProgram);
    await compiles(join(made, 'program.ts'));
  });
  await stepWith(['go'], 'oapi-codegen: its client sends, looks up and reads errors', async () => {
    const module = join(made, 'oapi-codegen');
    await cp(join(import.meta.dirname, 'oapi-codegen'), module, { recursive: true });
    await mkdir(join(module, 'gateway'));
    await run('go', ['run', codegen, '-config', 'oapi-codegen.yaml', document], at(module));
    const { clientId, clientSecret } = await newClient({ name: 'oapi-codegen' });
    const credentials = { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
    const env = { ...process.env, BASE_URL: gateway().base_url, ...credentials };
    await run('go', ['run', '.'], { ...at(module), env });
  });
}

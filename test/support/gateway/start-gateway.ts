/** One emulator with the local stage deployed, for the whole run; tests get its addresses by environment variables. */
import { appendFileSync } from 'node:fs';
import type { LocalGateway } from '../../../lib/local/gateway.ts';
import { announceEngine } from '../engine/engine.ts';
import { synthesizeTables, type TableDefinition } from '../engine/synthesize-tables.ts';
import { runGateway } from './run-gateway.ts';

declare global {
  var gatewayUnderTest: LocalGateway | undefined;
}

export default async function startGateway(): Promise<void> {
  // Playwright takes most of a second to load.
  const browserUnpacked =
    process.env.TEST_PART === 'browser' ? (await import('../browser/browser.ts')).unpackBrowser() : undefined;
  const gateway = await runGateway();
  globalThis.gatewayUnderTest = gateway;
  announceEngine({
    endpoint: gateway.aws.endpoint,
    region: gateway.aws.region,
    credentials: { accessKeyId: gateway.aws.access_key_id, secretAccessKey: gateway.aws.secret_access_key },
  });
  const tables = synthesizeTables();
  process.env.TABLES_UNDER_TEST = JSON.stringify(tables);
  recordKeys(tables);
  await assertKeyIsPublished(gateway.baseUrl);
  await browserUnpacked;
}

/** Makes the first request of all: before any token is issued, the key that will sign them is published. */
async function assertKeyIsPublished(baseUrl: string): Promise<void> {
  const response = await fetch(`${baseUrl}/.well-known/jwks.json`);
  const { keys } = (await response.json()) as { readonly keys?: readonly unknown[] };
  if (keys?.length !== 1) throw new Error(`a fresh gateway published ${JSON.stringify(keys)} as its keys`);
}

/** By table and attribute, which kind of key it is: the length of a key depends on it. */
function recordKeys(definitions: readonly TableDefinition[]): void {
  const file = process.env.AWS_CALLS_FILE;
  if (file === undefined) return;
  const tables = definitions.map(({ name, input }) => {
    const indexes = input.GlobalSecondaryIndexes ?? [];
    const keys = [...(input.KeySchema ?? []), ...indexes.flatMap(({ KeySchema = [] }) => KeySchema)];
    // What is a key of both kinds must be short enough for a sort key.
    const kinds = ['HASH', 'RANGE'].flatMap((kind) =>
      keys.filter(({ KeyType }) => KeyType === kind).map(({ AttributeName }) => [AttributeName, kind]),
    );
    return [name.replaceAll('_', '-'), Object.fromEntries(kinds)];
  });
  appendFileSync(file, `${JSON.stringify({ tables: Object.fromEntries(tables) })}\n`);
}

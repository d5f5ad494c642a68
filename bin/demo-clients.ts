/** The demo clients of `npm start`, which a data folder keeps over a restart. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aimAtEmulator } from '../lib/local/aim-at-emulator.ts';
import type { LocalGateway } from '../lib/local/gateway.ts';
import { dynamoClientAdmin } from '../shared/client/client-admin.dynamo.ts';
import { createDemoClients, type DemoClients } from '../shared/client/demo-clients.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';

export async function demoClients(
  gateway: LocalGateway,
  dataFolder: string | undefined,
): Promise<DemoClients> {
  const file = dataFolder === undefined ? undefined : join(dataFolder, 'demo-clients.json');
  const kept = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined);
  aimAtEmulator(process.env, gateway.aws);
  const admin = dynamoClientAdmin(dynamo(), gateway.tables);
  const known = kept === undefined ? undefined : (JSON.parse(kept) as DemoClients);
  // A killed emulator may have lost its state: then the clients are only in the file.
  if (known !== undefined && (await admin.clients.find(known.client_id)) !== undefined) return known;

  const created = await createDemoClients(admin, new Date());
  if (file !== undefined && dataFolder !== undefined) {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    await writeFile(file, JSON.stringify(created), { mode: 0o600 });
  }
  return created;
}

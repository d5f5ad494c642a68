/** The demo clients of `npm start`; a data folder keeps them over a restart. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { aimAtEmulator } from '../lib/local/aim-at-emulator.ts';
import { writeWhole } from '../lib/local/data-folder.ts';
import type { LocalGateway } from '../lib/local/gateway.ts';
import { StartFailure } from '../lib/local/start-failure.ts';
import {
  createDemoClients,
  type DemoClients,
  dynamoClientAdmin,
} from '../shared/client/demo-clients.dynamo.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';

const demoClientsFile = z.object({
  client_id: z.string(),
  client_secret: z.string(),
  api_key: z.string(),
  test_api_key: z.optional(z.string()),
  webhook_secret: z.string(),
  admin: z.object({ client_id: z.string(), client_secret: z.string() }),
});

/** @throws StartFailure if the file is damaged: the secrets are stored nowhere else */
export async function readDemoClients(dataFolder: string | undefined): Promise<DemoClients | undefined> {
  if (dataFolder === undefined) return undefined;
  const file = fileIn(dataFolder);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return demoClientsFile.parse(JSON.parse(text));
  } catch (cause) {
    throw new StartFailure(
      `${file} is damaged. Nothing was changed. Restore it, or delete it to get new demo clients.`,
      { cause },
    );
  }
}

export async function demoClients(
  gateway: LocalGateway,
  kept: DemoClients | undefined,
  dataFolder: string | undefined,
): Promise<DemoClients> {
  aimAtEmulator(process.env, gateway.aws);
  const admin = dynamoClientAdmin(dynamo(), gateway.tables);
  // If the emulator of a first start was killed before it saved its state, the clients are only in the file.
  if (kept !== undefined && (await admin.clients.find(kept.client_id)) !== undefined) return kept;

  const created = await createDemoClients(admin, new Date());
  if (dataFolder !== undefined) await writeWhole(fileIn(dataFolder), JSON.stringify(created));
  return created;
}

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'demo-clients.json');
}

/** Finds the gateway that a command is for: the one on this machine, or a deployed stage. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { aimAtEmulator } from '../../lib/local/environment.ts';
import { resourcesOf, type StackResources } from '../../lib/outputs.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stageVariables } from '../../lib/stage-variables.ts';
import { stages } from '../../lib/stages.ts';
import type { AdminPorts } from '../../shared/admin/ports.ts';
import { stackOutputs } from '../../shared/admin/stack-outputs.cloudformation.ts';
import { adminPorts } from '../../shared/admin/wire.ts';
import { readEnvironment, webhookRuleNames } from '../../shared/env.ts';
import { addressRules, webhookUrlSchema } from '../../shared/webhook/webhook-url.ts';

export const localConnectionFile = join(import.meta.dirname, '..', '..', '.local', 'gateway.json');

/** The gateway is on this machine: one that answers later is stopped or stuck. */
const connectWithinMs = 3000;

interface ConnectionOptions {
  readonly stage?: string;
  readonly gateway: string;
}

/** Why no gateway can be reached: one line, with what to do. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';
}

/** @throws ConnectionFailure */
export async function connect(
  options: ConnectionOptions,
  environment: Record<string, string | undefined>,
): Promise<AdminPorts> {
  if (options.stage === undefined) {
    const resources = await localResources(options.gateway, environment);
    return portsOf(resources, stages.local);
  }
  const stage = knownStage(options.stage);
  return portsOf(await deployedResources(stage), stage);
}

const connectionSchema = z.object({
  aws: z.object({
    endpoint: z.string(),
    region: z.string(),
    access_key_id: z.string(),
    secret_access_key: z.string(),
  }),
  tables: z.record(z.string(), z.string()),
  queues: z.record(z.string(), z.string()),
});

/** Has every AWS client of this process talk to the emulator. */
async function localResources(
  file: string,
  environment: Record<string, string | undefined>,
): Promise<StackResources> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw noGateway();
  const parsed = connectionSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new ConnectionFailure(`${file} does not describe a gateway.`);
  const { aws, tables, queues } = parsed.data;
  // A gateway that was killed leaves its file behind.
  await fetch(aws.endpoint, { signal: AbortSignal.timeout(connectWithinMs) }).catch((cause: unknown) => {
    throw noGateway(cause);
  });
  aimAtEmulator(environment, aws);
  // The emulator gives its queues another name of this machine than its endpoint has, and the SDK warns of that.
  const { origin } = new URL(aws.endpoint);
  const ours = Object.entries(queues).map(([name, url]) => [name, `${origin}${new URL(url).pathname}`]);
  return { tables, queues: Object.fromEntries(ours) };
}

function noGateway(cause?: unknown): ConnectionFailure {
  const text = 'No gateway runs here: start one with npm start, or name a --stage.';
  return new ConnectionFailure(text, { cause });
}

function knownStage(name: string): StageSettings {
  const found = Object.values(stages).find((stage) => stage.name === name);
  if (found !== undefined) return found;
  throw new ConnectionFailure(`There is no stage ${name}; there are: ${Object.keys(stages).join(', ')}.`);
}

async function deployedResources(stage: StageSettings): Promise<StackResources> {
  try {
    return resourcesOf(await stackOutputs(stage.stackName));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConnectionFailure(`The stack ${stage.stackName} cannot be read: ${reason}`, { cause: error });
  }
}

function portsOf({ tables, queues }: StackResources, stage: StageSettings): AdminPorts {
  const named = (kind: string, names: Readonly<Record<string, string>>, name: string): string => {
    const value = names[name];
    if (value === undefined) {
      throw new ConnectionFailure(`The gateway has no ${kind} ${name}: deploy this version first.`);
    }
    return value;
  };
  const table = (name: string): string => named('table', tables, name);
  const rules = readEnvironment(webhookRuleNames, stageVariables(stage));
  return adminPorts({
    tables: {
      agenda: table('agenda'),
      clients: table('clients'),
      clientSecrets: table('client_secrets'),
      apiKeys: table('api_keys'),
      limitOverrides: table('limit_overrides'),
      activityLog: table('activity_log'),
      messages: table('messages'),
      webhookDeliveries: table('webhook_deliveries'),
      figures: table('figures'),
      simulatorOutbox: tables.simulator_outbox,
    },
    webhooksQueueUrl: named('queue', queues, 'webhooks'),
    slowWebhooksQueueUrl: named('queue', queues, 'slow_webhooks'),
    retentionDays: stage.retentionDays,
    webhookUrl: webhookUrlSchema(addressRules(rules)),
  });
}

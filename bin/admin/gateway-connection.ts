/** Connects to the gateway that a command administers: the one on this machine, or a deployed stage. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import {
  publishedSettings,
  resourcesOf,
  type StackResources,
  settingsOf,
  stageOutput,
} from '../../lib/constructs/stack-outputs.ts';
import { aimAtEmulator, emulatorConnection } from '../../lib/local/aim-at-emulator.ts';
import { stages } from '../../lib/stages/stages.ts';
import { type AdminContext, adminContext } from '../../shared/admin/admin-context.ts';
import { environmentOf } from '../../shared/platform/env.ts';
import { jsonIn } from '../../shared/platform/object-fields.ts';
import { deployedStacks } from '../deployed-stacks.ts';

export const localConnectionFile = join(import.meta.dirname, '..', '..', '.local', 'gateway.json');

/** A busy local gateway takes seconds to respond. If no gateway is running, the connection is refused immediately. */
const respondsWithinMs = 20_000;

interface ConnectionOptions {
  readonly stage?: string | undefined;
  readonly stackName?: string | undefined;
  readonly gateway: string;
}

/** Thrown if no gateway can be reached. Its message is one line: the reason, and what to do. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';
}

/** The gateway that a command administers, with the names of its resources. */
export interface ConnectedGateway extends StackResources {
  readonly stackName: string;
  /** The address of the API, without a slash at its end. */
  readonly baseUrl: string;
}

/** @throws ConnectionFailure */
export async function connect(
  options: ConnectionOptions,
  environment: Record<string, string | undefined>,
): Promise<{ readonly ctx: AdminContext; readonly gateway: ConnectedGateway }> {
  if (options.stage === undefined && options.stackName === undefined) {
    const { settings, ...resources } = await localGateway(options.gateway, environment);
    return {
      ctx: contextOf(resources, { ...settings, CARRIER_BASE_URLS: 'true' }),
      gateway: { ...resources, stackName: stages.local.stackName },
    };
  }
  const { name: stackName, outputs } = await deployedGateway(options);
  const resources = resourcesOf(outputs);
  return {
    // The settings come from the deploy's outputs, because `-c` can override those in the code.
    ctx: contextOf(resources, { ...settingsOf(outputs), CARRIER_BASE_URLS: 'false' }),
    gateway: { ...resources, stackName, baseUrl: (outputs.ApiUrl ?? '').replace(/\/$/, '') },
  };
}

const connectionSchema = z.object({
  base_url: z.string(),
  aws: emulatorConnection,
  tables: z.record(z.string(), z.string()),
  queues: z.record(z.string(), z.string()),
  secrets: z._default(z.record(z.string(), z.string()), {}),
  settings: z.optional(z.record(z.string(), z.string())),
});

/** Points every AWS client of this process to the emulator. */
async function localGateway(file: string, environment: Record<string, string | undefined>) {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw noGateway();
  // Hides the parser's own error, because it would quote the file.
  const parsed = connectionSchema.safeParse(jsonIn(text));
  if (!parsed.success) throw new ConnectionFailure(`${file} does not describe a gateway.`);
  const { base_url: baseUrl, aws, tables, queues, secrets, settings: given } = parsed.data;
  // A killed gateway leaves its file behind.
  const signal = AbortSignal.timeout(respondsWithinMs);
  await fetch(aws.endpoint, { signal }).catch((cause: unknown) => {
    throw signal.aborted ? noResponse(cause) : noGateway(cause);
  });
  aimAtEmulator(environment, aws);
  // Queue URLs of the emulator have another host name than its endpoint, and the SDK warns about that.
  const { origin } = new URL(aws.endpoint);
  const ours = Object.entries(queues).map(([name, url]) => [name, `${origin}${new URL(url).pathname}`]);
  const settings: Readonly<Record<string, string | undefined>> =
    given ?? settingsOf(publishedSettings(stages.local));
  return { baseUrl, tables, queues: Object.fromEntries(ours), secrets, settings };
}

function noGateway(cause?: unknown): ConnectionFailure {
  const text =
    'No gateway runs here: start one with npm start, or name a deployed one by --stage or --stack-name.';
  return new ConnectionFailure(text, { cause });
}

function noResponse(cause: unknown): ConnectionFailure {
  const text = `The gateway on this machine did not respond within ${respondsWithinMs / 1000} seconds.`;
  return new ConnectionFailure(text, { cause });
}

/** Finds the stack with this name, or else the only stack of the stage. `stage` may also be the name of a stack. */
async function deployedGateway({ stage, stackName }: ConnectionOptions) {
  const where = stackName === undefined ? 'The stacks of the account' : `The stack ${stackName}`;
  const stacks = await deployedStacks(stackName).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConnectionFailure(
      /region is missing|region=""/i.test(reason)
        ? 'No AWS region is set: name it in AWS_REGION, or in the profile that AWS_PROFILE names.'
        : `${where} cannot be read: ${reason}`,
      { cause },
    );
  });
  const gateways = stacks.filter(({ outputs }) => outputs[stageOutput] !== undefined);
  const byStack = gateways.filter(({ name }) => stackName === undefined && name === stage);
  const wanted =
    byStack.length > 0
      ? byStack
      : gateways.filter(({ outputs }) => stage === undefined || outputs[stageOutput] === stage);
  const [found] = wanted;
  if (found !== undefined && wanted.length === 1) return found;
  if (found !== undefined) {
    throw new ConnectionFailure(
      `Stage ${stage} has several gateways: ${namesOf(wanted)}. Name one with --stack-name.`,
    );
  }
  throw new ConnectionFailure(
    stackName === undefined
      ? `No gateway of stage ${stage}, or with a stack of this name, is deployed in this account and region; there are: ${namesOf(gateways) || 'none'}.`
      : `${where} is not a gateway of ${stage === undefined ? 'this version' : `stage ${stage}`}: deploy this version first, or name another.`,
  );
}

function namesOf(stacks: Awaited<ReturnType<typeof deployedStacks>>): string {
  return stacks.map(({ name, outputs }) => `${name} (${outputs[stageOutput]})`).join(', ');
}

function contextOf(
  { tables, queues, secrets }: StackResources,
  settings: Readonly<Record<string, string | undefined>>,
): AdminContext {
  const ctx = contextFrom({
    ...settings,
    ...variables(tables, 'TABLE'),
    ...variables(queues, 'QUEUE_URL'),
    CARRIER_SECRETS: JSON.stringify(secrets),
  });
  // Writes errors to standard error: a shell has no metrics, and its standard output contains only the response.
  const error = (text: string, fields: Readonly<Record<string, unknown>> = {}) =>
    void process.stderr.write(`${text}: ${fields.delivery_id}\n`);
  return { ...ctx, log: { ...ctx.log, error } };
}

/** Throws if the deployed gateway has another version, because its tables and settings may differ. */
function contextFrom(source: Readonly<Record<string, string | undefined>>): AdminContext {
  try {
    return adminContext(
      environmentOf<'admin-api'>(source),
      async () => (await import('#carriers-with-credentials')).carriersWithCredentials,
    );
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConnectionFailure(`Another version is deployed (${reason}): deploy this version first.`, {
      cause,
    });
  }
}

/** The variables of the resources: `CLIENT_SECRETS_TABLE` for `client_secrets`. */
function variables(
  resources: Readonly<Record<string, string>>,
  ending: string,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(resources).map(([name, value]) => [`${name.toUpperCase()}_${ending}`, value]),
  );
}

/** The local gateway: starts and stops the emulator, the deploy and the proxy. */
import { once } from 'node:events';
import { join } from 'node:path';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { pascalCase, resourcesOf, settingsOf } from '../constructs/stack-outputs.ts';
import type { EmulatorConnection } from './aim-at-emulator.ts';
import type { LocalCarriers } from './carriers-file.ts';
import { type Emulator, emulatorAccess, startEmulator } from './emulator.ts';
import { type Front, startFront } from './front.ts';
import { pythonWithPackages } from './python.ts';
import { StartFailure } from './start-failure.ts';

export type LocalGateway = ReturnType<typeof running>;

/**
 * Starts all parts. If one fails, stops the others.
 *
 * @throws StartFailure
 */
export async function startLocalGateway(options: {
  /** The port of the gateway; 0 means any free port. */
  readonly port: number;
  /** The number by which the delays between webhook retries are divided. */
  readonly timeScale: number;
  /** The carriers to use instead of simulated ones. */
  readonly carriers?: LocalCarriers | undefined;
  /** The folder of the Python environment. */
  readonly cacheFolder: string;
  /** The folder in which the logs are written. */
  readonly logFolder: string;
  readonly environment: Record<string, string | undefined>;
  /** A Python file that runs in the emulator's process before the start. */
  readonly preload?: Parameters<typeof startEmulator>[0]['preload'];
  readonly progress: (line: string) => void;
  /** Aborts the start, and stops the parts that have started. */
  readonly signal: AbortSignal;
}): Promise<LocalGateway> {
  // The proxy starts first, to report immediately if the port is already used.
  const front = await startFront(options.port);
  let emulator: Emulator | undefined;
  try {
    const python = await pythonWithPackages(options.cacheFolder, options.progress, options.signal);
    options.progress('Starting the AWS emulator');
    emulator = await startEmulator({
      python,
      logFile: join(options.logFolder, 'emulator.log'),
      searchPath: options.environment.PATH ?? '',
      preload: options.preload,
      signal: options.signal,
    });
    options.progress('Deploying the gateway');
    // This module is loaded only now, because loading the CDK takes seconds.
    const { deploy } = await import('./deploy.ts');
    const deployed = deploy({
      settings: {
        ...options.carriers?.settings,
        local: { ...options.carriers?.settings.local, webhookTimeScale: options.timeScale },
        publicUrl: `http://localhost:${front.port}`,
      },
      endpoint: emulator.endpoint,
      logFile: join(options.logFolder, 'deploy.log'),
      environment: options.environment,
    });
    const outputs = await Promise.race([deployed, aborted(options.signal)]);
    await putCarrierSecrets(emulator.endpoint, outputs, options.carriers?.secrets ?? {});
    front.open({ endpoint: emulator.endpoint, apiId: outputs.ApiId ?? '' });
    return running(front, emulator, outputs);
  } catch (error) {
    await front.close();
    await emulator?.stop();
    throw error;
  }
}

/** Stores the credentials in the secrets, as an operator does on AWS. No template contains them. */
async function putCarrierSecrets(
  endpoint: string,
  outputs: Readonly<Record<string, string>>,
  secrets: LocalCarriers['secrets'],
): Promise<void> {
  const { region, ...credentials } = emulatorAccess;
  const client = new SecretsManagerClient({ endpoint, region, credentials });
  for (const [name, SecretString] of Object.entries(secrets)) {
    const SecretId = outputs[`${pascalCase(name)}SecretArn`];
    if (SecretId === undefined)
      throw new StartFailure(
        `The carriers file has credentials of ${name}, but no channel names this carrier.`,
      );
    await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
  }
  client.destroy();
}

async function aborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  await once(signal, 'abort');
  throw signal.reason;
}

function running(front: Front, emulator: Emulator, outputs: Readonly<Record<string, string>>) {
  const aws: EmulatorConnection = {
    endpoint: emulator.endpoint,
    region: emulatorAccess.region,
    access_key_id: emulatorAccess.accessKeyId,
    secret_access_key: emulatorAccess.secretAccessKey,
  };
  return {
    baseUrl: `http://localhost:${front.port}`,
    aws,
    ...resourcesOf(outputs),
    /** The settings that the administrators' command line needs, by variable. */
    settings: settingsOf(outputs),
    /** The id of the emulator's process group. */
    emulatorPid: emulator.pid,
    /** Resolves after the emulator has ended, for any reason. */
    ended: emulator.ended,
    async stop(): Promise<void> {
      await front.close();
      await emulator.stop();
    },
  };
}

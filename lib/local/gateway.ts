/** The whole gateway on this machine: emulator, deploy, front; stopped as one. */
import { once } from 'node:events';
import { join } from 'node:path';
import { resourcesOf } from '../constructs/stack-outputs.ts';
import { stages } from '../stages/stages.ts';
import { type Emulator, emulatorAccess, type Preload, startEmulator } from './emulator.ts';
import type { EmulatorConnection } from './environment.ts';
import { type Front, startFront } from './front.ts';
import { pythonWithPackages } from './python.ts';

interface LocalGatewayOptions {
  /** 0 takes any port that is free. */
  readonly port: number;
  readonly dataFolder?: string | undefined;
  /** Webhook retry delays are this many times shorter. */
  readonly timeScale: number;
  /** Where the Python environment stands. */
  readonly cacheFolder: string;
  /** Where the logs of this run go. */
  readonly logFolder: string;
  readonly environment: Record<string, string | undefined>;
  /** Runs in the emulator's process before it starts. */
  readonly preload?: Preload | undefined;
  readonly progress: (line: string) => void;
  /** Gives the start up, and stops what was started. */
  readonly signal: AbortSignal;
}

export interface LocalGateway {
  readonly baseUrl: string;
  readonly aws: EmulatorConnection;
  /** By snake_case name: `limit_overrides`. */
  readonly tables: Readonly<Record<string, string>>;
  /** URLs, dead-letter queues included. */
  readonly queues: Readonly<Record<string, string>>;
  /** The emulator's process group. */
  readonly emulatorPid: number;
  /** Resolves when the emulator has ended, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts everything; what was started is stopped again when a later step fails.
 *
 * @throws StartFailure with one line for a person.
 */
export async function startLocalGateway(options: LocalGatewayOptions): Promise<LocalGateway> {
  // First, because a port that is taken is told at once.
  const front = await startFront(options.port);
  let emulator: Emulator | undefined;
  try {
    const python = await pythonWithPackages(options.cacheFolder, options.progress, options.signal);
    options.progress('Starting the AWS emulator');
    emulator = await startEmulator({
      python,
      logFile: join(options.logFolder, 'emulator.log'),
      dataFolder: options.dataFolder,
      searchPath: options.environment.PATH ?? '',
      preload: options.preload,
      signal: options.signal,
    });
    options.progress('Deploying the gateway');
    // The CDK takes seconds to load: not before it is known that the rest can start.
    const { deploy } = await import('./deploy.ts');
    const deployed = deploy({
      stage: { ...stages.local, webhookTimeScale: options.timeScale },
      endpoint: emulator.endpoint,
      logFile: join(options.logFolder, 'deploy.log'),
      environment: options.environment,
    });
    const outputs = await Promise.race([deployed, aborted(options.signal)]);
    front.open({ endpoint: emulator.endpoint, apiId: outputs.ApiId ?? '', apiStage: 'live' });
    return running(front, emulator, outputs);
  } catch (error) {
    await front.close();
    await emulator?.stop();
    throw error;
  }
}

async function aborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  await once(signal, 'abort');
  throw signal.reason;
}

function running(front: Front, emulator: Emulator, outputs: Readonly<Record<string, string>>): LocalGateway {
  return {
    baseUrl: `http://localhost:${front.port}`,
    aws: {
      endpoint: emulator.endpoint,
      region: emulatorAccess.region,
      access_key_id: emulatorAccess.accessKeyId,
      secret_access_key: emulatorAccess.secretAccessKey,
    },
    ...resourcesOf(outputs),
    emulatorPid: emulator.pid,
    ended: emulator.ended,
    async stop() {
      await front.close();
      await emulator.stop();
    },
  };
}

/** Bootstraps the emulator and deploys to it with the CDK, inside this process. */
import { createWriteStream } from 'node:fs';
import { BaseCredentials, BootstrapEnvironments, type IIoHost, Toolkit } from '@aws-cdk/toolkit-lib';
import { App } from 'aws-cdk-lib';
import { GatewayStack } from '../gateway-stack.ts';
import { emulatorAccess } from './emulator.ts';
import { StartFailure } from './start-failure.ts';

const account = '000000000000';

/**
 * Deploys the stage, and returns the stack's outputs.
 *
 * @throws StartFailure with the reason from CloudFormation
 */
export async function deploy(options: {
  /** The settings of the stage `local` that this deploy changes. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly endpoint: string;
  readonly logFile: string;
  /** The environment from which alone the CDK toolkit's clients read their endpoint. */
  readonly environment: Record<string, string | undefined>;
}): Promise<Readonly<Record<string, string>>> {
  const { settings, endpoint, logFile, environment } = options;
  environment.AWS_ENDPOINT_URL = endpoint;
  const log = createWriteStream(logFile);
  try {
    const toolkit = new Toolkit({
      ioHost: quietHost((line) => log.write(`${line}\n`)),
      color: false,
      emojis: false,
      sdkConfig: {
        baseCredentials: BaseCredentials.custom({
          provider: async () => emulatorAccess,
          region: emulatorAccess.region,
        }),
      },
    });
    const source = await toolkit.fromAssemblyBuilder(
      async ({ outdir, context }) => {
        const app = new App({
          outdir,
          context: context ?? {},
          // cdk-nag is left out, because it would add 4 s to each start. `cdk deploy` and the tests run it.
          builtinCloudFormationValidation: false,
        });
        new GatewayStack(app, { stage: 'local', ...settings });
        return app.synth();
      },
      { clobberEnv: false, resolveDefaultEnvironment: false },
    );
    await toolkit.bootstrap(BootstrapEnvironments.fromList([`aws://${account}/${emulatorAccess.region}`]));
    const { stacks } = await toolkit.deploy(source, {
      deploymentMethod: { method: 'direct' },
      stackEventPollingInterval: 250,
    });
    return stacks[0]?.outputs ?? {};
  } catch (error) {
    throw new StartFailure(`The deploy failed: ${reasonOf(error)} (see ${logFile})`, { cause: error });
  } finally {
    log.end();
  }
}

/** Writes the toolkit's messages to the log, and accepts default answers. */
function quietHost(write: (line: string) => void): IIoHost {
  return {
    async notify(message) {
      if (message.level !== 'trace')
        write(`${message.time.toISOString()} ${message.level} ${message.message}`);
    },
    async requestResponse(request) {
      write(`${request.message}: ${String(request.defaultResponse)}`);
      return request.defaultResponse;
    },
  };
}

/** Returns the first line of the root cause, which the toolkit wraps in other errors. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : (error.message.split('\n')[0] ?? '');
}

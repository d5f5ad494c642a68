/** One run against a stage: finds it, measures every promise, and takes back what the run made. */
import { connect } from '../admin/connection.ts';
import { acceptsTls, callerOf, startReceiver } from './http-caller.ts';
import type { Result } from './promise.ts';
import { measureAll, textOf } from './run-promises.ts';
import { stageOnAws } from './stage-on-aws.ts';
import { visitorsOf } from './visitors.ts';

export interface Run {
  readonly stage: string;
  readonly stackName?: string | undefined;
  readonly gateway: string;
  readonly webhookUrl?: string | undefined;
  readonly listen?: number | undefined;
  readonly environment: Record<string, string | undefined>;
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly print: ((text: string) => void) | undefined;
  readonly printJson: ((document: unknown) => void) | undefined;
}

export interface Verified {
  readonly results: readonly Result[];
  readonly failed: number;
  /** What could not be taken back. */
  readonly left: readonly string[];
}

/** `npm start` runs this stage; every other one is on AWS. */
const localStage = 'local';

/** @throws ConnectionFailure where there is no such stage */
export async function verify(run: Run): Promise<Verified> {
  const isLocal = run.stage === localStage && run.stackName === undefined;
  const { dependencies, gateway } = await connect(
    isLocal ? { gateway: run.gateway } : { stage: run.stage, stackName: run.stackName, gateway: run.gateway },
    run.environment,
  );
  const { baseUrl, stackName, tables } = gateway;
  const call = callerOf(baseUrl);
  const visitors = visitorsOf(dependencies, call);
  const receiver = await receiverOf(run, isLocal);
  run.print?.(`Verifying ${stackName} at ${baseUrl}`);
  try {
    const results = await measureAll(
      {
        baseUrl,
        isLocal,
        call,
        acceptsTls: (version) => acceptsTls(baseUrl, version),
        newVisitor: visitors.of,
        receiver,
        aws: await stageOnAws(stackName, tables),
        now: () => new Date(),
        pause: run.pause,
      },
      (result) => run.print?.(textOf(result)),
    );
    return ended(run, results, await visitors.leave());
  } catch (error) {
    await visitors.leave();
    throw error;
  } finally {
    receiver?.close();
  }
}

async function receiverOf({ webhookUrl, listen }: Run, isLocal: boolean) {
  if (webhookUrl === undefined) return isLocal ? startReceiver(0) : undefined;
  return startReceiver(listen ?? 0, webhookUrl);
}

function ended(run: Run, results: readonly Result[], left: readonly string[]): Verified {
  const count = (kind: Result['result']): number => results.filter(({ result }) => result === kind).length;
  const failed = count('fail');
  for (const what of left) run.print?.(`✗ still there: ${what}`);
  run.print?.(`${count('pass')} hold, ${failed} do not, ${count('not applicable')} do not apply here`);
  run.printJson?.({ results, left });
  return { results, failed, left };
}

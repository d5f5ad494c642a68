/** One run against a stage: finds it, measures every promise, and takes back what the run made. */
import { connect } from '../admin/connection.ts';
import { awsPromises } from './aws-promises.ts';
import { acceptsTls, callerOf, startReceiver } from './http-caller.ts';
import { messagePromises } from './message-promises.ts';
import { type Result, resultOf, type StagePromise } from './promise.ts';
import { responsePromises } from './response-promises.ts';
import { stageOnAws } from './stage-on-aws.ts';
import type { VerifiedStage } from './verified-stage.ts';
import { type Cleaned, type Visitors, visitorsOf } from './visitors.ts';
import { webhookPromises } from './webhook-promises.ts';

export interface Run {
  readonly stage: string;
  readonly stackName?: string | undefined;
  readonly gateway: string;
  readonly webhookUrl?: string | undefined;
  readonly listen?: number | undefined;
  readonly environment: Record<string, string | undefined>;
  /** Ends early, with an `AbortError`, when the signal is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the run is interrupted: nothing is measured any more, and what the run made is taken back. */
  readonly signal: AbortSignal;
  readonly print: ((text: string) => void) | undefined;
  readonly printJson: ((document: unknown) => void) | undefined;
}

/** `npm start` runs this stage; every other one is on AWS. */
const localStage = 'local';

/** A run that began longer ago has ended, or was killed: a run takes 40 minutes at most. */
const endedAfterMs = 3_600_000;

/** @throws ConnectionFailure where there is no such stage */
export async function verify(run: Run) {
  const isLocal = run.stage === localStage && run.stackName === undefined;
  const { dependencies, gateway } = await connect(
    isLocal ? { gateway: run.gateway } : { stage: run.stage, stackName: run.stackName, gateway: run.gateway },
    run.environment,
  );
  const { baseUrl, stackName, tables } = gateway;
  const call = callerOf(baseUrl);
  const visitors = visitorsOf(dependencies, call);
  const receiver =
    run.webhookUrl === undefined && !isLocal
      ? undefined
      : await startReceiver(run.webhookUrl === undefined ? 0 : (run.listen ?? 0), run.webhookUrl);
  run.print?.(`Verifying ${stackName} at ${baseUrl}`);
  try {
    const aws = await stageOnAws(stackName, tables, run.signal);
    const tls: VerifiedStage['acceptsTls'] = (version) => acceptsTls(baseUrl, version);
    const stage = { baseUrl, isLocal, call, acceptsTls: tls, receiver, aws, now: () => new Date() };
    return await verifyStage(run, stage, visitors, aws.removeEarlier);
  } finally {
    receiver?.close();
  }
}

/** @param removeEarlier - removes what earlier runs left on AWS, and returns its names */
export async function verifyStage(
  run: Pick<Run, 'pause' | 'signal' | 'print' | 'printJson'>,
  stage: Omit<VerifiedStage, 'newVisitor' | 'pause'>,
  visitors: Visitors,
  removeEarlier: (before: Date) => Promise<readonly string[]>,
) {
  const { signal } = run;
  const before = new Date(stage.now().getTime() - endedAfterMs);
  const earlier = [
    await visitors.leaveEarlier(before).catch(notCleaned),
    await removeEarlier(before).then((cleaned) => ({ cleaned, left: [] }), notCleaned),
  ];
  const cleaned = earlier.flatMap((each) => each.cleaned);
  if (cleaned.length > 0) run.print?.(`Cleaned up after a run that did not end: ${cleaned.join(', ')}`);
  const measured = { ...stage, newVisitor: visitors.of, pause: (ms: number) => run.pause(ms, signal) };
  try {
    const report = (result: Result): void => run.print?.(textOf(result));
    const results = signal.aborted ? [] : await measureAll(measured, report);
    const left = [...earlier.flatMap((each) => each.left), ...(await visitors.leave())];
    return ended(run, results, { cleaned, left });
  } catch (error) {
    await visitors.leave();
    throw error;
  }
}

const notCleaned = (error: unknown): Cleaned => ({
  cleaned: [],
  left: [`what earlier runs left: ${String(error)}`],
});

function ended(
  run: Pick<Run, 'signal' | 'print' | 'printJson'>,
  results: readonly Result[],
  { cleaned, left }: Cleaned,
) {
  const count = (kind: Result['result']): number => results.filter(({ result }) => result === kind).length;
  const failed = count('fail');
  const interrupted = run.signal.aborted;
  for (const what of left) run.print?.(`✗ still there: ${what}`);
  run.print?.(
    `${interrupted ? 'Interrupted: ' : ''}${count('pass')} hold, ${failed} do not, ${count('not applicable')} do not apply here`,
  );
  run.printJson?.({ results, left, cleaned, interrupted });
  return { results, failed, left };
}

/** In the order of their numbers: a new one is added at the end of its list, and the numbers after it change. */
export const promises: readonly StagePromise[] = [
  ...responsePromises,
  ...messagePromises,
  ...webhookPromises,
  ...awsPromises,
];

/** @param report - receives each result as soon as it is there */
export async function measureAll(stage: VerifiedStage, report: (result: Result) => void): Promise<Result[]> {
  const results = await Promise.all(
    promises.map(async (promise, index) => {
      const result = await resultOf(index + 1, promise, stage);
      if (result !== undefined) report(result);
      return result;
    }),
  );
  return results.filter((result) => result !== undefined);
}

const marks = { pass: '✓', fail: '✗', 'not applicable': '–' } as const;

/** Measures every promise, all at the same time, and writes the report. */
export function textOf({ number, title, threshold, result, measured, what_to_do }: Result): string {
  return [
    `${marks[result]} ${String(number).padStart(2)} ${title}`,
    `       promised: ${threshold}`,
    `       ${result === 'not applicable' ? 'not applicable' : 'measured'}: ${measured}`,
    ...(what_to_do === null ? [] : [`       what to do: ${what_to_do}`]),
  ].join('\n');
}

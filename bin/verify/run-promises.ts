/** Measures every promise, all at the same time, and writes the report. */
import { awsPromises } from './aws-promises.ts';
import { messagePromises } from './message-promises.ts';
import { type Result, resultOf, type StagePromise } from './promise.ts';
import { responsePromises } from './response-promises.ts';
import type { VerifiedStage } from './verified-stage.ts';
import { webhookPromises } from './webhook-promises.ts';

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

export function textOf({ number, title, threshold, result, measured, what_to_do }: Result): string {
  return [
    `${marks[result]} ${String(number).padStart(2)} ${title}`,
    `       promised: ${threshold}`,
    `       ${result === 'not applicable' ? 'not applicable' : 'measured'}: ${measured}`,
    ...(what_to_do === null ? [] : [`       what to do: ${what_to_do}`]),
  ].join('\n');
}

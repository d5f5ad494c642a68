/** A promise that only a deployed stage can show: how it is measured, and what to do where it does not hold. */
import type { VerifiedStage } from './verified-stage.ts';

export type Outcome =
  | { readonly measured: string; readonly holds: boolean }
  /** Why this stage cannot show it. */
  | { readonly notApplicable: string };

export interface StagePromise {
  readonly title: string;
  readonly threshold: string;
  /** What to do where it does not hold. */
  readonly remedy: string;
  readonly measure: (stage: VerifiedStage) => Promise<Outcome>;
}

export interface Result {
  /** The number of the promise, the same in every run. */
  readonly number: number;
  readonly title: string;
  readonly threshold: string;
  readonly result: 'pass' | 'fail' | 'not applicable';
  /** What was measured, or why nothing was. */
  readonly measured: string;
  /** Null where it holds or does not apply. */
  readonly what_to_do: string | null;
}

/** What a pause or a call of AWS throws when it ends early. */
const isInterruption = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';

/**
 * Measures a promise. An error is a promise that could not be shown, so it fails.
 *
 * @returns undefined where the run was interrupted before it was measured
 */
export async function resultOf(
  number: number,
  promise: StagePromise,
  stage: VerifiedStage,
): Promise<Result | undefined> {
  const { title, threshold, remedy } = promise;
  const head = { number, title, threshold };
  const outcome = await promise.measure(stage).catch((error: unknown) => {
    if (isInterruption(error)) return undefined;
    return { measured: error instanceof Error ? error.message : String(error), holds: false };
  });
  if (outcome === undefined) return undefined;
  if ('notApplicable' in outcome)
    return { ...head, result: 'not applicable', measured: outcome.notApplicable, what_to_do: null };
  const { measured, holds } = outcome;
  return { ...head, result: holds ? 'pass' : 'fail', measured, what_to_do: holds ? null : remedy };
}

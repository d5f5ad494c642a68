/** Makes a run with a violation as short as it can: fewer steps, fewer faults, everything at its least duration. */
import type { Fault } from './faults.ts';
import { keyOf } from './faults.ts';
import type { Plan } from './plan.ts';
import type { Code, Run } from './run.ts';
import { run } from './run.ts';

interface Candidate {
  readonly plan: Plan;
  /** Undefined: what the seed decides. */
  readonly faults: readonly string[] | undefined;
  readonly calm: boolean;
}

/** The shortest run found in the time, with a violation of the same invariant. */
export async function shrunk(code: Code, failed: Run, limitMs: number): Promise<Run> {
  const wanted = failed.violations[0]?.invariant;
  const endsAtMs = Date.now() + limitMs;
  let best: Candidate = { plan: failed.plan, faults: undefined, calm: false };
  let shortest = failed;

  /** Whether the run still has the violation; then it is the best so far. */
  async function fails(candidate: Candidate): Promise<boolean> {
    if (Date.now() > endsAtMs) return false;
    const { plan, faults, calm } = candidate;
    try {
      const again = await run(code, plan, { calm, faults: faults && new Set(faults) });
      if (!again.violations.some(({ invariant }) => invariant === wanted)) return false;
      best = candidate;
      shortest = again;
      return true;
    } catch {
      return false;
    }
  }

  /** Leaves out ever smaller parts of the list. */
  async function leaveOut<Part>(
    partsOf: (candidate: Candidate) => readonly Part[],
    having: (candidate: Candidate, parts: readonly Part[]) => Candidate,
  ): Promise<void> {
    for (let size = partsOf(best).length; size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; from < partsOf(best).length; ) {
        const parts = partsOf(best);
        const fewer = parts.filter((_, i) => i < from || i >= from + size);
        if (fewer.length === parts.length || !(await fails(having(best, fewer)))) from += size;
      }
    }
  }

  const steps = () =>
    leaveOut(
      ({ plan }) => plan.steps,
      (candidate, kept) => ({ ...candidate, plan: { ...candidate.plan, steps: kept } }),
    );
  const withoutOutages = { ...failed.plan, outages: [] };
  const needsNoFault = await fails({ ...best, plan: withoutOutages, faults: [] });
  if (!needsNoFault) await fails({ ...best, plan: withoutOutages });
  await fails({ ...best, calm: true });
  await steps();
  best = { ...best, faults: shortest.stage.faults.happened.map((fault: Fault) => keyOf(fault)) };
  await leaveOut(
    ({ faults = [] }) => faults,
    (candidate, kept) => ({ ...candidate, faults: kept }),
  );
  await steps();
  await fails({ ...best, plan: { ...best.plan, skewMaxMs: 0 } });
  return shortest;
}

/** Makes a run with a violation as short as it can: fewer steps, fewer faults, everything at its least duration. */
import type { Fault } from './faults.ts';
import { keyOf } from './faults.ts';
import type { Plan } from './plan.ts';
import type { Code, Run } from './run.ts';
import { run } from './run.ts';
import { faultsOf, stepsOf } from './trace.ts';

interface Candidate {
  readonly plan: Plan;
  /** Undefined: what the seed decides. */
  readonly faults: readonly string[] | undefined;
  readonly calm: boolean;
}

interface Bounds {
  readonly runs: number;
  readonly ms: number;
}

/** The shortest run found within the bounds, with a violation of the same invariant. */
export async function shrunk(code: Code, failed: Run, bounds: Bounds): Promise<Run> {
  const wanted = failed.violations[0]?.invariant;
  const endsAtMs = Date.now() + bounds.ms;
  let runs = 0;
  let best: Candidate = { plan: failed.plan, faults: undefined, calm: false };
  let shortest = failed;

  /** Returns true if the run still shows the violation. It is then the best so far. */
  async function fails(candidate: Candidate): Promise<boolean> {
    if (runs >= bounds.runs || Date.now() > endsAtMs) return false;
    runs += 1;
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
    for (let size = Math.ceil(partsOf(best).length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; from < partsOf(best).length; ) {
        const parts = partsOf(best);
        const fewer = parts.filter((_, i) => i < from || i >= from + size);
        if (fewer.length === parts.length || !(await fails(having(best, fewer)))) from += size;
      }
    }
  }

  const leaveOutSteps = () =>
    leaveOut(
      ({ plan }) => plan.steps,
      (candidate, kept) => ({ ...candidate, plan: { ...candidate.plan, steps: kept } }),
    );
  const withPlan = (plan: Partial<Plan>): Candidate => ({ ...best, plan: { ...best.plan, ...plan } });
  // Tries only the steps that the violation names, without faults. This is usually enough.
  const named = stepsOf(failed);
  const steps = failed.plan.steps.filter(({ id }) => named.has(id));
  if (steps.length > 0 && steps.length < failed.plan.steps.length) await fails(withPlan({ steps }));
  const isCalm = await fails({ ...withPlan({ outages: [] }), faults: [] });
  if (!isCalm) {
    await fails(withPlan({ outages: [] }));
    await fails({ ...best, faults: faultsOf(shortest) });
  }
  await leaveOutSteps();
  if (!isCalm) {
    best = { ...best, faults: shortest.stage.faults.happened.map((fault: Fault) => keyOf(fault)) };
    await leaveOut(
      ({ faults = [] }) => faults,
      (candidate, kept) => ({ ...candidate, faults: kept }),
    );
    await leaveOutSteps();
  }
  await fails(withPlan({ smsCarriers: ['aws'] }));
  await fails(withPlan({ senders: [] }));
  await fails(withPlan({ skewMaxMs: 0, indexLagMaxMs: 100 }));
  await fails({ ...best, calm: true });
  return shortest;
}

/** Runs a plan to its end, and judges it. */
import type { Actor } from './actors/actor.ts';
import { actors } from './actors/actors.ts';
import { type Deployment, withSettings } from './deployment.ts';
import { type Ended, finalReads } from './invariants/ended.ts';
import { invariants } from './invariants/invariants.ts';
import type { FunctionCode } from './lambda/function-code.ts';
import type { Plan } from './plan.ts';
import { randomOf } from './random.ts';
import { type Scene, sceneOn } from './scene.ts';
import { type Stage, simulatedStage } from './stage.ts';

export interface Code {
  readonly deployment: Deployment;
  readonly functions: ReadonlyMap<string, FunctionCode>;
}

interface Violation {
  /** The name of the invariant. */
  readonly invariant: string;
  /** The numbers of the promises that are broken. */
  readonly promise: string;
  readonly what: string;
}

export interface Run {
  readonly plan: Plan;
  readonly stage: Stage;
  readonly scene: Scene;
  readonly violations: readonly Violation[];
}

interface RunOptions {
  /** Only these faults happen; by default what the seed decides. */
  readonly faults?: ReadonlySet<string> | undefined;
  readonly calm?: boolean | undefined;
}

/** Faults go on for this long after the last step. */
const faultsGoOnMs = 300_000;
/** A webhook's last retry comes eight hours after its first attempt. */
const settleMs = 9 * 3_600_000;
/** The longest step waits until an endpoint is disabled. */
const stepsMaxMs = 10 * 86_400_000;

export async function run(code: Code, plan: Plan, { faults: only, calm }: RunOptions = {}): Promise<Run> {
  const deployed = withSettings(code.deployment, plan);
  const stage = simulatedStage(deployed, code.functions, { ...plan, only, calm });
  const { time, faults } = stage;
  const scene = await sceneOn(stage, { ...plan, random: randomOf(plan.seed, 'scene') });
  const failures: unknown[] = [];
  let lastMs = time.now();
  let underWay = 0;
  for (const { id, afterMs, actor, client: index } of plan.steps) {
    const client = scene.clients[index] ?? scene.clients[0];
    lastMs = plan.startAt.getTime() + afterMs;
    time.at(lastMs, () => {
      const random = randomOf(plan.seed, 'step', id);
      underWay += 1;
      (actors[actor] as Actor)
        .act({ scene, client, random, id })
        .catch((error: unknown) => failures.push(error))
        .finally(() => {
          underWay -= 1;
        });
    });
  }
  faults.endAt(lastMs + faultsGoOnMs);
  await time.runUntil(lastMs + faultsGoOnMs);
  while (underWay > 0 && time.now() < lastMs + stepsMaxMs) await time.runUntil(time.now() + 300_000);
  const settledByMs = time.now() + settleMs;
  while (time.now() < settledByMs && !isSettled()) await time.runUntil(time.now() + 300_000);
  if (failures.length > 0) throw new AggregateError(failures, 'a step of the simulation failed');
  const settledAtMs = time.now();
  const ended: Ended = { plan, stage, scene, settledAtMs, ...(await finalReads(scene, plan)) };
  const violations = Object.entries(invariants).flatMap(([invariant, { promise, check }]) =>
    check(ended).map((what) => ({ invariant, promise, what })),
  );
  return { plan, stage, scene, violations };

  function isSettled(): boolean {
    return (
      underWay === 0 &&
      stage.isAtRest() &&
      !stage.isBusy() &&
      (['Messages', 'WebhookDeliveries'] as const).every((table) =>
        stage.database.rows(table).every(({ due_at }) => due_at === undefined),
      )
    );
  }
}

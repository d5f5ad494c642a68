/** Applies load: so many in flight until so many are done, and how long each took. */

export interface Load {
  readonly perSecond: number;
  readonly latenciesMs: readonly number[];
}

export async function applyLoad(
  total: number,
  inFlight: number,
  work: (index: number) => Promise<unknown>,
): Promise<Load> {
  const latenciesMs: number[] = [];
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < total) {
        const index = next;
        next += 1;
        const from = performance.now();
        await work(index);
        latenciesMs.push(performance.now() - from);
      }
    }),
  );
  return { perSecond: (total * 1000) / (performance.now() - started), latenciesMs };
}

/** How long a comparison runs: so many slices of so many pieces of work for each contestant. */
interface Slices {
  readonly count: number;
  readonly work: number;
}

/**
 * The contestants take turns in short slices, each time in another order, so that what else the machine does meets all
 * of them alike; slices of one turn are next to each other in the result, to be compared only with each other.
 */
export async function takeTurns<Name extends string>(
  contestants: Readonly<Record<Name, (index: number) => Promise<unknown>>>,
  inFlight: number,
  slices: Slices,
): Promise<Record<Name, Load[]>> {
  const names = Object.keys(contestants) as Name[];
  const loads = Object.fromEntries(names.map((name) => [name, [] as Load[]])) as Record<Name, Load[]>;
  for (let turn = 0; turn < slices.count; turn += 1) {
    for (const place of names.keys()) {
      const name = names[(turn + place) % names.length] as Name;
      loads[name].push(await applyLoad(slices.work, inFlight, contestants[name]));
    }
  }
  return loads;
}

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

/** The contestants take turns, so that what else the machine does meets all of them alike. */
export async function takeTurns<Name extends string>(
  contestants: Readonly<Record<Name, () => Promise<Load>>>,
  rounds: number,
): Promise<Record<Name, Load[]>> {
  const names = Object.keys(contestants) as Name[];
  const loads = Object.fromEntries(names.map((name) => [name, [] as Load[]])) as Record<Name, Load[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) loads[name].push(await contestants[name]());
  }
  return loads;
}

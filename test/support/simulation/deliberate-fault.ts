/** Deliberate faults: changes of the code that a promise forbids, with which the simulation is tested. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Theme } from './actors/themes.ts';
import type { SourceChange } from './lambda/source-change.ts';

/** One fault. Its name says in plain words what the gateway then does. */
interface DeliberateFault {
  /** The theme of the runs that look for the fault. */
  readonly theme: Theme;
  /** The number of the promise in `docs/contract.md` that it breaks, or the page that makes it. */
  readonly promise: string;
  /** Each text must be once in its file. */
  readonly changes: readonly SourceChange[];
}

/** The export `faults` of each file in `test/simulation/deliberate-faults`. */
export type DeliberateFaults = Readonly<Record<string, DeliberateFault>>;

const folder = join(import.meta.dirname, '../../simulation/deliberate-faults');

/** The faults of all files, by their names. */
export async function deliberateFaults(): Promise<DeliberateFaults> {
  const all: Record<string, DeliberateFault> = {};
  for (const file of readdirSync(folder).sort()) {
    const { faults } = (await import(join(folder, file))) as { readonly faults: DeliberateFaults };
    for (const [name, fault] of Object.entries(faults)) {
      if (all[name] !== undefined) throw new Error(`${file}: there is another fault "${name}"`);
      all[name] = fault;
    }
  }
  return all;
}

/** Ends what start-templates.ts started, and removes its folder. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';

export default async function stop(): Promise<void> {
  if (globalThis.templatesOfRun === undefined) return;
  const { folder, synthesis } = globalThis.templatesOfRun;
  if (synthesis.exitCode === null && synthesis.kill()) await once(synthesis, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

/** Ends what start-templates.ts started, and removes its folder unless the caller gave it. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';

export default async function stop(): Promise<void> {
  if (globalThis.templatesOfRun === undefined) return;
  const { folder, synthesis, isKept } = globalThis.templatesOfRun;
  const ended = synthesis.exitCode === null ? once(synthesis, 'exit') : undefined;
  if (!isKept) synthesis.kill();
  await ended;
  if (!isKept) rmSync(folder, { recursive: true, force: true });
}

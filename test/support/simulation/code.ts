/** The deployment and the code of its functions, made once for all runs. */
import { lazily } from '../../../shared/platform/expiring-cache.ts';
import { deployment } from './deployment.ts';
import { functionCode } from './lambda/function-code.ts';
import type { SourceChange } from './lambda/source-change.ts';
import type { Code } from './run.ts';

/** Files that the build makes are beside their code, and no step asks for them. */
const notSimulated = ['describe-api', 'admin-dashboard'];

const unchanged = lazily(async () => {
  const deployed = deployment();
  const files = new Set(deployed.functions.map(({ file }) => file));
  const names = [...files].filter((file) => !notSimulated.includes(file));
  return { deployment: deployed, ...(await functionCode(names)) };
});

/** With changes, only the functions that have a changed file are built again. */
export async function loadedCode(changes: readonly SourceChange[] = []): Promise<Code> {
  const { deployment, functions, namesWith } = await unchanged();
  if (changes.length === 0) return { deployment, functions };
  const names = new Set(changes.flatMap(({ file }) => namesWith(file)));
  const changed = await functionCode([...names], changes);
  return { deployment, functions: new Map([...functions, ...changed.functions]) };
}

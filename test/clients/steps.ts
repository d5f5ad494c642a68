/** The steps of `npm run test:release -- clients`: each is counted, and one that fails does not keep the others from running. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Steps {
  readonly counts: { passed: number; failed: number; skipped: number };
  step(name: string, work: () => Promise<unknown>): Promise<void>;
  /** As `step`; where a command is missing it says so. */
  stepWith(commands: readonly string[], name: string, work: () => Promise<unknown>): Promise<void>;
}

/** @param wanted - parts of the names of the steps to run, separated by commas */
export function stepsNamed(wanted: string): Steps {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const parts = wanted.toLowerCase().split(',');
  async function step(name: string, work: () => Promise<unknown>): Promise<void> {
    if (!parts.some((part) => name.toLowerCase().includes(part))) return;
    const started = performance.now();
    try {
      await work();
      counts.passed += 1;
      console.log(`passed   ${name} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
    } catch (error) {
      counts.failed += 1;
      const {
        stdout = '',
        stderr = '',
        message,
      } = error as { stdout?: string; stderr?: string; message: string };
      const said = `${stdout}${stderr}`;
      // The end has what a tool counted.
      const shown = said.length > 8000 ? `${said.slice(0, 6000)}\n…\n${said.slice(-2000)}` : said;
      console.log(`FAILED   ${name}: ${message.slice(0, 1000)}\n${shown}`);
    }
  }
  return {
    counts,
    step,
    async stepWith(commands, name, work) {
      for (const command of commands) {
        const isFound = await run('which', [command]).then(
          () => true,
          () => false,
        );
        if (isFound) continue;
        counts.skipped += 1;
        console.log(`SKIPPED  ${name}: ${command} is not on the path`);
        return;
      }
      await step(name, work);
    },
  };
}

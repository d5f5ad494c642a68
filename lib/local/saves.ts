/** Follows the emulator's reports of its saves, and reports what is not kept (`keep_state.py` writes the reports). */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { StartFailure } from './start-failure.ts';

export function followSaves(reports: Readable, dataFolder: string, report: (line: string) => void) {
  let reported: () => void = () => undefined;
  const firstReport = new Promise<void>((resolve) => {
    reported = resolve;
  });
  let savedAt: Date | undefined;
  let failure: string | undefined;
  let refused: string | undefined;
  let wanted = false;
  let ended = false;

  function follow(line: string): void {
    const [event, reason] = [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)];
    if (event === 'refused') refused = reason;
    if (event === 'ended') ended = true;
    if (event === 'failed') {
      if (failure === undefined && savedAt !== undefined) {
        report(
          `Data cannot be kept in ${dataFolder}: ${reason}. Changes since ${timeOf(savedAt)} will be lost`,
        );
        report('if the gateway stops before that is possible again.');
      }
      failure = reason;
    }
    if (event === 'saved') {
      if (failure !== undefined) report(`Data is kept in ${dataFolder} again.`);
      failure = undefined;
      savedAt = new Date();
    }
    reported();
  }
  const lines = createInterface(reports).on('line', follow);
  const closed = once(lines, 'close');

  return {
    /** Why the emulator has not started with the kept state; undefined if it has. */
    refusal: () => refused,
    /** Resolves after the first save. @throws StartFailure where it failed. */
    async first(): Promise<void> {
      wanted = true;
      await Promise.race([firstReport, closed]);
      if (savedAt !== undefined) return;
      throw new StartFailure(`Data cannot be kept in ${dataFolder}: ${failure ?? 'the emulator ended'}.`);
    },
    /**
     * Waits for the last reports; call it when the emulator has ended.
     *
     * @returns whether the state was kept, or did not have to be
     */
    async end(): Promise<boolean> {
      await closed;
      if (ended || !wanted || savedAt === undefined) return true;
      report(`The last changes could not be kept in ${dataFolder}: ${failure ?? 'the emulator was killed'}.`);
      report(`After the next start the state is that of ${timeOf(savedAt)}.`);
      return false;
    },
  };
}

function timeOf(time: Date): string {
  return time.toTimeString().slice(0, 8);
}

/** Ctrl-C and the other requests to end: a run takes back what it made first, and then exits with the status of the signal. */
import { stopRequest } from '../../lib/local/stop-request.ts';

/** 128 and the number of the signal, as shells have it. */
const statuses = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Ending = keyof typeof statuses;

export function interruption(actions: {
  readonly on: (signal: Ending, handler: () => void) => void;
  readonly say: (text: string) => void;
  readonly exit: (status: number) => void;
  /** Returns the milliseconds of a monotonic clock. */
  readonly now: () => number;
}) {
  const controller = new AbortController();
  let status: number | undefined;
  const asked = stopRequest({
    stop() {
      actions.say(
        'Interrupted: what this run made is taken back. Repeat it after five seconds to end at once.',
      );
      controller.abort();
    },
    force: () => actions.exit(status ?? 1),
    now: actions.now,
  });
  for (const signal of Object.keys(statuses) as Ending[]) {
    actions.on(signal, () => {
      status ??= statuses[signal];
      asked();
    });
  }
  return {
    signal: controller.signal,
    /** The exit status; undefined where the run was not interrupted. */
    status: () => status,
  };
}

/** The requests of a client or of all, as they come: each once, although a line can be readable a while after its time. */
import { addSeconds, type Clock } from '../platform/clock.ts';
import type { LoggedRequest, RequestLog } from './request-log.cloudwatch.ts';

/** CloudWatch Logs shows a line some seconds after it was written. */
const lateSeconds = 30;
const pauseMs = 3000;

interface TailOptions {
  readonly since: Date;
  readonly clientId: string | undefined;
  /** False to end with what there is. */
  readonly follow: boolean;
}

export async function* tailRequests(
  {
    log,
    clock,
    wait,
  }: { readonly log: RequestLog; readonly clock: Clock; readonly wait: (ms: number) => Promise<void> },
  { since, clientId, follow }: TailOptions,
): AsyncGenerator<LoggedRequest> {
  let shown = new Set<string>();
  let from = since;
  for (;;) {
    const asked = clock();
    const lines = await log.read(from, clientId);
    for (const { id, request } of lines) if (!shown.has(id)) yield request;
    if (!follow) return;
    // Only lines of the next answer can be repeated.
    shown = new Set(lines.map(({ id }) => id));
    const next = addSeconds(asked, -lateSeconds);
    from = next > since ? next : since;
    await wait(pauseMs);
  }
}

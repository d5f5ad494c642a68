/**
 * Requests without a client are counted by source address, which is one for all tests that run at a time: where others
 * used the limit up, a test waits and asks again.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** The first response that is not 429. @param retryAfter - of a response, in seconds */
export async function admitted<Answer extends { readonly status: number }>(
  ask: () => Promise<Answer>,
  retryAfter: (response: Answer) => string | null | undefined,
): Promise<Answer> {
  for (;;) {
    const response = await ask();
    if (response.status !== 429) return response;
    await pause(Number(retryAfter(response) ?? 1) * 1000);
  }
}

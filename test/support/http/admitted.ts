/**
 * Requests without a client are counted by source address, which is one for all tests that run at a time: where others
 * used the limit up, a test waits and asks again.
 */
import { setTimeout as pause } from 'node:timers/promises';

/** The first answer that is not 429. @param retryAfter - of an answer, in seconds */
export async function admitted<Answer extends { readonly status: number }>(
  ask: () => Promise<Answer>,
  retryAfter: (answer: Answer) => string | null | undefined,
): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 429) return answer;
    await pause(Number(retryAfter(answer) ?? 1) * 1000);
  }
}

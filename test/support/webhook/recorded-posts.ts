/** An endpoint with given answers that records each POST with its attempt. */
import type { AttemptError, Lane } from '../../../shared/webhook/delivery.ts';
import type { Post as PostWebhook } from '../../../shared/webhook/post/post-webhook.ts';
import type { VirtualTime } from '../doubles/virtual-time.ts';
import type { FaultyCalls, Worker } from '../faults/faulty-calls.ts';

export interface Answer {
  readonly afterMs: number;
  /** The status; absent if the POST failed. */
  readonly status?: number;
  readonly error?: AttemptError;
}

export interface Post {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly at: Date;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly lane: Lane;
}

interface NotedPosts {
  readonly posts: readonly Post[];
  postOf(worker: Worker): PostWebhook;
}

export function notedPosts(
  time: VirtualTime,
  calls: FaultyCalls,
  answerTo: (deliveryId: string, postNumber: number) => Answer,
): NotedPosts {
  const posts: Post[] = [];
  return {
    posts,
    postOf: (worker) => (request) =>
      calls.post(worker, async () => {
        const { deliveryId, attempt } = worker.claimed ?? { deliveryId: 'unclaimed', attempt: 0 };
        worker.posting = `${deliveryId}#${attempt}`;
        const { body, headers } = request;
        posts.push({ deliveryId, attempt, at: new Date(time.now()), body, headers, lane: worker.lane });
        const { afterMs, status, error } = answerTo(
          deliveryId,
          posts.filter((post) => post.deliveryId === deliveryId).length,
        );
        await time.sleep(afterMs);
        return {
          timings: { totalMs: afterMs },
          reusedConnection: false,
          status,
          headers: {},
          bodyStart: '',
          error: error ?? (status === 200 ? undefined : ('not_200' as const)),
        };
      }),
  };
}

/** What the delivery worker needs, and its settings: for `deliver` and its three steps. */
import type { WebhookSecrets } from '../../client/webhook-secrets.ts';
import type { SendToAws } from '../aws-destination/send-to-aws.ts';
import type { Lane } from '../delivery.ts';
import type { LaneDependencies } from '../endpoint-health/choose-lane.ts';
import type { Post } from '../post/http-post.ts';
import type { DeliveryQueue } from '../schedule/delivery-queue.ts';
import type { RetryScheduler } from '../schedule/retry-scheduler.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';
import type { AlertDependencies } from './alert-failure.ts';
import type { DisableDependencies } from './disable-endpoint.ts';

export interface DeliverDependencies extends AlertDependencies, LaneDependencies, DisableDependencies {
  readonly deliveries: DeliveryStore;
  readonly health: LaneDependencies['health'];
  readonly secrets: WebhookSecrets;
  readonly post: Post;
  readonly sendToAws: SendToAws;
  readonly queue: DeliveryQueue;
  readonly retryScheduler: RetryScheduler;
}

export interface DeliverSettings {
  /** The lane whose queue this worker serves. */
  readonly lane: Lane;
  readonly timeScale: number;
  readonly userAgent: string;
}

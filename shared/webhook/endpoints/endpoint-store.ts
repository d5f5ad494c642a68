/** Reads and writes a client's webhook endpoints. All reads are consistent, so a change counts for the next event. */
import type { WebhookSecret } from '../../client/webhook-secrets.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

export interface EndpointReader {
  /** All endpoints of the client, the oldest first; one query. */
  list(clientId: string): Promise<readonly WebhookEndpoint[]>;
  get(clientId: string, endpointId: string): Promise<WebhookEndpoint | undefined>;
}

/** What the delivery worker notes in the row, under conditions, so that none of it undoes a change by the client. */
export interface EndpointResults {
  /** Counts a failed attempt; returns the row afterwards, undefined if the endpoint is deleted or disabled. */
  addFailure(endpoint: WebhookEndpoint, at: Date): Promise<WebhookEndpoint | undefined>;
  clearFailures(endpoint: WebhookEndpoint): Promise<void>;
  /** Disables an endpoint that has failed all the time since `failing`; undefined if it has not, or is disabled already. */
  disable(
    failing: WebhookEndpoint,
    by: Required<Pick<WebhookEndpoint, 'disabled_at' | 'disabled_reason' | 'revision'>>,
  ): Promise<WebhookEndpoint | undefined>;
  /** Its client was told that it is disabled. */
  noticeSent(endpoint: WebhookEndpoint): Promise<void>;
}

export interface EndpointStore extends EndpointReader {
  /** Stores the endpoint with its secret; false if the client has `endpointsMax` already, at any concurrency. */
  create(endpoint: WebhookEndpoint, secret: WebhookSecret): Promise<boolean>;
  /** Writes `next` if the row is still `seen`; false if another write came first. */
  replace(seen: WebhookEndpoint, next: WebhookEndpoint): Promise<boolean>;
  /** Deletes the endpoint with its secrets; false if it does not exist. */
  delete(clientId: string, endpointId: string): Promise<boolean>;
}

/** What can be seen from outside: what callers asked and were told, what carriers and endpoints got, what people wrote. */
import type { RouteName } from '../../../../shared/contract/routes.ts';
import type { NotedCall } from '../aws/requests.ts';
import type { FaultKind } from '../faults.ts';

/** The contract's rule for a request: the permitted statuses, and the promise. */
export interface Must {
  readonly be: readonly number[];
  readonly promise: string;
}

/** A request to the API, and its answer. */
export interface Asked {
  readonly atMs: number;
  readonly clientId: string;
  readonly route: RouteName | 'adminApi' | 'carrierCallback';
  readonly path: string;
  readonly body: unknown;
  readonly key: string | undefined;
  readonly must?: Must | undefined;
  /** Undefined until it was answered. */
  answeredAtMs?: number;
  /** 502 or 504 if the function died or took too long. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: invariants read the documented fields
  answer?: any;
  /** The caller did not get the answer, and does not know it. */
  lost?: boolean;
  /** The gateway gave out this credential and has not ended it. */
  readonly hasValidCredential: boolean;
}

/** A message that a carrier was given. */
export interface HandOver {
  readonly atMs: number;
  readonly channel: 'sms' | 'whatsapp';
  readonly carrier: CarrierName;
  readonly messageId: string;
  /** The id that the gateway gave the attempt. */
  readonly attemptId: string;
  readonly to: string;
  readonly from: string;
  readonly text: string;
  /** Undefined if the carrier refused the message. */
  readonly carrierMessageId: string | undefined;
  readonly refusedWith: string | undefined;
  readonly call: NotedCall;
}

type CarrierName = 'aws' | 'infobip';

/** A receipt that a carrier published. */
export interface Published {
  readonly atMs: number;
  readonly carrier: CarrierName;
  readonly messageId: string;
  readonly attemptId: string;
  /** The price in US dollars. Undefined if the report contains none. */
  readonly price: number | undefined;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed' | 'expired';
}

/** A webhook that an endpoint got. */
export interface Posted {
  readonly atMs: number;
  /** When it answered, or when the time for an answer was over. */
  readonly endedAtMs: number;
  readonly url: string;
  readonly webhookId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: invariants read the documented fields
  readonly event: any;
  /** The status of the response. Undefined if there was no response in time. */
  readonly status: number | undefined;
  readonly fault: FaultKind | undefined;
  readonly process: string;
}

/** A text of a person to one of our numbers. */
interface Wrote {
  readonly atMs: number;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** The time at which the topic delivers it, if that is later. */
  readonly learnedAtMs?: number;
}

/** A row that an administrator edited by hand, or a change by the admin API. */
export interface Edited {
  readonly atMs: number;
  readonly table: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly row: Readonly<Record<string, unknown>> | undefined;
  /** It is not known whether, or when, it took effect. */
  readonly uncertain?: boolean;
}

/** Lists that are read page by page, with the names of their entries and of what tells these apart. */
export const listsRead = {
  listWebhookDeliveries: { field: 'webhook_deliveries', id: 'delivery_id' },
  listMessages: { field: 'messages', id: 'message_id' },
  listSuppressions: { field: 'suppressions', id: 'recipient' },
} as const satisfies Partial<Record<RouteName, object>>;

/** All pages of a list that one caller read. */
export interface ListRead {
  readonly atMs: number;
  readonly endedAtMs: number;
  readonly clientId: string;
  readonly route: keyof typeof listsRead;
  readonly query: Readonly<Record<string, string>>;
  readonly ids: readonly string[];
  /** True if the last page was read. */
  readonly isWhole: boolean;
}

/** The feedback of the gateway that a reader of the table found in a row. */
interface ReadFeedback {
  readonly atMs: number;
  readonly table: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly status: string | undefined;
}

export interface OutsideRecord {
  readonly asked: Asked[];
  readonly handOvers: HandOver[];
  readonly published: Published[];
  /** Reports that a carrier gives only on request. */
  readonly untold: Published[];
  readonly posted: Posted[];
  readonly wrote: Wrote[];
  readonly edited: Edited[];
  readonly listsRead: ListRead[];
  readonly feedback: ReadFeedback[];
  /** The messages that were due minutes ago. */
  readonly overdue: string[];
  /** Webhooks that were not posted two minutes after their time, although nothing went wrong since. */
  readonly overdueWebhooks: string[];
}

export function emptyRecord(): OutsideRecord {
  return {
    asked: [],
    handOvers: [],
    published: [],
    untold: [],
    posted: [],
    wrote: [],
    edited: [],
    listsRead: [],
    feedback: [],
    overdue: [],
    overdueWebhooks: [],
  };
}

/** What is known of a run when it has ended: the record of the outside, and what the API then says. */
import type { RouteName } from '../../../../shared/contract/routes.ts';
import type { Asked } from '../outside/record.ts';
import type { Plan } from '../plan.ts';
import type { Scene, SimulatedClient } from '../scene.ts';
import type { Stage } from '../stage.ts';

/** A message that a 202 promised. */
export interface Accepted {
  readonly messageId: string;
  readonly client: SimulatedClient;
  readonly asked: Asked;
  /** The value of the request, or of its row of a bulk. */
  readonly to: string;
  /** The status answer at the end; undefined where there was none with 200. */
  // biome-ignore lint/suspicious/noExplicitAny: the documented fields are read
  readonly status: any;
}

interface FinalReads {
  readonly accepted: readonly Accepted[];
  /** The usage of each client, by its id. */
  // biome-ignore lint/suspicious/noExplicitAny: the documented fields are read
  readonly usage: ReadonlyMap<string, any>;
  /** Everything that the list of messages has of each client, also later legs of fallbacks. */
  // biome-ignore lint/suspicious/noExplicitAny: the documented fields are read
  readonly listed: ReadonlyMap<string, readonly any[]>;
  /** The messages of people that each client has. */
  // biome-ignore lint/suspicious/noExplicitAny: the documented fields are read
  readonly inbound: ReadonlyMap<string, readonly any[]>;
  /** Whom each client has suppressed. */
  readonly suppressed: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Ended extends FinalReads {
  readonly plan: Plan;
  readonly stage: Stage;
  readonly scene: Scene;
}

export const sends: readonly Asked['route'][] = ['sendSms', 'sendBulkSms', 'sendWhatsApp', 'sendOtp'];

/** Asks without faults, beside the record. */
export async function finalReads(scene: Scene, plan: Plan): Promise<FinalReads> {
  const { stage, clients } = scene;
  const asked = stage.record.asked.slice();
  const byId = new Map(clients.map((client) => [client.clientId, client]));

  async function read(client: SimulatedClient, route: RouteName, given: object): Promise<Asked> {
    const asking = stage.ask({ clientId: client.clientId, credential: client.apiKey, route, ...given });
    let answered: Asked | undefined;
    asking.then((answer) => {
      answered = answer;
    });
    for (let waits = 0; answered === undefined && waits < 1000; waits += 1)
      await stage.time.runUntil(stage.time.now() + 50);
    return answered ?? (await asking);
  }

  const accepted: Accepted[] = [];
  const statuses = new Map<string, unknown>();
  for (const one of asked) {
    const client = byId.get(one.clientId);
    if (client === undefined || one.status !== 202 || !sends.includes(one.route)) continue;
    for (const message of one.answer.messages ?? [one.answer]) {
      const messageId = String(message.message_id);
      if (!statuses.has(messageId)) {
        const answer = await read(client, 'getMessageStatus', { path: { message_id: messageId } });
        statuses.set(messageId, answer.status === 200 ? answer.answer : undefined);
      }
      accepted.push({
        messageId,
        client,
        asked: one,
        to: message.recipient,
        status: statuses.get(messageId),
      });
    }
  }
  const usage = new Map<string, unknown>();
  const listed = new Map<string, readonly unknown[]>();
  const inbound = new Map<string, readonly unknown[]>();
  const suppressed = new Map<string, ReadonlySet<string>>();
  for (const client of clients) {
    const range = {
      since: plan.startAt.toISOString(),
      until: new Date(stage.time.now()).toISOString(),
    };
    const answer = await read(client, 'getUsage', {
      query: { ...range, interval: 'day', group_by: 'channel' },
    });
    usage.set(client.clientId, answer.status === 200 ? answer.answer : undefined);
    const messages: unknown[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 100; pages += 1) {
      const query = { limit: '10', ...(cursor === undefined ? {} : { cursor }) };
      const page = await read(client, 'listMessages', { query });
      messages.push(...(page.answer?.messages ?? []));
      cursor = page.answer?.next_cursor;
      if (cursor === undefined) break;
    }
    listed.set(client.clientId, messages);
    const texts = await read(client, 'listMessages', { query: { direction: 'inbound', limit: '100' } });
    inbound.set(client.clientId, texts.answer?.messages ?? []);
    const suppressions = await read(client, 'listSuppressions', { query: { limit: '100' } });
    const rows: readonly { readonly recipient: string }[] = suppressions.answer?.suppressions ?? [];
    suppressed.set(client.clientId, new Set(rows.map(({ recipient }) => recipient)));
  }
  // The reads are no part of what is judged.
  stage.record.asked.splice(asked.length);
  return { accepted, usage, listed, inbound, suppressed };
}

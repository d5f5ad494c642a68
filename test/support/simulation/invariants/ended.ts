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
  /** The status response at the end. Undefined if no response had status 200. */
  // biome-ignore lint/suspicious/noExplicitAny: the documented fields are read
  readonly status: any;
}

interface ShownSuppression {
  readonly recipient: string;
  readonly source: string;
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
  /** Whom each client has suppressed, with what the list says of it. */
  readonly suppressed: ReadonlyMap<string, ReadonlyMap<string, ShownSuppression>>;
  /** The same of what was sent with test keys. */
  readonly tested: {
    readonly accepted: readonly Accepted[];
    // biome-ignore lint/suspicious/noExplicitAny: the documented fields are read
    readonly listed: ReadonlyMap<string, readonly any[]>;
    /** The messages that the simulated carrier accepted, as a test key reads them. */
    // biome-ignore lint/suspicious/noExplicitAny: the documented fields are read
    readonly outboxes: ReadonlyMap<string, readonly any[]>;
  };
}

export interface Ended extends FinalReads {
  readonly plan: Plan;
  readonly stage: Stage;
  readonly scene: Scene;
  /** When the run was over, before the reads. */
  readonly settledAtMs: number;
}

export const sends: readonly Asked['route'][] = ['sendSms', 'sendBulkSms', 'sendWhatsApp', 'sendOtp'];

/** Asks without faults, beside the record. */
export async function finalReads(scene: Scene, plan: Plan): Promise<FinalReads> {
  const { stage, clients } = scene;
  const testers = [...scene.testers, scene.onlyTester];
  const asked = stage.record.asked.slice();

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

  async function acceptedOf(of: readonly SimulatedClient[]): Promise<Accepted[]> {
    const byId = new Map(of.map((client) => [client.clientId, client]));
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
        const status = statuses.get(messageId);
        accepted.push({ messageId, client, asked: one, to: message.recipient, status });
      }
    }
    return accepted;
  }

  /** Reads all pages of a list. Long lists have pages of a hundred rows. */
  async function allOf(client: SimulatedClient, route: RouteName, given: object = {}): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 1000; pages += 1) {
      const limit = client.messages.length > 200 ? '100' : '10';
      const query = { limit, ...given, ...(cursor === undefined ? {} : { cursor }) };
      const page = await read(client, route, { query });
      found.push(...(page.answer?.messages ?? []));
      cursor = page.answer?.next_cursor;
      if (cursor === undefined) break;
    }
    return found;
  }

  const usage = new Map<string, unknown>();
  const listed = new Map<string, readonly unknown[]>();
  const inbound = new Map<string, readonly unknown[]>();
  const suppressed = new Map<string, ReadonlyMap<string, ShownSuppression>>();
  for (const client of clients) {
    const range = {
      since: plan.startAt.toISOString(),
      until: new Date(stage.time.now()).toISOString(),
    };
    const answer = await read(client, 'getUsage', {
      query: { ...range, interval: 'day', group_by: 'channel' },
    });
    usage.set(client.clientId, answer.status === 200 ? answer.answer : undefined);
    listed.set(client.clientId, await allOf(client, 'listMessages'));
    const texts = await read(client, 'listMessages', { query: { direction: 'inbound', limit: '100' } });
    inbound.set(client.clientId, texts.answer?.messages ?? []);
    const suppressions = await read(client, 'listSuppressions', { query: { limit: '100' } });
    const rows: readonly ShownSuppression[] = suppressions.answer?.suppressions ?? [];
    suppressed.set(client.clientId, new Map(rows.map((row) => [row.recipient, row])));
  }
  const tested = {
    accepted: await acceptedOf(testers),
    listed: new Map<string, readonly unknown[]>(),
    outboxes: new Map<string, readonly unknown[]>(),
  };
  for (const client of testers) {
    if (!tested.accepted.some((one) => one.client === client)) continue;
    tested.listed.set(client.clientId, await allOf(client, 'listMessages'));
    tested.outboxes.set(client.clientId, await allOf(client, 'listTestOutbox'));
  }
  const accepted = await acceptedOf(clients);
  // The reads are no part of what is judged.
  stage.record.asked.splice(asked.length);
  return { accepted, usage, listed, inbound, suppressed, tested };
}

/** A bulk send on private tables, and its response. */
import type { Client } from '../../../shared/client/client.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { aClient, ask, sendsIn } from './sends.ts';

export interface BulkBody {
  readonly batch_id: string;
  readonly accepted: number;
  readonly rejected: number;
  readonly messages: readonly { readonly index: number; readonly message_id: string }[];
  readonly errors: readonly {
    readonly index: number;
    readonly to: string;
    readonly error: string;
    readonly message: string;
  }[];
}

/** The response to a bulk that is accepted, in part or whole. */
export async function sendBulk(
  tables: TestTables,
  now: Date,
  body: unknown,
  client: Client = aClient(),
): Promise<BulkBody> {
  const answer = await ask(sendsIn(tables).bulk, { client, now, body });
  if (answer.status !== 202) throw new Error(`a bulk was answered with ${answer.status}`);
  return answer.body as BulkBody;
}

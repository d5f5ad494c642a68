/**
 * The latest test events of a client, the newest first. They follow from no message, so they are found by their entries in
 * the Activity Log, which are written when they are sent.
 */
import type { Delivery } from '../delivery.ts';
import type { Position } from './deliveries-of-messages.ts';
import type { FailedDependencies } from './failed-deliveries.ts';

export interface LocatedTest {
  /** Among those of messages, by the time of the event. */
  readonly position: Position;
  readonly delivery: Delivery;
}

interface TestRange {
  readonly clientId: string;
  readonly since: Date;
  readonly until: Date;
}

const testsMax = 50;
/** Each call of DynamoDB reads 200 entries of any kind: tests before the 400 latest entries are not listed. */
const readsMax = 2;

export async function testDeliveries(
  { activity, deliveries }: FailedDependencies,
  { clientId, since, until }: TestRange,
): Promise<readonly LocatedTest[]> {
  const kind = 'webhook_test_sent';
  const { entries } = await activity.list({ clientId, kind, since, until, limit: testsMax, readsMax });
  const ids = entries.flatMap(({ delivery_id }) => delivery_id ?? []);
  const rows = ids.length === 0 ? [] : await deliveries.getMany(ids, { consistent: false });
  return rows
    .filter(({ client_id }) => client_id === clientId)
    .map((delivery) => ({ position: { message: positionOfTest(delivery) }, delivery }))
    .toSorted((one, other) => (one.position.message < other.position.message ? 1 : -1));
}

/** As if the test event were a message with the rest of its delivery's id. */
function positionOfTest({ created_at, delivery_id }: Delivery): string {
  return `${created_at}#msg_${delivery_id.slice('whd_'.length)}`;
}

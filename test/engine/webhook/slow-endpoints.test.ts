import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { releaseTrial, type TrialSlots, takeTrial } from '../../../shared/webhook/choose-lane.ts';
import { dynamoEndpointHealthStore } from '../../../shared/webhook/slow-endpoints.dynamo.ts';
import {
  type ClientOrigin,
  type EndpointHealthStore,
  endpointHealth,
} from '../../../shared/webhook/slow-endpoints.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { created as now } from '../../support/message/example-message.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['webhook_deliveries']);
});
afterAll(() => tables.drop());

let endpoints = 0;
function aEndpoint(): ClientOrigin {
  endpoints += 1;
  return { clientId: `client-${endpoints}`, origin: 'https://endpoint.example.com' };
}

const taken = { trial: {} };
const unexpected = (_: string, error: unknown) => {
  throw error;
};

describe.each<[string, () => EndpointHealthStore & TrialSlots]>([
  ['in memory', () => inMemoryStores().endpointHealth],
  ['in the table', () => dynamoEndpointHealthStore(tables.dynamo, tables.names.webhook_deliveries)],
])('the health of endpoints, %s', (_where, newStore) => {
  it('is unknown at first', async () => {
    const health = endpointHealth(newStore());
    expect(await health.status(aEndpoint(), now)).toBe('unknown');
  });

  it('is visible to other workers at once if it was unknown, and within a second if it was healthy', async () => {
    const store = newStore();
    const [one, other] = [endpointHealth(store), endpointHealth(store)];
    const endpoint = aEndpoint();
    await one.recordHealthy(endpoint, now, 40);
    expect(await other.status(endpoint, now)).toBe('healthy');
    await one.recordSlow(endpoint, now);
    expect(await one.status(endpoint, now)).toBe('slow');
    expect(await other.status(endpoint, addSeconds(now, 1))).toBe('slow');
  });

  it('is slow while a response is late, and healthy again with the response; later answers may take a second', async () => {
    const store = newStore();
    const [one, other] = [endpointHealth(store), endpointHealth(store)];
    const endpoint = aEndpoint();
    await one.recordHealthy(endpoint, now, 40);
    expect(await other.status(endpoint, now)).toBe('healthy');
    expect(other.slowSuspicionMs(endpoint, now)).toBe(300);
    await one.recordLikelySlow(endpoint, now);
    expect(await other.status(endpoint, addSeconds(now, 0.3))).toBe('slow');
    await one.recordHealthy(endpoint, addSeconds(now, 0.4), 700);
    expect(await other.status(endpoint, addSeconds(now, 0.6))).toBe('healthy');
    expect(other.slowSuspicionMs(endpoint, addSeconds(now, 0.6))).toBe(1000);
  });

  it('forgets a likely slow endpoint after the longest POST', async () => {
    const health = endpointHealth(newStore());
    const endpoint = aEndpoint();
    await health.recordLikelySlow(endpoint, now);
    expect(await health.status(endpoint, addSeconds(now, 5.9))).toBe('slow');
    expect(await health.status(endpoint, addSeconds(now, 6))).toBe('unknown');
  });

  it('stays slow if other workers record it as likely slow', async () => {
    const store = newStore();
    const [one, other] = [endpointHealth(store), endpointHealth(store)];
    const endpoint = aEndpoint();
    await one.recordSlow(endpoint, now);
    await other.recordLikelySlow(endpoint, now);
    await other.recordHealthy(endpoint, addSeconds(now, 1), 40);
    expect(await endpointHealth(store).status(endpoint, addSeconds(now, 7))).toBe('slow');
  });

  it('is separate for each client: a slow endpoint of one moves no other client to the slow lane', async () => {
    const health = endpointHealth(newStore());
    const endpoint = aEndpoint();
    await health.recordSlow(endpoint, now);
    expect(await health.status({ ...endpoint, clientId: 'another' }, now)).toBe('unknown');
  });

  it('becomes healthy by a quick answer 20 s after the last slow one, to any worker', async () => {
    const store = newStore();
    const [fast, slow] = [endpointHealth(store), endpointHealth(store)];
    const endpoint = aEndpoint();
    await fast.recordSlow(endpoint, now);
    await slow.recordHealthy(endpoint, addSeconds(now, 19), 40);
    expect(await fast.status(endpoint, addSeconds(now, 19))).toBe('slow');
    await slow.recordHealthy(endpoint, addSeconds(now, 20), 40);
    expect(await fast.status(endpoint, addSeconds(now, 20))).toBe('healthy');
  });

  it('is forgotten after ten minutes if slow, after half an hour if healthy', async () => {
    const health = endpointHealth(newStore());
    const [slowRecorded, quick] = [aEndpoint(), aEndpoint()];
    await health.recordSlow(slowRecorded, now);
    await health.recordHealthy(quick, now, 40);
    expect(await health.status(slowRecorded, addSeconds(now, 599))).toBe('slow');
    expect(await health.status(slowRecorded, addSeconds(now, 600))).toBe('unknown');
    expect(await health.status(quick, addSeconds(now, 1799))).toBe('healthy');
    expect(await health.status(quick, addSeconds(now, 1800))).toBe('unknown');
  });

  it('gives a trial request to one of many workers, and to the next one after its release', async () => {
    const trials = newStore();
    const endpoint = aEndpoint();
    const takings = await Promise.all(
      Array.from({ length: 10 }, (_, i) => takeTrial(trials, endpoint, `worker ${i}`, now)),
    );
    const [mine, ...others] = takings.flatMap(({ trial }) => trial ?? []);
    expect(others).toEqual([]);
    expect(await takeTrial(trials, endpoint, 'later', addSeconds(now, 1))).toEqual({ takenSince: now });
    await releaseTrial({ trials, warn: unexpected }, mine);
    expect(await takeTrial(trials, endpoint, 'later', addSeconds(now, 1))).toMatchObject(taken);
  });

  it('gives the trial request of a dead worker to another after ten seconds, and the dead worker cannot release it', async () => {
    const trials = newStore();
    const endpoint = aEndpoint();
    const { trial } = await takeTrial(trials, endpoint, 'dead', now);
    expect(await takeTrial(trials, endpoint, 'second', addSeconds(now, 9))).not.toMatchObject(taken);
    expect(await takeTrial(trials, endpoint, 'second', addSeconds(now, 10))).toMatchObject(taken);
    await releaseTrial({ trials, warn: unexpected }, trial);
    expect(await takeTrial(trials, endpoint, 'third', addSeconds(now, 11))).not.toMatchObject(taken);
  });

  it('allows a client at most four trial requests at a time, for any number of endpoints', async () => {
    const trials = newStore();
    const { clientId } = aEndpoint();
    const takings = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        takeTrial(trials, { clientId, origin: `https://r${i}.example.com` }, `worker ${i}`, now),
      ),
    );
    expect(takings.filter(({ trial }) => trial !== undefined)).toHaveLength(4);
  });
});

function countingStore(): { store: EndpointHealthStore; writes: () => number } {
  let writes = 0;
  const { endpointHealth: store } = inMemoryStores();
  return {
    writes: () => writes,
    store: {
      ...store,
      setSlow: (...given) => {
        writes += 1;
        return store.setSlow(...given);
      },
      setLikelySlow: (...given) => {
        writes += 1;
        return store.setLikelySlow(...given);
      },
      setHealthy: (...given) => {
        writes += 1;
        return store.setHealthy(...given);
      },
    },
  };
}

it.each([40, 700])(
  'costs at most one write each quarter of an hour for an endpoint that answers in %d ms',
  async (tookMs) => {
    const { store, writes } = countingStore();
    const health = endpointHealth(store);
    const endpoint = aEndpoint();
    for (let seconds = 0; seconds <= 901; seconds += 1) {
      await health.status(endpoint, addSeconds(now, seconds));
      await health.recordHealthy(endpoint, addSeconds(now, seconds + tookMs / 1000), tookMs);
    }
    expect(writes()).toBe(2);
  },
);

it('costs one write in five seconds for an endpoint that hangs, not one for each POST', async () => {
  const { store, writes } = countingStore();
  const health = endpointHealth(store);
  const endpoint = aEndpoint();
  for (let tenth = 0; tenth < 100; tenth += 1) await health.recordSlow(endpoint, addSeconds(now, tenth / 10));
  expect(writes()).toBe(2);
});

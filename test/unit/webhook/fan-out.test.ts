/** Each event reaches exactly the endpoints that a model says, whatever is changed in between. */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Channel } from '../../../shared/contract/channels.ts';
import { eventFilters, messageEventNames } from '../../../shared/contract/webhook-events.ts';
import type { EventStatus, Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { changed, type EndpointChange } from '../../../shared/webhook/webhook-endpoint.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const clientId = 'client-a';
/** Longer than a delivery takes: each step finds the one before finished. */
const stepSeconds = 10;

type Filters = readonly (typeof eventFilters)[number][] | null;

const filters: fc.Arbitrary<Filters> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.uniqueArray(fc.constantFrom(...eventFilters), { minLength: 1 }) },
);
const endpointNumber = fc.nat({ max: 9 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ event: fc.constantFrom(...messageEventNames) }) },
  { weight: 1, arbitrary: fc.record({ number: endpointNumber, events: filters }) },
  { weight: 1, arbitrary: fc.record({ number: endpointNumber, enabled: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ number: endpointNumber, deleted: fc.constant(true) }) },
);

/** What the contract says of filters, written out: every event that is meant. */
function meant(chosen: Filters): ReadonlySet<string> {
  if (chosen === null) return new Set(messageEventNames);
  return new Set(
    chosen.flatMap((filter) =>
      filter.endsWith('.*')
        ? messageEventNames.filter((name) => name.startsWith(filter.slice(0, -1)))
        : [filter as string],
    ),
  );
}

function messageAt(number: number, event: string, at: Date): Message {
  const [channel, status] = event.split('.') as [Channel, EventStatus];
  const entered = aMessage({ message_id: `msg_${String(number).padStart(26, '0')}`, channel, status });
  return { ...entered, created_at: at.toISOString(), [`${status}_at`]: at.toISOString() };
}

it('ten endpoints with any filters, changed in between, get exactly the events of the model', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(filters, { minLength: 10, maxLength: 10 }),
      fc.array(step, { maxLength: 25 }),
      fc.integer(),
      async (initial, steps, seed) => {
        const simulation = simulatedGateway({
          startAt: created,
          random: randomFrom(seed),
          latencyMs: () => 5,
          answer: () => ({ afterMs: 20, status: 200 }),
        });
        const idOf = (number: number) => `whe_${number}`;
        const model = new Map<string, { chosen: Filters; enabled: boolean }>();
        for (const [number, chosen] of initial.entries()) {
          const endpoint = anEndpoint({ client_id: clientId, endpoint_id: idOf(number) });
          const secret = { secret: 'whsec_c2VjcmV0', created_at: endpoint.created_at };
          const stored = chosen === null ? endpoint : { ...endpoint, events: [...chosen] };
          await simulation.endpoints.create(stored, secret);
          model.set(idOf(number), { chosen, enabled: true });
        }
        const change = async (id: string, wanted: EndpointChange, index: number) => {
          const seen = await simulation.endpoints.get(clientId, id);
          if (seen !== undefined)
            await simulation.endpoints.change(seen, changed(seen, wanted, created, `revision-${index}`));
        };
        const expected = new Set<string>();
        for (const [index, done] of steps.entries()) {
          const at = addSeconds(created, (index + 1) * stepSeconds);
          if ('event' in done) {
            const message = messageAt(index, done.event, at);
            expected.add(derivedId('whd', message.message_id, done.event));
            for (const [id, { chosen, enabled }] of model)
              if (enabled && meant(chosen).has(done.event))
                expected.add(derivedId('whd', message.message_id, done.event, id));
            simulation.world.time.at(at.getTime(), () => simulation.messages.put(undefined, message));
            continue;
          }
          const id = idOf(done.number);
          const known = model.get(id);
          if ('deleted' in done) {
            model.delete(id);
            simulation.world.time.at(at.getTime(), () => void simulation.endpoints.delete(clientId, id));
          } else if ('events' in done) {
            if (known !== undefined) model.set(id, { ...known, chosen: done.events });
            const events = done.events === null ? null : [...done.events];
            simulation.world.time.at(at.getTime(), () => void change(id, { events }, index));
          } else {
            if (known !== undefined) model.set(id, { ...known, enabled: done.enabled });
            simulation.world.time.at(at.getTime(), () => void change(id, { enabled: done.enabled }, index));
          }
        }
        await simulation.run((steps.length + 2) * stepSeconds);
        const posted = simulation.posts.map(({ deliveryId }) => deliveryId);
        expect(posted.toSorted()).toEqual([...expected].toSorted());
      },
    ),
    { numRuns: 100 },
  );
});

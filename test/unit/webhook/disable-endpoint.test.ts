/** An endpoint that acknowledges nothing for five days in twenty attempts is disabled, once, and its client is told. */
import { describe, expect, it } from '@jest/globals';
import { addDays, addSeconds } from '../../../shared/platform/clock.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { changed, type WebhookEndpoint } from '../../../shared/webhook/webhook-endpoint.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';
import { usualFaults } from '../../support/simulation/usual-faults.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const clientId = 'client-a';
const [failingId, allId, smsId, noticesId] = ['whe_failing', 'whe_all', 'whe_sms', 'whe_notices'];
const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };
const idOf = (number: number) => `msg_${String(number).padStart(26, '0')}`;

interface Wanted {
  /** When messages are sent, in hours from the start. */
  readonly hours: readonly number[];
  /** Whether the failing endpoint accepts the webhook of the message. */
  readonly accepts?: (messageNumber: number) => boolean;
  readonly faults?: boolean;
}

async function simulated({ hours, accepts = () => false, faults = false }: Wanted) {
  const random = randomFrom(5);
  const accepted = new Set(
    hours
      .map((_, number) => number)
      .filter(accepts)
      .map((number) => derivedId('whd', idOf(number), 'sms.sent', failingId)),
  );
  const failing = new Set(hours.map((_, number) => derivedId('whd', idOf(number), 'sms.sent', failingId)));
  const simulation = simulatedGateway({
    ...(faults ? usualFaults(random, 0) : { random, latencyMs: () => 5 }),
    startAt: created,
    answer: (deliveryId) => ({
      afterMs: 50,
      status: failing.has(deliveryId) && !accepted.has(deliveryId) ? 500 : 200,
    }),
  });
  const rows: readonly Partial<WebhookEndpoint>[] = [
    { endpoint_id: failingId },
    { endpoint_id: allId },
    { endpoint_id: smsId, events: ['sms.*'] },
    { endpoint_id: noticesId, events: ['webhook_endpoint.disabled'] },
  ];
  for (const row of rows)
    await simulation.endpoints.create(anEndpoint({ client_id: clientId, ...row }), secret);
  for (const [number, hour] of hours.entries())
    simulation.world.time.at(addSeconds(created, hour * 3600).getTime(), () =>
      simulation.messages.put(
        aMessage({ message_id: idOf(number) }),
        aSentMessage({ message_id: idOf(number) }),
      ),
    );
  await simulation.run(8 * 86_400);
  const endpoint = await simulation.endpoints.get(clientId, failingId);
  const noticesTo = (id: string) =>
    new Set(
      simulation.posts
        .filter(({ body }) => body.includes('webhook_endpoint.disabled'))
        .map(({ deliveryId }) => deliveryId)
        .filter(
          (deliveryId) =>
            deliveryId ===
            derivedId('whd', failingId, 'webhook_endpoint.disabled', endpoint?.disabled_at ?? '', id),
        ),
    ).size;
  const entries = [...simulation.activities.values()].filter(
    ({ kind }) => kind === 'webhook_endpoint_disabled',
  );
  return { simulation, endpoint, noticesTo, entries };
}

/** Every twelve hours for seven days: six attempts each. */
const often = Array.from({ length: 15 }, (_, index) => index * 12);

describe('an endpoint', () => {
  it.each([false, true])(
    'that acknowledges nothing is disabled after five days, and its client told once, with faults: %s',
    async (faults) => {
      const { simulation, endpoint, noticesTo, entries } = await simulated({ hours: often, faults });
      expect(endpoint).toMatchObject({ enabled: false, disabled_reason: 'no_successful_delivery' });
      expect(endpoint).not.toHaveProperty('notice_pending');
      const disabledAt = new Date(endpoint?.disabled_at ?? 0);
      expect(disabledAt.getTime()).toBeGreaterThanOrEqual(addDays(created, 5).getTime());
      expect(disabledAt.getTime()).toBeLessThan(addDays(created, 5.6).getTime());
      // The endpoints that filter for other events are not told, nor is the one itself.
      expect([allId, noticesId, smsId, failingId].map(noticesTo)).toEqual([1, 1, 0, 0]);
      expect(entries).toHaveLength(1);
      expect(entries[0]).toMatchObject({ client_id: clientId, at: endpoint?.disabled_at });
      const notice = simulation.posts.find(({ body }) => body.includes('webhook_endpoint.disabled'));
      expect(JSON.parse(notice?.body ?? '{}')).toEqual({
        event: 'webhook_endpoint.disabled',
        timestamp: endpoint?.disabled_at,
        data: {
          endpoint_id: failingId,
          url: endpoint?.url,
          disabled_at: endpoint?.disabled_at,
          reason: 'no_successful_delivery',
          client_id: clientId,
        },
      });
      const late = simulation.posts.filter(({ at, deliveryId }) => {
        const isOfFailing = often.some(
          (_, number) => derivedId('whd', idOf(number), 'sms.sent', failingId) === deliveryId,
        );
        return isOfFailing && at > addSeconds(disabledAt, 60);
      });
      expect(late).toEqual([]);
    },
  );

  it('with one success in between is not disabled', async () => {
    const { endpoint, entries } = await simulated({ hours: often, accepts: (number) => number === 8 });
    expect(endpoint?.enabled).toBe(true);
    expect(entries).toEqual([]);
  });

  it('with fewer than twenty attempts is not disabled', async () => {
    // Three messages with six attempts each.
    const { endpoint } = await simulated({ hours: [0, 60, 150] });
    expect(endpoint).toMatchObject({ enabled: true, failed_attempts: 18 });
  });

  it('that succeeds costs no write, and failures are counted up to twenty', async () => {
    const working = await simulated({ hours: often, accepts: () => true });
    expect(working.endpoint).toEqual(anEndpoint({ client_id: clientId, endpoint_id: failingId }));
    const failing = await simulated({ hours: often.filter((hour) => hour <= 96) });
    expect(failing.endpoint).toMatchObject({ enabled: true, failed_attempts: 20 });
  });

  it('that is enabled again, or gets another URL, is counted again from zero', () => {
    const disabled: WebhookEndpoint = {
      ...anEndpoint(),
      enabled: false,
      disabled_at: created.toISOString(),
      disabled_reason: 'no_successful_delivery',
      failing_since: created.toISOString(),
      failed_attempts: 20,
    };
    const last_disabled = { from: created.toISOString(), until: created.toISOString() };
    expect(changed(disabled, { enabled: true }, created, 'second')).toEqual(
      anEndpoint({ revision: 'second', last_disabled }),
    );
    const { failing_since, failed_attempts } = disabled;
    const failing = {
      ...anEndpoint(),
      failing_since: failing_since ?? '',
      failed_attempts: failed_attempts ?? 0,
    };
    const url = 'https://other.example.com';
    expect(changed(failing, { destination: { url } }, created, 'second')).toEqual(
      anEndpoint({ url, revision: 'second' }),
    );
    expect(changed(failing, { description: 'x' }, created, 'second')).toEqual({
      ...failing,
      description: 'x',
      revision: 'second',
    });
  });
});

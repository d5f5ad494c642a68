/** A test event can be sent to every endpoint, whatever events it takes. */
import { expect, it } from '@jest/globals';
import { endpointDisabledEvent, eventFilters } from '../../../shared/contract/webhook-events.ts';
import { testEvent } from '../../../shared/webhook/test-event.ts';
import { created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

it.each(eventFilters)('an endpoint that takes %s only', (filter) => {
  const { event, body } = testEvent(anEndpoint({ events: [filter] }), undefined, created);
  const expected = filter === endpointDisabledEvent ? 'sms.delivered' : filter.replace('*', 'delivered');
  expect(event).toBe(expected);
  expect(JSON.parse(body)).toMatchObject({
    event: expected,
    timestamp: created.toISOString(),
    data: { test: true },
  });
});

it('one of an opt-out has what a real one has', () => {
  const endpoint = anEndpoint({ events: ['recipient.opted_out'] });
  const { data } = JSON.parse(testEvent(endpoint, undefined, created).body);
  const { client_id } = endpoint;
  expect(data).toMatchObject({ client_id, recipient: '+447700900123', channel: 'sms', source: 'keyword' });
});

/** Faults of webhooks: planned, claimed, signed, repeated, resent, and of their endpoints. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const delivery = 'shared/webhook/delivery.ts';
const claim = 'shared/webhook/deliver/deliver-webhook.ts';
const disable = 'shared/webhook/deliver/disable-endpoint.ts';
const secrets = 'shared/client/webhook-secrets.ts';

export const faults: DeliberateFaults = {
  'an endpoint gets the events that it did not ask for': {
    theme: 'webhooks',
    promise: '12.1',
    changes: [
      {
        file: 'shared/webhook/webhook-endpoint.ts',
        replace: 'return enabled && matchesFilters(event, events);',
        by: 'return enabled && matchesFilters(event, undefined);',
      },
    ],
  },
  'an event is lost where the endpoints of its client cannot be read': {
    theme: 'webhooks',
    promise: '7.12',
    changes: [{ file: 'shared/relay/relay.ts', replace: 'unknown.push({ before, after });', by: '' }],
  },
  'two workers make the same first attempt': {
    theme: 'webhooks',
    promise: '7.12',
    changes: [
      {
        file: claim,
        replace: '(await deliveries.create(delivery)).revision === delivery.revision',
        by: '(await deliveries.create(delivery)).revision !== undefined',
      },
    ],
  },
  'a delivery is replaced although it has changed': {
    theme: 'webhooks',
    promise: '7.12',
    changes: [
      {
        file: 'shared/webhook/delivery-store.dynamo.ts',
        replace: "'revision = :seen'",
        by: "'revision = :seen OR attribute_exists(revision)'",
      },
    ],
  },
  'an attempt of another worker is made again': {
    theme: 'webhooks',
    promise: '7.12',
    changes: [
      {
        file: delivery,
        replace: "return now < until ? { kind: 'held', until } : { kind: 'attempt' };",
        by: "return until < now ? { kind: 'held', until } : { kind: 'attempt' };",
      },
    ],
  },
  'a retry is counted from the start of the failed attempt': {
    theme: 'webhooks',
    promise: '7.8',
    changes: [
      {
        file: delivery,
        replace: 'const dueAt = addSeconds(new Date(attempt.ended_at), delay);',
        by: 'const dueAt = addSeconds(new Date(attempt.started_at), delay);',
      },
    ],
  },
  'a webhook is given up before its fifth retry': {
    theme: 'webhooks',
    promise: '7.9',
    changes: [
      {
        file: delivery,
        replace: 'const delay = retryDelaysSeconds[afterAttempt - 1];',
        by: 'const delay = retryDelaysSeconds.slice(0, -1)[afterAttempt - 1];',
      },
    ],
  },
  'a retry that cannot be scheduled is left to the usual sweep': {
    theme: 'webhooks',
    promise: '7.8',
    changes: [
      {
        file: 'shared/webhook/delivery-queue.sqs.ts',
        replace: "await dueItemIndex.add('deliveries', [{ id: dueItemIdOf(delivery), dueAt: sweptAt }]);",
        by: '',
      },
    ],
  },
  'the old signature is made with the new secret': {
    theme: 'webhooks',
    promise: '7.5',
    changes: [
      { file: 'shared/webhook/deliver/sign-and-post.ts', replace: 'signing.at(-1)', by: 'signing.at(0)' },
    ],
  },
  'a worker keeps the secrets of a client for five minutes': {
    theme: 'webhooks',
    promise: '7.6',
    changes: [{ file: secrets, replace: 'maxAgeSeconds: 30,', by: 'maxAgeSeconds: 300,' }],
  },
  'the webhooks of an endpoint are signed with the secret of the account': {
    theme: 'webhooks',
    promise: '12.2',
    changes: [
      {
        file: secrets,
        replace: 'await source.find(clientId, endpointId)',
        by: '(await source.find(clientId, undefined)) ?? endpointId',
      },
    ],
  },
  'a disabled endpoint still gets what is on its way': {
    theme: 'webhooks',
    promise: '12.1',
    changes: [
      {
        file: claim,
        replace: "...(endpoint.enabled ? {} : { unposted: 'endpoint_disabled' })",
        by: '...{}',
      },
    ],
  },
  'an endpoint is disabled although it had a success': {
    theme: 'webhooks',
    promise: '12.5',
    changes: [
      {
        file: disable,
        replace: 'if (endpoint.failing_since !== undefined) await endpoints.clearFailures(endpoint);',
        by: '',
      },
    ],
  },
  'an endpoint is disabled after few attempts': {
    theme: 'webhooks',
    promise: '12.5',
    changes: [
      {
        file: disable,
        replace: 'if (failing_since === undefined || failed_attempts < disabledAfter.attempts) return false;',
        by: 'if (failing_since === undefined || failed_attempts < 0) return false;',
      },
    ],
  },
  'a client has eleven endpoints': {
    theme: 'webhooks',
    promise: '12.2',
    changes: [
      {
        file: 'shared/webhook/endpoint-store.dynamo.ts',
        replace: "'attribute_not_exists(endpoints) OR endpoints < :max'",
        by: "'attribute_not_exists(endpoints) OR endpoints <= :max'",
      },
    ],
  },
  'a resend of many is not continued after its request': {
    theme: 'webhooks',
    promise: '12.4',
    changes: [
      {
        file: 'shared/webhook/log/request-resend.ts',
        replace: "dependencies.dueItemIndex.add('resends', [{ id, dueAt:",
        by: 'Promise.resolve(void [{ id, dueAt:',
      },
    ],
  },
};

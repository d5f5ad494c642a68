/** The webhooks in the API document: all events, and callbacks for the operations that set a webhook URL. */

import type * as z from 'zod/mini';
import type { Channel } from '../../../shared/contract/channels.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import {
  endpointDisabledEvent,
  inboundEvents,
  type MessageEventName,
  messageEvents,
  recipientEvents,
} from '../../../shared/contract/webhook-events.ts';
import {
  acknowledgeWithinSeconds,
  retryDelaysSeconds,
} from '../../../shared/contract/webhook-worker-times.ts';
import type { EventStatus } from '../../../shared/message/message.ts';
import { inWords } from '../../../shared/platform/clock.ts';
import { disabledAfter } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import type { endpointDisabled } from '../../../shared/webhook/event-body.schema.ts';
import { eventBody, recipientEventBody } from '../../../shared/webhook/plan-deliveries.ts';
import type { JsonSchema } from './named-schemas.ts';
import { clientId, deliveredSms, deliveredWhatsApp, endpointId, receivedSms } from './operations/examples.ts';
import type { OperationName } from './operations.ts';
import { reference } from './responses.ts';

/**
 * Callbacks with the bodies' types, which repeat the webhooks: oapi-codegen omits types that only webhooks use, and its
 * client would not compile.
 */
export const callbacksOf: Readonly<Partial<Record<OperationName, Readonly<Record<string, unknown>>>>> = {
  updateAccount: {
    events: callback('webhook_url', 'WebhookEvent', {
      ...notification('onMessageEvent', 'An event of a message'),
      description: 'Every event of messages that have no `webhook_url`: see the webhooks.',
    }),
    received: callback('webhook_url', 'InboundMessageEvent', {
      ...notification('onInboundMessage', 'A message from a person'),
      description: 'Every message that a recipient sends to the client: see the webhooks.',
    }),
    recipients: callback('webhook_url', 'RecipientEvent', {
      ...notification('onRecipientEvent', 'A recipient opted out or in'),
      description: 'Every opt-out and opt-in of a recipient: see the webhooks.',
    }),
  },
  createWebhookEndpoint: {
    disabled: callback('url', 'WebhookEndpointDisabledEvent', {
      ...notification('onEndpointDisabled', 'Another endpoint was disabled'),
      description: `Another endpoint of the client acknowledged nothing for ${disabledAfter.days} days, or answered 410: see the webhooks.`,
    }),
  },
};

/** @param field - the request field that contains the URL */
function callback(field: string, schema: string, post: Record<string, unknown>): Record<string, unknown> {
  const content = { 'application/json': { schema: reference(schema) } };
  return { [`{$request.body#/${field}}`]: { post: { ...post, requestBody: { required: true, content } } } };
}

const everyDestination =
  'the URL of the account, and to every webhook endpoint of the client that receives this event';

export function webhooks() {
  return {
    ...webhooksOf(messageEvents, {
      to: 'the `webhook_url` of the message, or else to the URL of the account; and to every webhook endpoint of the client that receives this event',
      schema: 'WebhookEvent',
      exampleOf: eventExample,
    }),
    ...webhooksOf(inboundEvents, {
      to: everyDestination,
      schema: 'InboundMessageEvent',
      exampleOf: inboundExample,
    }),
    ...webhooksOf(recipientEvents, {
      to: everyDestination,
      schema: 'RecipientEvent',
      exampleOf: recipientExample,
    }),
    ...webhooksOf(
      {
        [endpointDisabledEvent]: `A webhook endpoint was disabled: it acknowledged nothing for ${disabledAfter.days} days, or answered 410`,
      },
      {
        to: 'the other webhook endpoints of the client that receive this event',
        schema: 'WebhookEndpointDisabledEvent',
        exampleOf: () => endpointDisabledExample,
      },
    ),
  };
}

/** @param summaries - the summary of each event */
function webhooksOf<Name extends string>(
  summaries: Readonly<Record<Name, string>>,
  {
    to,
    schema,
    exampleOf,
  }: {
    /** The URL to which the events are posted. */
    readonly to: string;
    readonly schema: string;
    /** Returns an example of the body. */
    readonly exampleOf: (name: Name) => unknown;
  },
) {
  const described = (Object.entries(summaries) as [Name, string][]).map(([name, summary]) => {
    const post = {
      ...notification(`on${name.split(/[._]/).map(capitalized).join('')}`, summary),
      description: `Posted to ${to}. At a webhook endpoint any 2xx within its \`timeout_seconds\` acknowledges; elsewhere only 200 within ${inWords([acknowledgeWithinSeconds])} does. Any other response is a failed attempt; retries follow after ${inWords(retryDelaysSeconds)}.`,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: reference(schema),
            examples: { [name]: { summary, value: exampleOf(name) } },
          },
        },
      },
    };
    return [name, { post }] as const;
  });
  return Object.fromEntries(described);
}

function notification(operationId: string, summary: string) {
  const header = (headerName: string, description: string): JsonSchema => ({
    name: headerName,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  });
  return {
    operationId,
    tags: ['Webhooks'],
    summary,
    // The signature authenticates the gateway, so no security scheme applies.
    security: [],
    parameters: [
      header(
        'X-Webhook-Signature',
        'HMAC-SHA256 of the raw body, keyed with the webhook secret; lowercase hex.',
      ),
      header('webhook-id', 'The same value on every attempt: use it to detect duplicates.'),
      header('webhook-timestamp', 'The time of this attempt, in Unix seconds.'),
      header('webhook-signature', 'Standard Webhooks: `v1,<base64>`, one for each active secret.'),
    ],
    responses: {
      '200': { description: 'Acknowledged: there will be no further attempt.' },
      '410': { description: 'A failed attempt. A webhook endpoint is disabled at once.' },
      '4XX': { description: 'A failed attempt.' },
    },
  };
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** The time of the events in the examples. */
const at = '2026-11-20T10:00:03.120Z';

/** Returns an example of an event's body. The functions that create real bodies return text. */
export function inboundExample(event: keyof typeof inboundEvents): unknown {
  return JSON.parse(eventBody({ ...receivedSms, channel: channelOf(event) }, 'received'));
}

export function recipientExample(event: keyof typeof recipientEvents): unknown {
  return JSON.parse(recipientEventBody(receivedSms, event, at));
}

export const endpointDisabledExample: z.output<typeof endpointDisabled> = {
  event: endpointDisabledEvent,
  timestamp: at,
  data: {
    endpoint_id: endpointId,
    url: 'https://example.com/webhooks/delivered',
    disabled_at: at,
    reason: 'no_successful_delivery',
    client_id: clientId,
  },
};

/** Returns an example body for a delivered message whose last state matches the event. */
export function eventExample(event: MessageEventName): unknown {
  const channel = channelOf(event);
  const status = event.slice(event.indexOf('.') + 1) as Exclude<EventStatus, 'received'>;
  const message = {
    ...(channel === 'sms' ? deliveredSms : deliveredWhatsApp),
    ...(status === 'sent' ? {} : { [`${status}_at`]: at }),
    ...(status === 'failed'
      ? { error_code: 'unreachable', error_message: messageErrorCodes.unreachable }
      : {}),
  } as const;
  return JSON.parse(eventBody(message, status));
}

function channelOf(event: string): Channel {
  return event.startsWith('sms') ? 'sms' : 'whatsapp';
}

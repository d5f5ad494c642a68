/** How to receive webhooks; a test runs the programs on this page against real deliveries. */

import { previousSecretHours } from '../../../../shared/client/client-admin.ts';
import { secretActiveAfterSeconds } from '../../../../shared/client/webhook-secrets.ts';
import { acknowledgeWithinSeconds } from '../../../../shared/contract/webhook-worker-times.ts';
import { inWords } from '../../../../shared/platform/clock.ts';
import { retryDelaysSeconds } from '../../../../shared/webhook/delivery.ts';
import { endpointsMax } from '../../../../shared/webhook/webhook-endpoint.ts';
import type { OpenApiDocument } from '../../openapi/document.ts';
import { codeBlock } from '../highlight.ts';
import { codeRow, heading, html, inline, prose, table } from '../html.ts';
import { languageBlocks } from '../language-blocks.ts';
import type { Page, Topic } from '../page.ts';
import { type ReceiverLanguage, receiverSource, receivers } from '../receivers.ts';
import { eventTable } from '../reference/events.ts';
import { linkTo } from '../site.ts';

const headers: Readonly<Record<string, string>> = {
  'X-Webhook-Signature':
    'Lowercase hexadecimal HMAC-SHA256 of the raw body. The key is the webhook secret as you got it, `whsec_` included, as UTF-8 bytes. It covers neither the identifier nor the time.',
  'webhook-id': 'The identifier of this notification (`whd_…`): the same for every attempt.',
  'webhook-timestamp': 'When this attempt was made, in Unix seconds.',
  'webhook-signature':
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`. The key is the base64-decoded part of the secret after `whsec_`. Several signatures, one for each live secret, are separated by spaces.',
};

const topicsOf = (document: Pick<OpenApiDocument, 'webhooks'>): readonly Topic[] => [
  {
    id: 'where',
    title: 'Where they go',
    content: html`${prose(
      `To the \`webhook_url\` of the send request; where it has none, to your account’s URL at the time of the event ([\`PATCH /api/v1/account\`](${linkTo('reference', 'updateAccount')})). The URL must be https on port 443, or http on port 80 where the deployment allows it, and its host must have a public address. Redirects are not followed.`,
    )}
${prose(`In addition you can have up to ${endpointsMax} [webhook endpoints](${linkTo('reference', 'createWebhookEndpoint')}), each with a secret and a filter of events of its own. Every endpoint that matches an event gets a separate notification, with its own \`webhook-id\` and retries. A [test event](${linkTo('reference', 'testWebhookEndpoint')}) has \`"test": true\` in \`data\`.`)}`,
  },
  {
    id: 'events',
    title: 'Events',
    content: html`${eventTable(document)}
${prose(`The gateway sends exactly one event for each state that a message enters. The body is \`{"event", "timestamp", "data"}\`; \`data\` of a message that you sent always has \`message_id\`, \`recipient\`, \`status\` and \`client_id\`. The [other fields](${linkTo('reference', 'events')}) appear once they are known and are left out before. Ignore fields and events that you do not know: a release may add some.`)}`,
  },
  {
    id: 'verify',
    title: 'Verify',
    content: html`${prose('Verify `webhook-signature`, which follows Standard Webhooks: it covers the identifier and the time too. Always sign the raw bytes of the body, compare in constant time, refuse a timestamp that is more than 5 minutes off, and process each `webhook-id` once.')}
${prose('`X-Webhook-Signature` is for existing code. It does not protect from a replay: anyone who has seen a notification can send its body again at any time, with another identifier, and the signature is valid. If you verify only this header, process each message and state once, whatever the identifier is; if you verify both, require `webhook-signature`.')}
${table(
  [{ title: 'Header' }, { title: 'Meaning' }],
  Object.entries(headers).map(([name, meaning]) => codeRow(`header.${name}`, name, inline(meaning))),
)}
${prose(`A new client’s secret is shown when the client is created; [\`POST /api/v1/account/webhook-secret\`](${linkTo('reference', 'rotateWebhookSecret')}) issues another. Libraries for Standard Webhooks accept the secret as it is.`)}`,
  },
  {
    id: 'acknowledge',
    title: 'Acknowledge',
    content: prose(
      `Answer with status 200 within ${inWords([acknowledgeWithinSeconds])}. Everything else is a failed attempt, 204 and redirects included. So store the notification first, answer, and process it afterwards.`,
    ),
  },
  {
    id: 'retries',
    title: 'Retries',
    content: prose(
      `After a failed attempt the gateway tries again, ${retryDelaysSeconds.length} times: ${inWords(retryDelaysSeconds)} after the attempt before, whatever a \`Retry-After\` header of the response says. The body is the same to the byte; timestamp and signature are new. After the last one the notification has failed. You can [list what has failed](${linkTo('reference', 'listWebhookDeliveries')}), [see every attempt](${linkTo('reference', 'getWebhookDelivery')}), and [send everything again](${linkTo('reference', 'resendWebhookDeliveries')}) that failed since a time.`,
    ),
  },
  {
    id: 'duplicates',
    title: 'Duplicates and order',
    content: prose(
      'A notification can arrive twice, for example when your 200 was lost on the way. Store the `webhook-id` with each notification, and ignore one that you have already stored. Notifications of one message can arrive in any order: use `data.status` and `timestamp`, and never let an earlier state replace a later one.',
    ),
  },
  {
    id: 'rotate',
    title: 'Change the secret',
    content: html`${prose(`A new secret signs from its \`active_at\` on, at most ${secretActiveAfterSeconds} seconds after its creation; until then only the old one signs. For the ${previousSecretHours} hours after that both sign: \`X-Webhook-Signature\` uses the oldest, \`webhook-signature\` has a signature for each. Afterwards only the new one signs.`)}
${prose(`So accept a notification if \`webhook-signature\` is valid with either secret. The endpoints below do so, with one or several secrets, separated by spaces. To rotate without refusing a notification: issue the new secret, configure both the old and the new one, and remove the old one after \`previous_secret_expires_at\`. An endpoint that supports one secret can change to the new one at any time between \`active_at\` and then. If another secret is issued within that time, each one signs until its own ${previousSecretHours} hours have passed.`)}`,
  },
];

export function webhooksPage(document: Pick<OpenApiDocument, 'webhooks'>): Page {
  const topics = topicsOf(document);
  const endpoints = { id: 'endpoints', title: 'Complete endpoints' };
  return {
    sections: [...topics, endpoints].map(({ id, title }) => ({ id, title })),
    main: html`<h1>Webhooks</h1>
${prose('The gateway sends a `POST` to your server for each state change of a message, for each message that people send to you, and when a person opts out of your messages. This page describes how to receive these webhooks, and how to verify that they come from the gateway.')}
${topics.map(({ id, title, content }) => html`<section>${heading(2, id, title)}${content}</section>`)}
<section>${heading(2, endpoints.id, endpoints.title)}${prose(`Each program is complete and needs no packages. The [quick start](${linkTo('start', 'receive')}) says how to run one.`)}
${languageBlocks(
  (Object.keys(receivers) as ReceiverLanguage[]).map((language) => {
    const { title, grammar } = receivers[language];
    return { language, title, content: codeBlock(receiverSource(language), grammar, `Endpoint in ${title}`) };
  }),
)}</section>`,
  };
}

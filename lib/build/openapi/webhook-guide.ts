/** The guide for webhooks; its code is the very files that a test runs against real deliveries. */
import {
  acknowledgeWithinSeconds,
  inWords,
  retryDelaysSeconds,
} from '../../../shared/contract/retry-delays.ts';
import { messageEvents } from '../../../shared/contract/webhook-events.ts';
import goReceiver from './guide/verify.go' with { type: 'text' };
import nodeReceiver from './guide/verify.mjs' with { type: 'text' };
import pythonReceiver from './guide/verify.py' with { type: 'text' };
import { code, html, inline, type Page, prose } from './page.ts';

const headers: Readonly<Record<string, string>> = {
  'X-Webhook-Signature':
    'Lowercase hexadecimal HMAC-SHA256 of the raw body. The key is the webhook secret as you got it, `whsec_` included, as UTF-8 bytes.',
  'webhook-id': 'The identifier of this notification (`whd_…`): the same for every attempt.',
  'webhook-timestamp': 'When this attempt was made, in Unix seconds.',
  'webhook-signature':
    'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`. The key is the base64-decoded part of the secret after `whsec_`. Several signatures, one for each live secret, are separated by spaces.',
};

export function webhookGuide(): Page {
  const sections: readonly [string, string][] = [
    ['where', 'Where they go'],
    ['events', 'Events'],
    ['verify', 'Verify'],
    ['acknowledge', 'Acknowledge'],
    ['retries', 'Retries'],
    ['duplicates', 'Duplicates and order'],
    ['rotate', 'Change the secret'],
    ['node', 'Node'],
    ['python', 'Python'],
    ['go', 'Go'],
  ];
  const heading = (id: string) => html`<h2 id="${id}">${sections.find(([known]) => known === id)?.[1]}</h2>`;
  return {
    title: 'Messaging Gateway: guide for webhooks',
    navigation: [
      html`<a href="../docs"><b>Messaging Gateway</b></a><strong>Guide for webhooks</strong>`,
      ...sections.map(([id, title]) => html`<a href="#${id}">${title}</a>`),
    ],
    main: [
      html`<h1>Guide for webhooks</h1>`,
      prose(
        'The gateway sends a `POST` to your server for each state change of a message. This page describes how to receive these webhooks, and how to verify that they come from the gateway.',
      ),
      heading('where'),
      prose(
        'To the `webhook_url` of the send request; where it has none, to your account’s URL at the time of the event (`PATCH /api/v1/account`). The URL must be https on port 443, or http on port 80 where the deployment allows it, and its host must have a public address. Redirects are not followed.',
      ),
      prose(
        'In addition you can have up to 10 webhook endpoints (`POST /api/v1/webhook-endpoints`), each with its own secret and a filter of events. Every endpoint that matches an event gets a notification of its own, with its own `webhook-id` and retries. `POST /api/v1/webhook-endpoints/{endpoint_id}/test` sends a test event, which has `"test": true` in `data`.',
      ),
      heading('events'),
      html`<div class="table"><table><tbody>${Object.entries(messageEvents).map(
        ([name, meaning]) => html`<tr><td><code>${name}</code></td><td>${inline(meaning)}</td></tr>`,
      )}</tbody></table></div>`,
      prose(
        'Exactly one event for each state that a message enters. The body is `{"event", "timestamp", "data"}`; `data` always has `message_id`, `recipient`, `status` and `client_id`. The other fields appear once they are known and are left out before. Ignore fields that you do not know: more may come.',
      ),
      heading('verify'),
      prose(
        'Two signatures are sent, and a notification is genuine if either is valid. `webhook-signature` is the stronger one: it covers the time and the identifier too, so an old notification cannot be replayed. Always sign the raw bytes of the body, compare in constant time, and refuse a timestamp that is more than 5 minutes off.',
      ),
      html`<div class="table"><table class="fields"><tbody>${Object.entries(headers).map(
        ([name, meaning]) => html`<tr><td><code>${name}</code></td><td>${inline(meaning)}</td></tr>`,
      )}</tbody></table></div>`,
      prose(
        'A new client’s secret is shown when the client is created; `POST /api/v1/account/webhook-secret` issues another. Libraries for Standard Webhooks accept the secret as it is.',
      ),
      heading('acknowledge'),
      prose(
        `Answer with status 200 within ${inWords([acknowledgeWithinSeconds])}. Everything else is a failed attempt, 204 and redirects included. So store the notification first, answer, and process it afterwards.`,
      ),
      heading('retries'),
      prose(
        `After a failed attempt the gateway tries again, ${retryDelaysSeconds.length} times: ${inWords(retryDelaysSeconds)} after the attempt before, whatever a \`Retry-After\` header of the answer says. The body is the same to the byte; timestamp and signature are new. After the last one the notification is marked failed and listed in the dashboard under Activity Logs, from where it can be sent again.`,
      ),
      heading('duplicates'),
      prose(
        'A notification can arrive twice, for example when your 200 was lost on the way. Store the `webhook-id` with each notification, and ignore one that you have already stored. Notifications of one message can arrive in any order: use `data.status` and `timestamp`, and never let an earlier state replace a later one.',
      ),
      heading('rotate'),
      prose(
        'A new secret signs from its `active_at` on, at most 60 seconds after its creation; until then only the old one signs. For the 24 hours after that both sign: `X-Webhook-Signature` uses the oldest, `webhook-signature` has a signature for each. Afterwards only the new one signs.',
      ),
      prose(
        'So accept a notification if either signature is valid. The sample endpoints below do so, with one or several secrets, separated by spaces. To rotate without refusing a notification: issue the new secret, configure both the old and the new one, and remove the old one after `previous_secret_expires_at`. An endpoint that supports one secret can change to the new one at any time between `active_at` and then. If another secret is issued within that time, each one signs until its own 24 hours have passed.',
      ),
      heading('node'),
      code(nodeReceiver),
      heading('python'),
      code(pythonReceiver),
      heading('go'),
      code(goReceiver),
    ],
  };
}

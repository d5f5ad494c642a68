/** How to try everything without sending a real message. */

import { simulatedRecipients } from '../../../../shared/carrier/simulator/simulated-recipients.ts';
import { codeRow, heading, html, prose, table } from '../html.ts';
import type { Page } from '../page.ts';
import { linkTo } from '../site.ts';

export function testingPage(): Page {
  return {
    sections: [
      { id: 'test-keys', title: 'Test keys' },
      { id: 'simulator', title: 'The simulator' },
      { id: 'recipients', title: 'Simulated recipients' },
      { id: 'one-time-passwords', title: 'Codes of one-time passwords' },
      { id: 'inbound', title: 'Messages from people' },
      { id: 'retries', title: 'Webhook retries' },
    ],
    main: html`<h1>Testing</h1>
<section>${heading(2, 'test-keys', 'Test keys')}
${prose(`A test key (\`sk-test-…\`, or the token of a test secret \`cs_test_…\`) works on every gateway, also where the carrier is a real one: nothing is sent to a phone and nothing is charged. Your permissions and limits are those of live keys; messages, suppressions, webhook endpoints and usage are apart, and message statuses, the account and webhooks have \`"mode": "test"\`. An administrator creates one: \`npm run admin -- api-keys create CLIENT --test\`. [The test outbox](${linkTo('reference', 'listTestOutbox')}) shows what was "sent" in the last day, one-time passwords included.`)}</section>
<section>${heading(2, 'simulator', 'The simulator')}
${prose('A gateway on your own machine (`npm start`) and a test stage on AWS have a simulated carrier: nothing is sent to a phone and nothing is charged. Requests, states, receipts and webhooks are those of real messages. If you do not know whether your gateway has the simulator, ask its operator before you send to the numbers below.')}
${prose(`Without a program: each operation of the [reference](${linkTo('reference')}) has a console, **Try it**, which sends a request of your own and shows the answer beside the webhooks that follow.`)}</section>
<section>${heading(2, 'recipients', 'Simulated recipients')}
${prose('The recipient decides what happens to a message, so that you can see how your program handles it:')}
${table(
  [{ title: 'Recipient' }, { title: 'What the simulated carrier does' }],
  Object.entries(simulatedRecipients).map(([number, { words: behavior }]) =>
    codeRow(`recipient.${number.replace('+', '')}`, number, behavior),
  ),
)}
${prose('A message to any other recipient is sent, then delivered.')}</section>
<section>${heading(2, 'one-time-passwords', 'Codes of one-time passwords')}
${prose('No response and no webhook contains a code. With the simulator an administrator finds it in the outbox, which has every message that was “sent”: in the dashboard, or with `npm run admin -- call listOutbox --to +447700900123`.')}</section>
<section>${heading(2, 'inbound', 'Messages from people')}
${prose(`With the simulator an administrator can write as a person would, to the client that last sent to that person by the same channel: in the dashboard, or with \`npm run admin -- call sendInbound --from +447700900123 --text STOP\`. The message is [listed](${linkTo('reference', 'listMessages')}) with \`direction=inbound\`, and your endpoint gets \`sms.received\`. After \`STOP\` also \`recipient.opted_out\`: your messages to that person fail with [\`recipient_opted_out\`](${linkTo('errors', 'message.recipient_opted_out')}) until they write \`START\` or you [end the suppression](${linkTo('reference', 'deleteSuppression')}).`)}</section>
<section>${heading(2, 'retries', 'Webhook retries')}
${prose(`On your own machine webhooks may go to \`http://127.0.0.1\` on any port. \`npm start -- --time-scale 100\` makes the [delays between attempts](${linkTo('webhooks', 'retries')}) 100 times shorter. Answer with a status other than 200 to see the retries.`)}</section>`,
  };
}

/** The quick start: from a test key to a verified webhook, by commands that a test runs as they are shown. */

import type { OpenApiDocument } from '../../openapi/document.ts';
import { tokenLifetime } from '../../openapi/introduction.ts';
import { type ClientWithQuickStart, clientQuickStart, clients } from '../client-quick-starts.ts';
import { codeBlock, type Grammar } from '../highlight.ts';
import { type Html, heading, html, prose } from '../html.ts';
import { languageBlocks } from '../language-blocks.ts';
import type { Page, Topic } from '../page.ts';
import { type ReceiverLanguage, receivers } from '../receivers.ts';
import { languages } from '../samples/samples.ts';
import { linkTo } from '../site.ts';

/** A command that prints the first value of a field in a JSON response: it needs no tool but those of every shell. */
const field = (name: string): string => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;

const port = 8080;

export function startPage({ servers }: Pick<OpenApiDocument, 'servers'>): Page {
  const baseUrl = servers[0]?.url ?? '';
  const steps = stepsOf(baseUrl);
  return {
    sections: [...steps, client, next].map(({ id, title }) => ({ id, title })),
    main: html`<h1>Quick start</h1>
${prose('The Messaging Gateway sends SMS, WhatsApp messages and one-time passwords over HTTPS, and reports the status of each message to your server by signed webhooks. In a few minutes you send a message, follow it, and receive and verify its webhooks. You need a shell with curl, and Node, Python or Go for the webhook endpoint.')}
${steps.map(({ id, title, content }, index) => html`<section>${heading(2, id, `${index + 1}. ${title}`)}${content}</section>`)}
${[client, next].map(({ id, title, content }) => html`<section>${heading(2, id, title)}${content}</section>`)}`,
  };
}

function stepsOf(baseUrl: string): readonly Topic[] {
  return [
    {
      id: 'settings',
      title: 'Set your test key',
      content: html`${prose('Begin with a test API key (`sk-test-…`): nothing that it sends reaches a carrier, on any gateway. The test key and the webhook secret come from the operator of the gateway, who creates a client for you. A gateway on your own machine prints those of a demo client when it starts.')}
${fillInForm()}
${command(
  'settings',
  `export BASE_URL='${baseUrl}'
export TOKEN='YOUR_TEST_API_KEY'
export WEBHOOK_URL='http://127.0.0.1:${port}/'`,
)}
${prose(`A gateway on AWS calls only public https addresses. There, set \`WEBHOOK_URL\` to the address of a tunnel to port ${port} of your machine, such as the one that \`cloudflared tunnel --url http://127.0.0.1:${port}\` prints.`)}`,
    },
    {
      id: 'receive',
      title: 'Start a webhook endpoint',
      content: html`${prose('Run these commands in a second terminal. The program verifies the signature of each webhook, ignores repeats, and prints one line for each event; its source is on the page [Webhooks](~/docs/webhooks#endpoints).')}
${receiverCommands(baseUrl)}`,
    },
    {
      id: 'send',
      title: 'Send a message',
      content: html`${prose(`Run this in the first terminal. The response, 202, means that the message is stored and will be sent: with a test key, by the [simulated carrier](${linkTo('testing', 'simulator')}) to nobody.`)}
${command(
  'send',
  `export MESSAGE_ID=$(curl -sS "$BASE_URL/api/v1/sms/send" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d @- <<END | tee /dev/stderr | ${field('message_id')}
{ "to": "+447700900123", "message": "Hello", "webhook_url": "$WEBHOOK_URL" }
END
)`,
)}`,
    },
    {
      id: 'webhook',
      title: 'See the webhooks',
      content: html`${prose('Within seconds the second terminal prints two verified events, each with the identifier of the webhook, the event, the message and its status:')}
${codeBlock(
  `whd_01KC9V7R1E5T9Y3V7A1H2J4K6M sms.sent msg_01KC9V7Q8Z4N6M2R5T8W1Y3X0A sent
whd_01KC9V7S4A6C8E0G2J4M6P8R0T sms.delivered msg_01KC9V7Q8Z4N6M2R5T8W1Y3X0A delivered`,
  'bash',
  'What the endpoint prints',
)}`,
    },
    {
      id: 'follow',
      title: 'Follow the message',
      content: html`${prose('A request also returns the status, with the times of all states, the cost, and the reason if the message failed:')}
${command('follow', 'curl -sS "$BASE_URL/api/v1/sms/status/$MESSAGE_ID" -H "Authorization: Bearer $TOKEN"')}`,
    },
    {
      id: 'token',
      title: 'Go live with an access token',
      content: html`${prose(`With a live API key in \`TOKEN\` the same commands send real messages: put your own number in \`to\`. Instead of a key that is valid until it is revoked, a program can use access tokens, which a client id and a client secret give, each valid for ${tokenLifetime}. With a test secret (\`cs_test_…\`) it is a test token.`)}
${command(
  'token',
  `export CLIENT_ID='YOUR_CLIENT_ID'
export CLIENT_SECRET='YOUR_CLIENT_SECRET'
export TOKEN=$(curl -sS "$BASE_URL/api/v1/auth/token" \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials | tee /dev/stderr | ${field('access_token')})`,
)}`,
    },
  ];
}

const client: Topic = {
  id: 'client',
  title: 'The same with a client package',
  content: html`${prose('The packages for TypeScript and Python retry failed requests without sending a message twice, and verify webhooks; with a client id and a client secret instead of a key they request and renew the token. The operator of the gateway builds them from its repository with one command. Stop the endpoint of step 2 first: this program receives the webhooks itself, at the same port.')}
${languageBlocks(
  (Object.keys(clients) as ClientWithQuickStart[]).map((name) => ({
    language: name,
    title: clients[name].title,
    content: clientSteps(name),
  })),
)}
${prose('With the settings of step 1 it prints the message that it sent, and the two verified events. For a gateway on AWS, put the address of your tunnel into the program as `webhook_url`.')}`,
};

function clientSteps(name: ClientWithQuickStart): Html {
  const { title, grammar } = clients[name];
  const { install, program, run, file } = clientQuickStart(name);
  const block = (step: string, source: string, language: Grammar, label: string): Html =>
    html`<div data-step="${step}" data-language="${name}">${codeBlock(source, language, label)}</div>`;
  return html`
${prose('Install the package, which `npm run package` in the repository of the gateway writes into `dist`:')}
${block('client-install', install, 'bash', `Commands: install the package for ${title}`)}
${prose(`Save this as \`${file}\`:`)}
${block('client-program', program, grammar, `Program in ${title}`)}
${prose('Run it:')}
${block('client-run', `WEBHOOK_SECRET='YOUR_WEBHOOK_SECRET' ${run}`, 'bash', `Commands: run the program in ${title}`)}`;
}

const next: Topic = {
  id: 'next',
  title: 'Next',
  content: html`<ul>
<li><a href="${linkTo('reference')}">API reference</a>: every operation, with samples in ${new Intl.ListFormat('en').format(Object.values(languages).map(({ title }) => title))}.</li>
<li><a href="${linkTo('reference', 'idempotency')}">Repeating a send safely</a>, before you go live.</li>
<li><a href="${linkTo('webhooks')}">Webhooks</a>: verify, acknowledge, retries, changing the secret.</li>
<li><a href="${linkTo('testing')}">Testing</a>: recipients that fail, expire or answer late.</li>
<li><a href="${linkTo('errors')}">Errors</a> and <a href="${linkTo('limits')}">limits</a>.</li>
</ul>`,
};

/** The form for a test key and the webhook secret, which the page's script shows. The values never leave the tab. */
function fillInForm(): Html {
  const input = (name: string, label: string) =>
    html`<label>${label}<input name="${name}" autocomplete="off" spellcheck="false"></label>`;
  return html`<form id="fill-in" hidden>
<p>Filled in here, they are in the commands of this page; they stay in this tab and are forgotten with it.</p>
${input('test_api_key', 'Test API key')}${input('webhook_secret', 'Webhook secret')}
<p id="fill-in-note" role="status"></p>
</form>`;
}

function command(step: string, source: string): Html {
  return html`<div data-step="${step}">${codeBlock(source, 'bash', `Commands: ${step}`)}</div>`;
}

function receiverCommands(baseUrl: string): Html {
  const blocks = (Object.keys(receivers) as ReceiverLanguage[]).map((language) => {
    const { title, file, run } = receivers[language];
    const source = `curl -so ${file} '${baseUrl}/docs/${file}'
WEBHOOK_SECRET='YOUR_WEBHOOK_SECRET' PORT=${port} ${run} ${file}`;
    return { language, title, content: codeBlock(source, 'bash', `Commands: endpoint in ${title}`) };
  });
  return languageBlocks(blocks, html` data-step="receive"`);
}

/**
 * `npm run bench -- first-rows`: how long after the click on "Sign in" the dashboard shows its first rows, against a bare page
 * that signs in by the same two requests, and shows the same rows in a table without a library. In turns, in one browser.
 */
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser/browser.ts';
import { openDashboard } from '../support/browser/dashboard.ts';
import { fillTables } from '../support/browser/many-rows.ts';
import { eventually, gateway } from '../support/gateway/gateway.ts';
import startGateway from '../support/gateway/start-gateway.ts';
import stopGateway from '../support/gateway/stop-gateway.ts';
import { call, tokenOf } from '../support/http/client.ts';
import { median, printMachine, printTable, quantile, ratio } from './figures.ts';

const messages = 300;
const rounds = 9;
const pages = { dashboard: openSignIn, 'bare page': openBarePage };
type Name = keyof typeof pages;

const barePage = `<!doctype html><title>Bare</title>
<form><label>Client id <input name="id"></label><label>Client secret <input name="secret"></label><button>Sign in</button></form>
<table><tbody></tbody></table>
<script>
const json = async (path, options) => (await fetch(path, options)).json();
const show = (rows) => {
  for (const { client_id } of rows) {
    const link = document.createElement('a');
    link.textContent = client_id;
    document.querySelector('tbody').insertRow().insertCell().append(link);
  }
};
document.querySelector('form').onsubmit = async (event) => {
  event.preventDefault();
  const { id, secret } = event.target.elements;
  const { access_token } = await json('/api/v1/auth/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_id: id.value, client_secret: secret.value, grant_type: 'client_credentials' }),
  });
  const headers = { Authorization: 'Bearer ' + access_token };
  json('/admin/api/attention', { headers }).then((answer) => show(answer.failing_endpoints));
  json('/admin/api/usage/summary?interval=day', { headers }).then((answer) => show(answer.top_clients));
};
</script>`;

printMachine('npm run bench -- first-rows');
await startGateway();
const browser = await startBrowser();
try {
  await fillTables(messages);
  await untilCounted();
  // What starts for the first time, here and in the gateway, is not the figure.
  for (const name of names()) await firstRowsMs(name);
  const taken: Record<Name, number[]> = { dashboard: [], 'bare page': [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names()) taken[name].push(await firstRowsMs(name));
  }
  const bare = median(taken['bare page']);
  printTable(
    ['first rows after', 'median, ms', '90 %, ms', 'against the bare page'],
    names().map((name) => {
      const [middle, late] = [median(taken[name]), quantile(taken[name], 0.9)];
      return [name, middle.toFixed(0), late.toFixed(0), ratio(middle / bare)];
    }),
  );
} finally {
  await browser.close();
  await stopGateway();
}
process.exit();

function names(): Name[] {
  return Object.keys(pages) as Name[];
}

/** Usage is counted behind the messages. */
async function untilCounted(): Promise<void> {
  const { client_id, client_secret } = gateway().admin;
  const credential = await tokenOf(client_id, client_secret);
  await eventually(async () => {
    const { body } = await call('GET', '/admin/api/usage/summary?interval=day', { credential });
    const { top_clients = [] } = body as { top_clients?: readonly unknown[] };
    return top_clients.length > 0 ? true : undefined;
  });
}

/** In a browser without a cache, after the time in which a person enters the credentials. */
async function firstRowsMs(name: Name): Promise<number> {
  const page = await pages[name](browser);
  const { client_id, client_secret } = gateway().admin;
  await page.getByLabel('Client id').fill(client_id);
  await page.getByLabel('Client secret').fill(client_secret);
  await page.waitForLoadState('networkidle');
  // Without a value: the page would be waited for otherwise.
  await page.evaluate(`
    globalThis.shown = new Promise((resolve) => {
      let from;
      addEventListener('click', () => { from = performance.now(); }, { capture: true, once: true });
      new MutationObserver(() => {
        if (document.querySelector('tbody tr a') !== null) requestAnimationFrame(() => resolve(performance.now() - from));
      }).observe(document, { childList: true, subtree: true });
    });
    undefined;
  `);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const ms = Number(await page.evaluate('globalThis.shown'));
  await page.context().close();
  return ms;
}

async function openSignIn(of: Browser): Promise<Page> {
  return (await openDashboard(of, { width: 1280, colorScheme: 'light' })).page;
}

async function openBarePage(of: Browser): Promise<Page> {
  const page = await (await of.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  const address = `${gateway().base_url}/bare`;
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: barePage }));
  await page.goto(address);
  return page;
}

/**
 * What the gateway serves to readers without a client. Such requests are counted by source address, which is one for all
 * tests: a file of tests asks for each page once, and waits where others used the limit up.
 */
import { setTimeout as pause } from 'node:timers/promises';

export interface Served {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const known = new Map<string, Promise<Served>>();

export function served(url: string, method = 'GET'): Promise<Served> {
  const key = `${method} ${url}`;
  const answer = known.get(key) ?? ask(url, method);
  known.set(key, answer);
  return answer;
}

async function ask(url: string, method: string): Promise<Served> {
  for (;;) {
    const { status, headers, text } = await fetch(url, { method, redirect: 'manual' }).then(
      async (response) => ({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      }),
    );
    if (status !== 429) return { status, headers, body: text };
    await pause(Number(headers['retry-after']) * 1000);
  }
}

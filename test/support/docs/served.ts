/** Reads the public pages of the gateway. A test file requests each page until it gets it, and only once. */
import { admitted } from '../http/admitted.ts';

interface Served {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const known = new Map<string, Promise<Served>>();

export function served(url: string, method = 'GET'): Promise<Served> {
  const key = `${method} ${url}`;
  const asked = known.get(key);
  if (asked !== undefined) return asked;
  const answer = ask(url, method);
  known.set(key, answer);
  const forget = () => known.delete(key);
  // An error may be over when the next test asks.
  answer.then(({ status }) => status >= 400 && forget(), forget);
  return answer;
}

function ask(url: string, method: string): Promise<Served> {
  return admitted(
    async () => {
      const response = await fetch(url, { method, redirect: 'manual' });
      const headers = Object.fromEntries(response.headers);
      return { status: response.status, headers, body: await response.text() };
    },
    ({ headers }) => headers['retry-after'],
  );
}

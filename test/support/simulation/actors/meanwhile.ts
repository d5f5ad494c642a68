/** What people do while a function is at work on the same thing, and what they correct soon after it. */

import { between, wholeBetween } from '../random.ts';
import type { Stage } from '../stage.ts';
import { type Act, type Actor, learn, ownPeople } from './actor.ts';
import { refused } from './attempts.ts';
import type { Theme } from './themes.ts';

const hourMs = 3_600_000;
/** After a comparison of the lists, the next one has taken what the one before left on them. */
export const comparedTwiceMs = 2.25 * hourMs;

/** Waits until the function calls a service, for so long at most. */
async function untilAtWork({ time, calls }: Stage, file: string, mostMs: number): Promise<void> {
  const endMs = time.now() + mostMs;
  for (let seen = calls.length; time.now() < endMs; seen = calls.length) {
    await time.sleep(500);
    if (calls.slice(seen).some(({ point }) => point.startsWith(`${file} `))) return;
  }
}

async function sendsToEach(act: Act, people: readonly string[], name: string): Promise<void> {
  const { scene, client, id } = act;
  for (const [i, to] of people.entries()) {
    const body = { to, message: `to each, ${name}`, reference: `${id}.${name}.${i}` };
    learn(act, [await scene.ask(client, { route: 'sendSms', key: `${id}-${name}-${i}`, body })]);
  }
}

const onlyIn = (theme: Theme, share: number): Partial<Record<Theme, number>> => ({ [theme]: share });

export const meanwhile = {
  'ends what it suppressed for everyone while the lists are compared': {
    uses: ['sendSms'],
    share: onlyIn('opt-outs', 2),
    async act(act) {
      const { scene, client, random } = act;
      const { time } = scene.stage;
      const people = ownPeople(act, wholeBetween(random, 4, 10));
      await sendsToEach(act, people, 'before');
      const path = (to: string): string =>
        `clients/${client.clientId}/suppressions/${encodeURIComponent(to)}`;
      for (const to of people) await scene.askAsAdministrator('PUT', path(to), { scope: 'all' });
      await untilAtWork(scene.stage, 'compare-opt-outs', 1.1 * hourMs);
      await time.sleep(between(random, 500, 5000));
      // One of them is left so.
      for (const to of people.slice(1).toSorted(() => random() - 0.5)) {
        await scene.askAsAdministrator('DELETE', path(to));
        await time.sleep(between(random, 100, 1500));
      }
      await time.sleep(comparedTwiceMs);
      await sendsToEach(act, people, 'after');
    },
  },
  'makes a mistake in a sender by hand, and corrects it': {
    uses: [],
    share: onlyIn('administration', 3),
    async act({ scene, client, random, id }) {
      const { time } = scene.stage;
      const key = { client_id: client.clientId, destination: 'sms FR' };
      for (let rounds = wholeBetween(random, 3, 6); rounds > 0; rounds -= 1) {
        const right = wholeBetween(random, 2, 20);
        for (const messages_per_second of random() < 0.5 ? ['many', right] : [right, 'many']) {
          const note = `edit ${rounds} of ${id}`;
          await scene.edit('Senders', { ...key, identity: 'ACME', messages_per_second, note });
          await time.sleep(between(random, 500, 4000));
        }
        await time.sleep(25_000);
        scene.readFeedback('Senders', key);
        scene.stage.disturb(60_000);
      }
    },
  },
  'is refused while not all refusals can be counted': {
    uses: ['sendSms'],
    share: onlyIn('administration', 1.5),
    async act({ scene, client, random }) {
      scene.stage.breaks('RateCounters', between(random, 0.3, 0.6), 20_000);
      for (let times = wholeBetween(random, 6, 14); times > 0; times -= 1)
        await scene.ask(client, {
          route: 'sendSms',
          body: { to: 'nobody', message: 'refused' },
          must: refused('1.2', 400),
        });
    },
  },
} as const satisfies Record<string, Actor>;

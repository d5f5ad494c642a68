/** Administrators make a mistake in a row, and correct it soon. */

import { between, wholeBetween } from '../random.ts';
import type { Actor } from './actor.ts';
import type { Theme } from './themes.ts';

const onlyIn = (theme: Theme, share: number): Partial<Record<Theme, number>> => ({ [theme]: share });

export const meanwhile = {
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
} as const satisfies Record<string, Actor>;

/** What people and clients say about whom messages may reach. */
import { whatsAppInbound, whatsAppNumberId } from '../outside/whatsapp-events.ts';
import { between, oneOf } from '../random.ts';
import type { Scene } from '../scene.ts';
import { type Actor, ownPeople, send } from './actor.ts';

const ourNumber = '+447418367358';

export const consent = {
  'suppresses a person': {
    uses: ['putSuppression'],
    share: { 'opt-outs': 6, messages: 0.5, bulk: 1 },
    async act({ scene, client, random }) {
      await scene.ask(client, {
        route: 'putSuppression',
        path: { recipient: encodeURIComponent(scene.person(random)) },
        body: random() < 0.2 ? { scope: 'all' } : {},
      });
    },
  },
  'ends a suppression': {
    uses: ['deleteSuppression'],
    share: { 'opt-outs': 4 },
    async act({ scene, client, random }) {
      await scene.ask(client, {
        route: 'deleteSuppression',
        path: { recipient: encodeURIComponent(scene.person(random)) },
      });
    },
  },
  'writes STOP or START': {
    uses: [],
    share: { 'opt-outs': 5, messages: 0.5 },
    async act({ scene, random, id }) {
      writes(scene, scene.person(random), oneOf(random, ['STOP', 'START', ' stop. ', 'Hello']), id);
    },
  },
  'writes by WhatsApp': {
    uses: [],
    share: { 'opt-outs': 2, messages: 0.5 },
    async act({ scene, random, id }) {
      const { stage } = scene;
      const from = scene.person(random);
      const text = oneOf(random, ['STOP', 'START', 'Hello', 'When does it arrive?']);
      stage.record.wrote.push({ atMs: stage.time.now(), from, to: whatsAppNumberId, text });
      stage.publish(whatsAppInbound(id, from, text, stage.time.now()));
    },
  },
  'writes STOP, and every client sends something much later': {
    uses: ['sendSms', 'sendWhatsApp', 'deleteSuppression'],
    share: { 'opt-outs': 3 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      const [to = ''] = ownPeople(act, 1);
      await send({ ...act, id: `${id}-before` }, 'sendSms', { to, message: 'welcome' });
      await time.sleep(between(random, 60_000, 90_000));
      writes(scene, to, 'STOP', `${id}-stop`);
      await time.sleep(2_000_000);
      // That has effect for its own suppression only.
      const path = { recipient: encodeURIComponent(to) };
      if (random() < 0.3) await scene.ask(client, { route: 'deleteSuppression', path });
      for (const [index, each] of scene.clients.entries())
        for (const route of ['sendSms', 'sendWhatsApp'] as const)
          await send({ ...act, client: each, id: `${id}-${index}-${route}` }, route, {
            to,
            message: 'still there?',
          });
    },
  },
  'writes START, and is sent something at once and later': {
    uses: ['sendSms', 'deleteSuppression'],
    share: { 'opt-outs': 4 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      const startsAgain = async (
        to: string,
        name: string,
        lateMs: number,
        isEnded: boolean,
      ): Promise<void> => {
        const one = (when: string) =>
          send({ ...act, id: `${id}-${name}-${when}` }, 'sendSms', { to, message: `welcome ${when}` });
        await one('before');
        await time.sleep(between(random, 5000, 30_000));
        writes(scene, to, 'STOP', `${id}-${name}-stop`);
        await time.sleep(between(random, 5000, 30_000));
        writes(scene, to, 'START', `${id}-${name}-start`, { lateMs });
        const path = { recipient: encodeURIComponent(to) };
        // At the moment in which the gateway learns of it.
        await time.sleep(isEnded ? between(random, 0, 150) : between(random, 200, 60_000));
        if (isEnded) await scene.ask(client, { route: 'deleteSuppression', path });
        await one('at-once');
        await time.sleep(lateMs + 3_600_000);
        await one('later');
      };
      const [late = '', ...ended] = ownPeople(act, 4);
      await Promise.all([
        startsAgain(scene.person(random), 'usual', 0, false),
        // The gateway learns of it hours later, or the client says the same.
        ...(random() < 0.5
          ? [startsAgain(late, 'late', between(random, 3, 6) * 3_600_000, false)]
          : ended.map((to, i) => startsAgain(to, `ended-${i}`, 0, true))),
      ]);
    },
  },
} as const satisfies Record<string, Actor>;

interface Writing {
  /** Until the topic delivers the text a second time. */
  readonly againAfterMs?: number | undefined;
  /** How late the topic delivers it. */
  readonly lateMs?: number;
}

export function writes(
  { stage }: Scene,
  from: string,
  text: string,
  id: string,
  { againAfterMs, lateMs = 0 }: Writing = {},
): void {
  const atMs = stage.time.now();
  stage.record.wrote.push({ atMs, from, to: ourNumber, text, learnedAtMs: atMs + lateMs });
  if (/stop/i.test(text)) stage.carriers.optOut(from);
  if (text === 'START') stage.carriers.optIn(from);
  const event = {
    originationNumber: from,
    destinationNumber: ourNumber,
    messageKeyword: 'STOP',
    messageBody: text,
    inboundMessageId: `inbound-${id}`,
  };
  stage.publish(event, againAfterMs, lateMs);
}

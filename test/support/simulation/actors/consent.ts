/** What people and clients say about whom messages may reach. */
import { whatsAppInbound, whatsAppNumberId } from '../outside/whatsapp-events.ts';
import { between, oneOf } from '../random.ts';
import type { Scene } from '../scene.ts';
import { type Actor, send } from './actor.ts';

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
  'writes START, and is sent something at once and later': {
    uses: ['sendSms'],
    share: { 'opt-outs': 4 },
    async act(act) {
      const { scene, random, id } = act;
      const to = scene.person(random);
      const one = (name: string) =>
        send({ ...act, id: `${id}-${name}` }, 'sendSms', { to, message: `welcome ${name}` });
      await one('before');
      await scene.stage.time.sleep(between(random, 5000, 30_000));
      writes(scene, to, 'STOP', `${id}-stop`);
      await scene.stage.time.sleep(between(random, 5000, 30_000));
      writes(scene, to, 'START', `${id}-start`, { carrierHears: random() < 0.5 });
      await scene.stage.time.sleep(between(random, 200, 60_000));
      await one('at-once');
      await scene.stage.time.sleep(2.5 * 3_600_000);
      await one('later');
    },
  },
} as const satisfies Record<string, Actor>;

interface Writing {
  /** Whether the carrier takes the person off its own list. */
  readonly carrierHears?: boolean;
  /** Until the topic delivers the text a second time. */
  readonly againAfterMs?: number | undefined;
}

export function writes(
  { stage }: Scene,
  from: string,
  text: string,
  id: string,
  { carrierHears = true, againAfterMs }: Writing = {},
): void {
  stage.record.wrote.push({ atMs: stage.time.now(), from, to: ourNumber, text });
  if (/stop/i.test(text)) stage.carriers.optOut(from);
  if (text === 'START' && carrierHears) stage.carriers.optIn(from);
  const event = {
    originationNumber: from,
    destinationNumber: ourNumber,
    messageKeyword: 'STOP',
    messageBody: text,
    inboundMessageId: `inbound-${id}`,
  };
  stage.publish(event, againAfterMs);
}

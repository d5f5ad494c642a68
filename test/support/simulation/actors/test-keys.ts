/** What clients do with their test keys: the same requests as with live ones, of which no live figure may change. */

import { simulatedRecipients } from '../../../../shared/carrier/simulator/simulated-recipients.ts';
import { oneOf, type Random } from '../random.ts';
import type { Scene, SimulatedClient } from '../scene.ts';
import { type Act, type Actor, everyTheme, known, learn, send } from './actor.ts';

const recipients = Object.keys(simulatedRecipients) as [string, ...string[]];
const apart = { promise: '17.3' } as const;

/** The test data of the client, or of one that uses no live key at all. */
function testerOf({ scene, client, random }: Act): SimulatedClient {
  const own = scene.testers[scene.clients.indexOf(client)];
  return random() < 0.5 ? (own ?? scene.onlyTester) : scene.onlyTester;
}

function recipientOf(scene: Scene, random: Random): string {
  return random() < 0.5 ? oneOf(random, recipients) : scene.person(random);
}

export const testKeys = {
  'sends with a test key': {
    uses: ['sendSms', 'sendWhatsApp', 'sendBulkSms'],
    share: { ...everyTheme(0.7), messages: 2, caps: 2, limits: 2, bulk: 2 },
    async act(act) {
      const { scene, random, id } = act;
      const tester = { ...act, client: testerOf(act) };
      const chosen = random();
      if (chosen < 0.4)
        return send(tester, 'sendSms', { to: recipientOf(scene, random), message: `a test of ${id}` });
      if (chosen < 0.6)
        return send(tester, 'sendWhatsApp', { to: recipientOf(scene, random), message: `a test of ${id}` });
      const many = Array.from({ length: oneOf(random, [2, 6, 25]) }, () => ({ to: scene.person(random) }));
      return send(tester, 'sendBulkSms', { message: `tests of ${id}`, recipients: many });
    },
  },
  'sends and verifies a password with a test key': {
    uses: ['sendOtp', 'verifyOtp', 'listTestOutbox'],
    share: { otp: 3, messages: 0.5 },
    async act(act) {
      const { scene, random, id } = act;
      const client = testerOf(act);
      const to = scene.person(random);
      const sent = await scene.ask(client, {
        route: 'sendOtp',
        body: { to, ttl: 300, purpose: `test-${id}` },
      });
      learn({ ...act, client }, [sent]);
      if (sent.status !== 202 || sent.lost === true) return;
      await scene.stage.time.sleep(20_000);
      const { answer } = await scene.ask(client, { route: 'listTestOutbox', query: { to } });
      const entry = (answer?.messages ?? []).find(
        ({ message_id }: { message_id: string }) => message_id === sent.answer.message_id,
      );
      const code = /\d{6}/.exec(entry?.body ?? '')?.[0];
      if (code === undefined) return;
      await scene.ask(client, { route: 'verifyOtp', body: { otp_id: sent.answer.otp_id, code } });
    },
  },
  'suppresses with a test key': {
    uses: ['putSuppression', 'deleteSuppression'],
    share: { 'opt-outs': 3 },
    async act(act) {
      const { scene, random } = act;
      const client = testerOf(act);
      const path = { recipient: encodeURIComponent(scene.person(random)) };
      await scene.ask(client, { route: 'putSuppression', path, body: {} });
      if (random() < 0.6) await scene.ask(client, { route: 'deleteSuppression', path });
    },
  },
  'asks with one key for what is of the other': {
    uses: ['getMessageStatus', 'listTestOutbox'],
    share: { messages: 1, administration: 1 },
    async act({ scene, client, random }) {
      const tester = scene.testers[scene.clients.indexOf(client)];
      if (tester === undefined) return;
      const [live, test] = [known(random, client.messages), known(random, tester.messages)];
      const status = (asks: SimulatedClient, message_id: string) =>
        scene.ask(asks, {
          route: 'getMessageStatus',
          path: { message_id },
          must: { ...apart, be: [404] },
        });
      if (live !== undefined) await status(tester, live);
      if (test !== undefined) await status(client, test);
      await scene.ask(client, { route: 'listTestOutbox', must: { promise: '17.5', be: [403] } });
    },
  },
} as const satisfies Record<string, Actor>;

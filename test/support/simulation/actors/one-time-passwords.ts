/** One-time passwords: sent, and verified with right and wrong codes. */
import { between, oneOf } from '../random.ts';
import { type Actor, keyOf, learn, onUnknown, ownPeople, sendOften } from './actor.ts';
import { codeSentTo } from './attempts.ts';

export const oneTimePasswords = {
  'sends a one-time password': {
    uses: ['sendOtp'],
    share: { otp: 10, caps: 4, limits: 2, messages: 1 },
    async act(act) {
      const { scene, random, client } = act;
      const to = scene.person(random);
      const answers = await sendOften(act, {
        route: 'sendOtp',
        key: keyOf(act),
        body: {
          to,
          ttl: oneOf(random, [60, 300]),
          max_attempts: oneOf(random, [1, 3]),
          ...(random() < 0.3 ? { channel: 'whatsapp' } : {}),
          ...(random() < 0.2 ? { purpose: 'login' } : {}),
          ...onUnknown(act),
        },
      });
      learn(act, answers);
      for (const { status, lost, answer } of answers)
        if (status === 202 && lost !== true) client.otps.push({ otpId: answer.otp_id, to });
    },
  },
  'verifies a one-time password': {
    uses: ['verifyOtp'],
    share: { otp: 12 },
    async act({ scene, client, random }) {
      const otp = client.otps[Math.floor(random() * client.otps.length)];
      if (otp === undefined) return;
      const sent = scene.stage.record.handOvers.findLast(
        ({ to, text }) => to === otp.to && /\d{6}/.test(text),
      );
      const right = /\d{6}/.exec(sent?.text ?? '')?.[0] ?? '000000';
      const times = random() < 0.4 ? 3 : 1;
      await Promise.all(
        Array.from({ length: times }, () => {
          const code = random() < 0.6 ? right : '111111';
          return scene.ask(client, { route: 'verifyOtp', body: { otp_id: otp.otpId, code } });
        }),
      );
    },
  },
  'verifies a password while its next attempt is recorded slowly': {
    uses: ['sendOtp', 'verifyOtp'],
    share: { otp: 3 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      // The carrier takes them, does not answer, and reports nothing.
      stage.breaks('sms', 1, 15_000, 'no answer');
      const people = ownPeople(act, 4).map((number) => `${number.slice(0, -1)}5`);
      const body = { ttl: 300, purpose: `slow-${id}`, on_unknown: 'send_again' };
      const sent = await Promise.all(
        people.map((to) => scene.ask(client, { route: 'sendOtp', body: { ...body, to } })),
      );
      learn(act, sent);
      await stage.time.sleep(27_000);
      stage.breaks('Messages', 0.5, 30_000, 'is answered late');
      for (const [i, { status, answer }] of sent.entries()) {
        await stage.time.sleep(between(random, 1000, 5000));
        const code = codeSentTo(scene, people[i] ?? '');
        if (status !== 202 || code === undefined) continue;
        await scene.ask(client, { route: 'verifyOtp', body: { otp_id: answer.otp_id, code } });
      }
    },
  },
  'asks for many more passwords than a person may get': {
    uses: ['sendOtp'],
    share: { otp: 1, caps: 4 },
    async act({ scene, client, random }) {
      const to = scene.person(random);
      // More than a minute’s limit, and again in the next minute.
      for (let round = 0; round < 2; round += 1) {
        await Promise.all(
          Array.from({ length: 32 }, async (_, i) => {
            await scene.stage.time.sleep(i * 40);
            return scene.ask(client, { route: 'sendOtp', body: { to, ttl: 300 } });
          }),
        );
        await scene.stage.time.sleep(61_000);
      }
    },
  },
} as const satisfies Record<string, Actor>;

/** One-time passwords: sent, and verified with right and wrong codes. */
import { between, oneOf, wholeBetween } from '../random.ts';
import { type Actor, keyOf, learn, ownPeople, sendOften } from './actor.ts';
import { codeSentTo } from './attempts.ts';

/** Passwords of the last five minutes are not judged yet, and whole minutes count. */
export const judgedAfterMs = 360_000;

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
        },
      });
      learn(act, answers);
      for (const { status, lost, answer } of answers)
        if (status === 202 && lost !== true) client.otps.push({ otpId: answer.otp_id, to });
    },
  },
  'verifies a one-time password': {
    uses: ['sendOtp', 'verifyOtp'],
    share: { otp: 12 },
    async act(act) {
      const { scene, client, random, id } = act;
      if (random() < 0.4) {
        const to = scene.deliveredPerson(random);
        const body = { to, ttl: 300, max_attempts: 5, purpose: `verified-${id}` };
        const asked = await scene.ask(client, { route: 'sendOtp', key: `verified-${id}`, body });
        learn(act, [asked]);
        if (asked.status === 202) client.otps.push({ otpId: asked.answer.otp_id, to });
        await scene.stage.time.sleep(20_000);
      }
      const otp =
        random() < 0.5 ? client.otps.at(-1) : client.otps[Math.floor(random() * client.otps.length)];
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
    share: { otp: 6 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      // The carrier takes them, does not answer, and reports nothing.
      stage.breaks('sms', 1, 15_000, 'no answer');
      const people = ownPeople(act, 4).map((number) => `${number.slice(0, -1)}5`);
      const body = { ttl: 300, purpose: `slow-${id}` };
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
  'has its passwords held by hand, and allowed again': {
    uses: ['sendOtp', 'verifyOtp'],
    share: { otp: 4 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      const country = oneOf(random, ['GB', 'GB', '*']);
      const key = { client_id: client.clientId, country };
      const people = ownPeople(act, 40);
      async function sendsFor(seconds: number): Promise<void> {
        for (const endMs = time.now() + seconds * 1000; time.now() < endMs; ) {
          const body = {
            ...{ to: people.pop(), ttl: 300, purpose: id },
            ...oneOf(random, [
              {},
              {},
              { channel: 'whatsapp' },
              { channel: 'whatsapp', fallback: [{ channel: 'sms', after_seconds: 30 }] },
            ]),
          };
          const asked = await scene.ask(client, { route: 'sendOtp', body });
          learn(act, [asked]);
          if (asked.status === 202) sent.push(String(asked.answer.otp_id));
          await time.sleep(between(random, 2000, 9000));
        }
      }
      const sent: string[] = [];
      await sendsFor(10);
      const now = new Date(time.now()).toISOString();
      await scene.edit('OtpHolds', {
        ...{ ...key, state: 'held', changed_at: now, since: now, sends: 60, verified: 1 },
      });
      await sendsFor(90);
      // What was sent before can be verified.
      const must = { be: [200, 404, 409, 410], promise: 'decisions/otp-hold' };
      const body = { otp_id: sent[0], code: '111111' };
      if (sent.length > 0) await scene.ask(client, { route: 'verifyOtp', body, must });
      if (random() < 0.4) await scene.remove('OtpHolds', key);
      // A decision about the country counts more than the hold of all.
      else await scene.allowPasswords(client.clientId, oneOf(random, [country, 'GB']), random() < 0.4);
      await sendsFor(45);
    },
  },
  'sends passwords that nobody verifies': {
    uses: ['sendOtp', 'verifyOtp'],
    share: { otp: 0.7 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      const sends = async (to: string): Promise<string> => {
        const asked = await scene.ask(client, { route: 'sendOtp', body: { to, purpose: `unread-${id}` } });
        learn(act, [asked]);
        return String(asked.answer?.otp_id);
      };
      const [first = '', ...people] = ownPeople(act, wholeBetween(random, 51, 61));
      // Until a password of the client is verified, its passwords are noticed, not held.
      if (random() < 0.5) {
        const otp_id = await sends(first);
        await time.sleep(20_000);
        const body = { otp_id, code: codeSentTo(scene, first) ?? '111111' };
        await scene.ask(client, { route: 'verifyOtp', body });
      }
      const everyMs = between(random, 3000, 40_000);
      for (const to of people) {
        await sends(to);
        await time.sleep(everyMs);
      }
      await time.sleep(judgedAfterMs + 2 * scene.skewMaxMs);
      // The gateway judges the passwords of an hour when a later one is sent.
      await sends(first);
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

/**
 * What callers try, and what the contract says must become of it: a step names the statuses that a response to it may have,
 * and the promise that says so (`must`).
 */
import type { Asked, Must } from '../outside/record.ts';
import { between, wholeBetween } from '../random.ts';
import type { Scene, SimulatedClient } from '../scene.ts';
import { type Act, type Actor, everyTheme, known, laterThan, learn } from './actor.ts';

const sends = ['sendSms', 'sendBulkSms', 'sendWhatsApp'];
/** A revoked credential, and an ended one, are refused within this time. */
const refusedWithinMs = 61_000;

export const refused = (promise: string, ...be: number[]): Must => ({ be, promise });

/** An earlier send of the client under a key, which was accepted. */
function keyedSend({ scene, client, random }: Act): Asked | undefined {
  const own = scene.stage.record.asked.filter(
    ({ clientId, route, key, status, lost }) =>
      clientId === client.clientId &&
      sends.includes(route) &&
      key !== undefined &&
      status === 202 &&
      lost !== true,
  );
  return own[wholeBetween(random, 0, own.length - 1)];
}

export const attempts = {
  'asks for what is another client’s': {
    uses: ['getMessageStatus', 'cancelMessage', 'listMessages'],
    share: { ...everyTheme(0.5), messages: 1, bulk: 1.5, schedules: 1 },
    async act({ scene, client, random }) {
      const must = refused('5.11', 404);
      for (const other of scene.clients.filter(({ clientId }) => clientId !== client.clientId)) {
        const batch = scene.stage.record.asked.find(
          ({ clientId, route, status }) =>
            clientId === other.clientId && route === 'sendBulkSms' && status === 202,
        );
        for (const message_id of [known(random, other.messages), batch?.answer.batch_id]) {
          if (message_id === undefined) continue;
          await scene.ask(client, { route: 'getMessageStatus', path: { message_id }, must });
        }
        const scheduled = known(random, other.scheduled);
        if (scheduled === undefined) continue;
        await scene.ask(client, { route: 'cancelMessage', path: { message_id: scheduled }, must });
      }
    },
  },
  'sends another request under a used key': {
    uses: ['sendSms'],
    share: { messages: 1.5, bulk: 1, caps: 1, schedules: 0.5 },
    async act(act) {
      const sent = keyedSend(act);
      if (sent === undefined || sent.route === 'adminApi') return;
      await act.scene.ask(act.client, {
        route: sent.route,
        key: sent.key,
        body: { ...Object(sent.body), message: `another of ${act.id}` },
        must: refused('5.6', 422),
      });
    },
  },
  'repeats a request long after it': {
    uses: ['sendSms'],
    share: { messages: 0.5, bulk: 0.3 },
    async act(act) {
      const { scene, client, random } = act;
      await scene.stage.time.sleep(between(random, 1_500_000, 6_000_000));
      const sent = keyedSend(act);
      if (sent === undefined || sent.route === 'adminApi') return;
      const { route, key, body } = sent;
      await scene.ask(client, { route, key, body, must: refused('5.6', 202) });
    },
  },
  'asks what a send would do': {
    uses: ['sendSms'],
    share: { caps: 4, messages: 0.5 },
    async act({ scene, client, random }) {
      const body = { to: scene.person(random), message: 'only asked' };
      const query = { dry_run: 'true' };
      for (let times = wholeBetween(random, 1, 4); times > 0; times -= 1)
        await scene.ask(client, { route: 'sendSms', query, body, must: refused('14.6', 200) });
    },
  },
  'verifies with the number of another person': {
    uses: ['verifyOtp'],
    share: { otp: 2 },
    async act({ scene, client, random }) {
      const otp = client.otps[wholeBetween(random, 0, client.otps.length - 1)];
      if (otp === undefined) return;
      const to = scene.person(random);
      if (to === otp.to) return;
      const body = { otp_id: otp.otpId, to, code: codeSentTo(scene, otp.to) ?? '123456' };
      await scene.ask(client, { route: 'verifyOtp', body, must: refused('5.10', 404) });
    },
  },
  'verifies a code after its end': {
    uses: ['verifyOtp'],
    share: { otp: 3 },
    async act({ scene, client, random }) {
      const otp = client.otps[wholeBetween(random, 0, client.otps.length - 1)];
      const code = otp && codeSentTo(scene, otp.to);
      if (otp === undefined || code === undefined) return;
      await scene.stage.time.sleep(302_000 + 2 * scene.skewMaxMs);
      const body = { otp_id: otp.otpId, code };
      await scene.ask(client, { route: 'verifyOtp', body, must: refused('5.10', 404, 409, 410) });
    },
  },
  'uses a key that is revoked': {
    uses: ['getAccount'],
    share: { administration: 1.5 },
    async act({ scene, client }) {
      const { clientId } = client;
      const { stage } = scene;
      const made = await scene.askAsAdministrator('POST', `clients/${clientId}/api-keys`);
      if (made.lost === true || made.answer?.api_key === undefined) return;
      const credential = String(made.answer.api_key);
      await stage.ask({ clientId, credential, route: 'getAccount' });
      const path = `clients/${clientId}/api-keys/${made.answer.key_id}`;
      const revoked = await scene.askAsAdministrator('DELETE', path);
      if (revoked.status !== 200) return;
      await stage.time.sleep(refusedWithinMs);
      await stage.ask({ clientId, credential, route: 'getAccount', must: refused('3.2', 401) });
    },
  },
  'ends the previous secret': {
    uses: ['issueToken'],
    share: { administration: 1.5 },
    async act({ scene, client }) {
      const { stage } = scene;
      const path = `clients/${client.clientId}/secret`;
      const rotations = (): number => stage.record.asked.filter((one) => one.path.endsWith(path)).length;
      if (rotations() > 0) return;
      const previous = client.clientSecret;
      const { status, answer, lost } = await scene.askAsAdministrator('POST', path);
      if (status !== 200 || lost === true || rotations() > 1) return;
      client.clientSecret = String(answer.client_secret);
      await scene.askAsAdministrator('POST', path, undefined, refused('2.6', 409));
      const ended = await scene.askAsAdministrator('DELETE', `clients/${client.clientId}/previous-secret`);
      await stage.time.sleep(refusedWithinMs);
      if (ended.status !== 200 || rotations() > 2) return;
      await tokenOf(scene, client.clientId, previous, {}, refused('2.6', 401));
      await tokenOf(scene, client.clientId, String(answer.client_secret), {}, refused('2.5', 200));
    },
  },
  'uses a token to its end': {
    uses: ['issueToken', 'getAccount'],
    share: { administration: 2 },
    async act({ scene, client: { clientId, clientSecret } }) {
      const { stage } = scene;
      const { status, answer, lost } = await tokenOf(scene, clientId, clientSecret);
      if (status !== 200 || lost === true) return;
      const use = (must?: Must): Promise<Asked> =>
        stage.ask({ clientId, credential: answer.access_token, route: 'getAccount', must });
      await stage.time.sleep(3_590_000);
      for (let uses = 0; uses < 3; uses += 1) await use();
      await stage.time.sleep(12_000 + 2 * scene.skewMaxMs);
      for (let uses = 0; uses < 3; uses += 1) await use(refused('2.1', 401));
    },
  },
  'uses a token of fewer scopes': {
    uses: ['issueToken'],
    share: { administration: 1 },
    async act({ scene, id }) {
      const wanted = { name: `of ${id}`, scopes: ['messages', 'admin'] };
      const made = await scene.askAsAdministrator('POST', 'clients', wanted);
      if (made.lost === true || made.answer?.client_secret === undefined) return;
      const clientId = String(made.answer.client_id);
      const scope = { scope: 'messages' };
      const issued = await tokenOf(scene, clientId, String(made.answer.client_secret), scope);
      if (issued.status !== 200 || issued.lost === true) return;
      await scene.stage.ask({
        ...{ clientId, credential: issued.answer.access_token, route: 'adminApi', method: 'GET' },
        ...{ path: { proxy: 'clients' }, must: refused('2.4', 403) },
      });
    },
  },
  'disables a client that has a scheduled message': {
    uses: ['sendSms'],
    share: { administration: 1.5, schedules: 0.5 },
    async act(act) {
      const { scene, client, random, id } = act;
      const scheduled_at = laterThan(scene, between(random, 60, 120));
      const body = { to: scene.person(random), message: 'of a disabled client', scheduled_at, reference: id };
      learn(act, [await scene.ask(client, { route: 'sendSms', key: `disabled-${id}`, body })]);
      await scene.askAsAdministrator('PATCH', `clients/${client.clientId}`, { disabled: true });
      await scene.stage.time.sleep(240_000 + scene.skewMaxMs);
      for (let tries = 0; tries < 5; tries += 1) {
        const enabling = { disabled: false };
        const { status } = await scene.askAsAdministrator('PATCH', `clients/${client.clientId}`, enabling);
        if (status === 200) return;
        await scene.stage.time.sleep(2000);
      }
    },
  },
  'cancels a message at its time': {
    uses: ['cancelMessage'],
    share: { schedules: 5 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      const atMs = time.now() + scene.skewMaxMs + between(random, 62_000, 70_000);
      const scheduled_at = new Date(atMs).toISOString();
      // A repeat after an outage may come too late for its time.
      const must = refused('5.3', 202, 400, 409);
      const cancels = ['1', '2', '3', '4'].map(async (name) => {
        const reference = `${id}.${name}`;
        const body = { to: scene.person(random), message: 'canceled at its time', scheduled_at, reference };
        const sent = await scene.ask(client, { route: 'sendSms', key: `canceled-${reference}`, body, must });
        learn(act, [sent]);
        if (sent.status !== 202 || sent.lost === true) return;
        await time.sleep(atMs - time.now() + between(random, -100, 200));
        const path = { message_id: sent.answer.message_id };
        await scene.ask(client, { route: 'cancelMessage', path });
      });
      await Promise.all(cancels);
    },
  },
  'removes a limit by hand': {
    uses: [],
    share: { administration: 1.5, limits: 0.5 },
    async act({ scene, client, random }) {
      const endpoint = 'POST /api/v1/whatsapp/send';
      await scene.edit('LimitOverrides', { client_id: client.clientId, endpoint, per_day: 50 });
      await scene.stage.time.sleep(between(random, 2000, 20_000));
      await scene.remove('LimitOverrides', { client_id: client.clientId, endpoint });
    },
  },
} as const satisfies Record<string, Actor>;

/** The code in the latest message to the person. */
export function codeSentTo({ stage }: Scene, person: string): string | undefined {
  const sent = stage.record.handOvers.findLast(({ to, text }) => to === person && /\d{6}/.test(text));
  return /\d{6}/.exec(sent?.text ?? '')?.[0];
}

export function tokenOf(
  { stage }: Scene,
  clientId: SimulatedClient['clientId'],
  clientSecret: string,
  more: object = {},
  must?: Must,
): Promise<Asked> {
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const body = { grant_type: 'client_credentials', ...credentials, ...more };
  return stage.ask({ clientId, credential: undefined, route: 'issueToken', body, must });
}

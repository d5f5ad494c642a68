/** What administrators do, by the admin API and by hand, and the credentials of clients. */
import { between, oneOf, wholeBetween } from '../random.ts';
import { type Actor, learn, limitRow, ownPeople } from './actor.ts';

export const administration = {
  'asks for a token': {
    uses: ['issueToken'],
    share: { administration: 4 },
    async act({ scene, client }) {
      const { clientId, clientSecret } = client;
      const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const { status, answer, lost } = await scene.stage.ask({
        clientId,
        credential: undefined,
        route: 'issueToken',
        body,
      });
      if (status !== 200 || lost === true) return;
      await scene.stage.ask({ clientId, credential: answer.access_token, route: 'getAccount' });
    },
  },
  'edits a limit by hand': {
    uses: [],
    share: { limits: 3, caps: 1, administration: 3 },
    async act({ scene, client, random, id }) {
      await scene.edit('LimitOverrides', {
        client_id: client.clientId,
        ...limitRow(random),
        note: `by hand in ${id}`,
      });
    },
  },
  'changes a limit by the admin API': {
    uses: [],
    share: { limits: 1, caps: 0.5, administration: 4 },
    async act({ scene, client, random }) {
      await scene.changeLimits(client.clientId, limitRow(random));
    },
  },
  'edits a limit by hand while the API changes it': {
    uses: [],
    share: { limits: 0.5, administration: 3 },
    async act({ scene, client, random, id }) {
      const row = limitRow(random);
      await Promise.all([
        scene.changeLimits(client.clientId, row),
        scene.stage.time
          .sleep(between(random, 0, 150))
          .then(() =>
            scene.edit('LimitOverrides', { client_id: client.clientId, ...row, note: `by hand in ${id}` }),
          ),
      ]);
    },
  },
  'edits a sender by hand while the API changes it': {
    uses: [],
    share: { administration: 2 },
    async act({ scene, client, random, id }) {
      const row = {
        client_id: client.clientId,
        identity: 'ACME',
        messages_per_second: wholeBetween(random, 2, 20),
      };
      await Promise.all([
        scene.askAsAdministrator('PATCH', 'senders', { ...row, channel: 'sms', country: 'GB' }),
        scene.stage.time
          .sleep(between(random, 0, 150))
          .then(() => scene.edit('Senders', { ...row, destination: 'sms GB', note: `by hand in ${id}` })),
      ]);
    },
  },
  'changes a sender by the admin API': {
    uses: [],
    share: { administration: 2 },
    async act({ scene, client, random }) {
      const body = {
        client_id: client.clientId,
        channel: 'sms',
        country: 'GB',
        identity: 'ACME',
        messages_per_second: wholeBetween(random, 2, 20),
      };
      await scene.askAsAdministrator('PATCH', 'senders', body);
    },
  },
  'edits a sender by hand': {
    uses: [],
    share: { administration: 2 },
    async act({ scene, client, id }) {
      await scene.edit('Senders', {
        ...{ client_id: client.clientId, destination: 'sms GB', identity: 'ACME', messages_per_second: 5 },
        note: `by hand in ${id}`,
      });
    },
  },
  'changes the pace of a sender while its messages wait': {
    uses: ['sendBulkSms', 'sendOtp'],
    share: { bulk: 3, otp: 2 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      const key = { client_id: oneOf(random, ['*', client.clientId]), destination: 'sms *' };
      // Messages of other clients from the same identity also tell its processes the new pace.
      const identity = oneOf(random, ['+447418367358', `P${id}`]);
      const setPace = (messages_per_second: number): Promise<void> =>
        scene.edit('Senders', {
          ...key,
          identity,
          messages_per_second,
          note: `by hand in ${id}`,
        });
      const isBulk = random() < 0.7;
      const pace = 0.25;
      await setPace(pace);
      // Others have been accepted without it, or with another.
      await time.sleep(between(random, 0, 90_000));
      const people = ownPeople(act, 24).map((to) => ({ to }));
      const bodies = isBulk
        ? [{ message: `To all of ${id}`, recipients: people, validity_period: 1800 }]
        : people;
      const route = isBulk ? 'sendBulkSms' : 'sendOtp';
      const sent = bodies.map((body) => scene.ask(client, { route, body: { ...body, reference: id } }));
      learn(act, await Promise.all(sent));
      await time.sleep(between(random, 0, isBulk ? 15_000 : 2000));
      await setPace(pace / oneOf(random, [2, 4]));
      // By a process that may still have the pace of before.
      await time.sleep(between(random, 10_000, 45_000));
      if (random() < 0.5) await sendsAgain('meanwhile');
      await time.sleep(between(random, 60_000, 90_000));
      await (random() < 0.5 ? setPace(2) : scene.remove('Senders', key));
      await time.sleep(between(random, 0, 90_000));
      await sendsAgain('after');

      async function sendsAgain(name: string): Promise<void> {
        const body = { ...bodies[0], reference: `${id}.${name}` };
        learn(act, [await scene.ask(client, { route, body })]);
      }
    },
  },
  'disables and enables a client': {
    uses: [],
    share: { administration: 1 },
    async act({ scene, client, random }) {
      await scene.askAsAdministrator('PATCH', `clients/${client.clientId}`, { disabled: true });
      await scene.stage.time.sleep(between(random, 1000, 200_000));
      for (let tries = 0; tries < 5; tries += 1) {
        const { status } = await scene.askAsAdministrator('PATCH', `clients/${client.clientId}`, {
          disabled: false,
        });
        if (status === 200) return;
        await scene.stage.time.sleep(2000);
      }
    },
  },
  'rotates the client secret': {
    uses: ['issueToken'],
    share: { administration: 3 },
    async act({ scene, client, random }) {
      const { clientId, clientSecret: before } = client;
      const asksForToken = (client_secret: string) =>
        scene.stage.ask({
          clientId,
          credential: undefined,
          route: 'issueToken',
          body: { grant_type: 'client_credentials', client_id: clientId, client_secret },
          hasValidCredential: true,
        });
      const { status, answer, lost } = await scene.askAsAdministrator('POST', `clients/${clientId}/secret`);
      if (status !== 200 || lost === true || answer.client_secret === undefined) return;
      client.clientSecret = answer.client_secret;
      await asksForToken(client.clientSecret);
      await asksForToken(before);
      await scene.stage.time.sleep(between(random, 61_000, 600_000));
      await asksForToken(before);
    },
  },
  'creates a client and an API key': {
    uses: [],
    share: { administration: 3 },
    async act({ scene, client, id }) {
      const ask = (clientId: string, credential: string) =>
        scene.stage.ask({ clientId, credential, route: 'getAccount', hasValidCredential: true });
      const key = await scene.askAsAdministrator('POST', `clients/${client.clientId}/api-keys`, {});
      if (key.answer?.api_key !== undefined) await ask(client.clientId, key.answer.api_key);
      const { answer } = await scene.askAsAdministrator('POST', 'clients', {
        name: `made in ${id}`,
        scopes: ['messages'],
      });
      if (answer?.client_secret === undefined) return;
      const token = await scene.stage.ask({
        clientId: answer.client_id,
        credential: undefined,
        route: 'issueToken',
        body: {
          grant_type: 'client_credentials',
          client_id: answer.client_id,
          client_secret: answer.client_secret,
        },
        hasValidCredential: true,
      });
      if (token.answer?.access_token !== undefined) await ask(answer.client_id, token.answer.access_token);
    },
  },
  'makes an API key while the activity log cannot be written': {
    uses: [],
    share: { administration: 2 },
    async act({ scene, client }) {
      const path = `clients/${client.clientId}/api-keys`;
      await scene.askAsAdministrator('POST', path, {});
      scene.stage.breaks('ActivityLog', 1, 8000);
      await scene.askAsAdministrator('POST', path, {});
    },
  },
} as const satisfies Record<string, Actor>;

/** People whom the carrier's list of opt-outs still has after their START, and what is in the way of taking them off it. */
import { between, wholeBetween } from '../random.ts';
import { type Act, type Actor, learn, ownPeople } from './actor.ts';
import { writes } from './consent.ts';

const hourMs = 3_600_000;
/** A START that the gateway has acted upon by then is an old one, to which no comparison looks back. */
const oldHours = 5;
const comparedTwiceMs = 2.5 * hourMs;

async function sendsOne({ scene, id, ...act }: Act, to: string, when: string): Promise<void> {
  const body = { to, message: `one ${when}`, reference: `${id}.${act.client.name}.${when}` };
  const key = `${id}-${act.client.name}-${to.slice(1)}-${when}`;
  learn({ scene, id, ...act }, [await scene.ask(act.client, { route: 'sendSms', key, body })]);
}

/** The carrier does not hear the START, so only the gateway can take the person off the list. */
async function writesStopAndStart({ scene, random, id }: Act, from: string): Promise<void> {
  const { time } = scene.stage;
  await time.sleep(between(random, 60_000, 90_000));
  writes(scene, from, 'STOP', `${id}-${from}-stop`);
  await time.sleep(between(random, 60_000, 90_000));
  writes(scene, from, 'START', `${id}-${from}-start`, { carrierHears: false });
  await time.sleep(60_000);
}

export const listed = {
  'writes START, and AWS keeps the number on its list for hours': {
    uses: ['sendSms'],
    share: { 'opt-outs': 1 },
    async act(act) {
      const { scene, random } = act;
      const hours = wholeBetween(random, oldHours, oldHours + 3);
      const to = `+447700980${hours}${wholeBetween(random, 0, 9)}0`;
      await sendsOne(act, to, 'before');
      await writesStopAndStart(act, to);
      await scene.stage.time.sleep(hours * hourMs + comparedTwiceMs);
      await sendsOne(act, to, 'after');
    },
  },
  'writes START, and another client ends hours later what an administrator stopped for it': {
    uses: ['sendSms', 'deleteSuppression'],
    share: { 'opt-outs': 1 },
    async act(act) {
      const { scene, client } = act;
      const other = scene.clients.find((each) => each !== client);
      const [to = ''] = ownPeople(act, 1);
      if (other === undefined) return;
      for (const each of [client, other]) await sendsOne({ ...act, client: each }, to, 'before');
      await writesStopAndStart(act, to);
      const recipient = encodeURIComponent(to);
      await scene.askAsAdministrator('PUT', `clients/${other.clientId}/suppressions/${recipient}`, {});
      await scene.stage.time.sleep(oldHours * hourMs);
      const { status, lost } = await scene.ask(other, { route: 'deleteSuppression', path: { recipient } });
      if (status !== 200 || lost === true) return;
      await scene.stage.time.sleep(comparedTwiceMs);
      await sendsOne(act, to, 'after');
    },
  },
} as const satisfies Record<string, Actor>;

/** Holds of one-time passwords, which administrators end. */
import { judgedAfterMs } from '../actors/one-time-passwords.ts';
import type { Item } from '../aws/attribute-values.ts';
import type { Edited } from '../outside/record.ts';
import { type Invariant, rowsDuring, timeOf } from './invariant.ts';

/** A hold is in force within 20 s; a read may be two seconds old. */
const holdKnownWithinMs = 22_000;
/** A request, or the start of a leg, looks at holds so long after its own time. */
const lookMs = 15_000;
/** The default of the setting `otpHold`. */
const otpHold = { minimumSends: 50, minimumShare: 0.1 };
const hourMs = 3_600_000;

export const ofHolds = {
  'no password goes by SMS while these are held': {
    promise: 'decisions/otp-hold',
    check: ({ stage: { record }, plan, accepted, listed }) => {
      const sent = new Set(
        accepted.flatMap(({ asked, messageId }) => (asked.route === 'sendOtp' ? [messageId] : [])),
      );
      return [...listed].flatMap(([clientId, messages]) =>
        messages.flatMap(({ message_id, fallback_of, channel, created_at, error }) => {
          if (!sent.has(fallback_of ?? message_id) || channel !== 'sms' || error?.code === 'otp_held')
            return [];
          const fromMs = Date.parse(created_at) - plan.skewMaxMs;
          const states = holdsDuring(record.edited, clientId, fromMs, fromMs + 2 * plan.skewMaxMs + lookMs);
          return states.includes(false)
            ? []
            : [
                `${message_id} is a password of ${clientId} of ${timeOf(Date.parse(created_at))}, when these were held`,
              ];
        }),
      );
    },
  },
  'passwords are refused as held only while they are': {
    promise: 'decisions/otp-hold',
    check: ({ stage: { record, database }, plan }) => {
      const byTheGateway = JSON.stringify(
        database.rows('ActivityLog').filter(({ kind }) => JSON.stringify(kind).includes('otp_held')),
      );
      return record.asked.flatMap(({ clientId, route, atMs, answeredAtMs = atMs, answer, body }) => {
        if (answer?.error !== 'otp_held' || byTheGateway.includes(clientId)) return [];
        const states = holdsDuring(
          record.edited,
          clientId,
          atMs - plan.skewMaxMs,
          answeredAtMs + plan.skewMaxMs,
        );
        return states.includes(true) && Reflect.get(Object(body), 'channel') !== 'whatsapp'
          ? []
          : [`${clientId} was refused ${route} at ${timeOf(atMs)}: ${JSON.stringify(body)}`];
      });
    },
  },
  'passwords of an hour that are not verified are held or noticed': {
    promise: 'decisions/otp-hold',
    check: ({ scene, stage: { record, database }, plan: { skewMaxMs } }) => {
      const found = database
        .rows('ActivityLog')
        .map(textsOf)
        .filter(({ kind }) => kind === 'otp_held' || kind === 'otp_unverified');
      return scene.clients.flatMap(({ clientId }) => {
        const asked = record.asked.filter((one) => one.clientId === clientId);
        const isEdited = record.edited.some(
          ({ table, key }) => table === 'OtpHolds' && key.client_id === clientId,
        );
        if (isEdited || found.some(({ client_id }) => client_id === clientId)) return [];
        const verified = new Set(
          asked.flatMap(({ route, answer }) =>
            route === 'verifyOtp' && answer?.verified === true ? [answer.otp_id] : [],
          ),
        );
        const sends = asked.filter(
          ({ route, status, headers, body }) =>
            route === 'sendOtp' &&
            status === 202 &&
            headers?.['Idempotent-Replayed'] === undefined &&
            Reflect.get(Object(body), 'channel') !== 'whatsapp',
        );
        // Any SMS may contain a verified code.
        const read = asked.filter(({ answer }) => verified.has(answer?.otp_id)).length;
        const low = sends.find(({ atMs }) => {
          const judged = sends.filter(
            (one) => one.atMs > atMs - hourMs + 2 * skewMaxMs && one.atMs < atMs - judgedAfterMs - skewMaxMs,
          );
          return judged.length >= otpHold.minimumSends && read < otpHold.minimumShare * judged.length;
        });
        return low === undefined
          ? []
          : [
              `${clientId} sent passwords in the hour before ${timeOf(low.atMs)}, of which ${read} were verified, without a hold or a notice`,
            ];
      });
    },
  },
  'a password counts towards a hold only if it was sent': {
    promise: 'decisions/otp-hold',
    check: ({ scene, stage: { database, calls } }) => {
      const isUncertain = calls.some(
        ({ about, fault }) => fault !== undefined && about.includes('OneTimePasswords'),
      );
      if (isUncertain) return [];
      const messages = database.rows('Messages').map(textsOf);
      const days = database
        .rows('OtpTraffic')
        .map(textsOf)
        .filter(({ span = '' }) => span.startsWith('day'));
      return scene.clients.flatMap(({ clientId }) => {
        const counted = days
          .filter(({ client_id }) => client_id === clientId)
          .flatMap((day) => Object.entries(day).filter(([column]) => column.startsWith('sends_')))
          .reduce((sum, [, sends]) => sum + Number(sends), 0);
        const sent = messages.filter(
          (one) => one.client_id === clientId && one.channel === 'sms' && one.otp !== undefined,
        );
        return counted > sent.length
          ? [`${clientId} sent ${sent.length} SMS with passwords, and ${counted} are counted towards a hold`]
          : [];
      });
    },
  },
} as const satisfies Record<string, Invariant>;

/** Returns whether passwords by SMS of the client were held, as the gateway can have known it then; all people are in one country. */
function holdsDuring(
  edited: readonly Edited[],
  clientId: string,
  fromMs: number,
  untilMs: number,
): readonly boolean[] {
  const statesOf = (country: string) =>
    rowsDuring(
      edited.filter(
        ({ table, key }) => table === 'OtpHolds' && key.client_id === clientId && key.country === country,
      ),
      fromMs - holdKnownWithinMs,
      untilMs,
    );
  return statesOf('GB').flatMap((own) => statesOf('*').map((all) => (own ?? all)?.state === 'held'));
}

/** The texts and numbers of a row; of anything else that it is there. */
function textsOf(item: Item): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, 'S' in value ? value.S : 'N' in value ? value.N : '']),
  );
}

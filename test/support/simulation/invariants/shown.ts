/** What a status, its history and its events say of a message, compared with each other and with the carrier's reports. */
import type { Ended } from './ended.ts';
import { deadLetters, distinct, type Invariant, isCalm, lastFaultMs, timeOf } from './invariant.ts';

/** Within which a message expires after its validity. */
const expiresWithinMs = 120_000;
/** A review that failed is repeated within this time. */
const reviewedAgainMs = 420_000;

export const ofShown = {
  'an event says what the status shows': {
    promise: '6.3, 6.5',
    check: ({ accepted, stage: { record } }) => {
      const posted = Map.groupBy(record.posted, ({ event }) => String(event.data.message_id));
      return distinct(accepted).flatMap(({ messageId, status }) =>
        (posted.get(messageId) ?? []).flatMap(({ event }) =>
          (['sent_at', 'delivered_at', 'read_at'] as const).flatMap((name) => {
            const [told, shown] = [event.data[name], status?.[name]];
            return told === undefined || status === undefined || told === shown
              ? []
              : [`${event.event} of ${messageId} says ${name} ${told}, and its status ${shown}`];
          }),
        ),
      );
    },
  },
  'a report of the carrier proves that the message was sent': {
    promise: '6.3',
    check: ({ accepted, stage: { record, sqs } }) => {
      const reported = new Set(record.published.map(({ messageId }) => messageId));
      const waiting = deadLetters(sqs);
      return distinct(accepted).flatMap(({ messageId, status }) =>
        reported.has(messageId) &&
        status !== undefined &&
        status.sent_at === null &&
        !waiting.some((body) => body.includes(messageId))
          ? [`${messageId} was reported by its carrier, and is ${status.status} without having been sent`]
          : [],
      );
    },
  },
  'the status shows the carrier that reported': {
    promise: '16.3',
    check: (ended) =>
      reportedSms(ended).flatMap(({ messageId, status, reports }) =>
        reports.some(({ carrier }) => carrier === status.carrier)
          ? []
          : [`${messageId} was reported by ${reports[0]?.carrier}, and is shown as of ${status.carrier}`],
      ),
  },
  'the cost is what all carriers asked for together': {
    promise: '16.3',
    check: (ended) => {
      const refused = refusedAndReported(ended);
      return reportedSms(ended).flatMap(({ messageId, status, reports, attempts }) => {
        if (refused.has(messageId)) return [];
        const prices = new Map(reports.map(({ attemptId, price = 0 }) => [attemptId, price]));
        // If a price was not reported, the cost is an estimate or absent.
        if (attempts.some((attemptId) => !prices.has(attemptId))) return [];
        const cost = [...prices.values()].reduce((sum, price) => sum + price, 0);
        return Math.abs(Number(status.cost) - cost) < 1e-9
          ? []
          : [`${messageId} cost ${cost.toFixed(4)}, and is shown to cost ${status.cost}`];
      });
    },
  },
  'the cost of what a carrier took is shown': {
    promise: '11.2',
    check: (ended) => {
      if (!isCalm(ended)) return [];
      const { accepted, stage } = ended;
      const taken = new Set(
        stage.record.handOvers.flatMap(({ messageId, carrierMessageId }) =>
          carrierMessageId === undefined ? [] : [messageId],
        ),
      );
      const shown = distinct(accepted).filter(({ messageId }) => taken.has(messageId));
      return [...Map.groupBy(shown, ({ asked }) => asked.route).values()].flatMap((messages) => {
        const hasPrices = messages.some(({ status }) => typeof status?.cost === 'number');
        return messages.flatMap(({ messageId, status }) =>
          hasPrices && status !== undefined && status.cost === null
            ? [`${messageId} was taken by a carrier, and no cost is shown`]
            : [],
        );
      });
    },
  },
  'a message expires within two minutes after its validity': {
    promise: '6.4',
    check: (ended) =>
      distinct(ended.accepted).flatMap(({ messageId, status }) => {
        if (status?.status !== 'expired') return [];
        const { at = '' } =
          status.history.find((entry: { status: string }) => entry.status === 'expired') ?? {};
        const endMs = Date.parse(status.expires_at);
        const isUndisturbed = isCalm(ended) || endMs > lastFaultMs(ended) + reviewedAgainMs;
        return isUndisturbed && Date.parse(at) > endMs + expiresWithinMs + 2 * ended.plan.skewMaxMs
          ? [`${messageId} was valid until ${status.expires_at}, and expired at ${timeOf(Date.parse(at))}`]
          : [];
      }),
  },
  'a delivered leg ends its sequence': {
    promise: '14.7',
    check: (ended) => {
      const messages = [...ended.listed.values()].flat();
      const lastFault = lastFaultMs(ended);
      return messages.flatMap(({ message_id, fallback_of }) => {
        const first = fallback_of ?? message_id;
        const others = messages.filter(
          (one) => one.message_id !== message_id && (one.fallback_of ?? one.message_id) === first,
        );
        const deliveredAtMs = Math.min(
          ...others.flatMap(({ delivered_at }) => (delivered_at ? [Date.parse(delivered_at)] : [])),
        );
        const settledMs = lastFault > deliveredAtMs - 60_000 ? 900_000 : 30_000;
        const late = ended.stage.record.handOvers.find(
          ({ messageId, atMs }) => messageId === message_id && atMs > deliveredAtMs + settledMs,
        );
        return late === undefined
          ? []
          : [
              `${message_id} was handed over at ${timeOf(late.atMs)}, another leg delivered at ${timeOf(deliveredAtMs)}`,
            ];
      });
    },
  },
} as const satisfies Record<string, Invariant>;

/**
 * The messages that a carrier refused for want of credit: it reports their failure too, without a price. If the report is read
 * before the refusal, it proves that the carrier had the message. The message then has an estimated cost.
 */
function refusedAndReported({ stage }: Ended): ReadonlySet<string> {
  const refused = stage.record.handOvers.filter(
    ({ refusedWith }) => refusedWith === 'refused for want of credit',
  );
  return new Set(refused.map(({ messageId }) => messageId));
}

/** The SMS whose reports have all arrived, with the attempts that carriers took. */
function reportedSms({ accepted, settledAtMs, stage: { record, sqs } }: Ended) {
  const waiting = deadLetters(sqs);
  const reportsOf = Map.groupBy(record.published, ({ messageId }) => messageId);
  const takenOf = Map.groupBy(
    record.handOvers.filter(({ carrierMessageId }) => carrierMessageId !== undefined),
    ({ messageId }) => messageId,
  );
  return distinct(accepted).flatMap(({ messageId, status }) => {
    const reports = reportsOf.get(messageId) ?? [];
    const isLate = reports.some(({ atMs }) => atMs > settledAtMs - 60_000);
    const isUntold = record.untold.some((one) => one.messageId === messageId);
    const isKept = waiting.some((body) => body.includes(messageId));
    if (status?.channel !== 'sms' || reports.length === 0 || isLate || isUntold || isKept) return [];
    const attempts = (takenOf.get(messageId) ?? []).map(({ attemptId }) => attemptId);
    return [{ messageId, status, reports, attempts }];
  });
}

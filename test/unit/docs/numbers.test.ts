/** The numbers in the prose of the documentation are those of the code: a changed constant fails here, and names the page. */
import { describe, expect, it } from '@jest/globals';
import { stages } from '../../../lib/stages/stages.ts';
import { webhookSecretsMax } from '../../../shared/client/client-admin.ts';
import { secretActiveAfterSeconds } from '../../../shared/client/webhook-secrets.ts';
import { accessCache } from '../../../shared/contract/access-cache.ts';
import { noticePercentages } from '../../../shared/contract/caps.ts';
import { receivesMax } from '../../../shared/contract/delivery-times.ts';
import { inWords } from '../../../shared/contract/in-words.ts';
import { recipientSendsMax, recipientWindowSeconds } from '../../../shared/contract/otp-recipient-limit.ts';
import { acknowledgeWithinSeconds, retryDelaysSeconds } from '../../../shared/contract/retry-delays.ts';
import { idempotencyKeyHours, previousSecretHours } from '../../../shared/contract/validity.ts';
import { windowHours } from '../../../shared/message/receive/whatsapp-window.ts';
import { bulkRecipientsMax } from '../../../shared/message/send/bulk-rows.ts';
import { afterSecondsMin, legIndexes } from '../../../shared/message/send/fallback-fields.ts';
import { validityMaxSeconds } from '../../../shared/message/send/send-fields.ts';
import { rememberedSeconds } from '../../../shared/otp/hold/otp-hold.ts';
import { ttlSeconds } from '../../../shared/otp/otp.ts';
import { queueDelayMaxSeconds } from '../../../shared/platform/aws/queue-delay.ts';
import { paceMax, paceMin } from '../../../shared/sender/sender-row.ts';
import { tokenLifetimeSeconds } from '../../../shared/token/token-claims.ts';
import { keyBounds } from '../../../shared/token/token-verifier.ts';
import { usageKeptDays } from '../../../shared/usage/period.ts';
import { clientPeriodsMax, periodsMax } from '../../../shared/usage/usage-query.ts';
import { disabledAfter, endpointsMax } from '../../../shared/webhook/endpoints/webhook-endpoint.ts';
import { entriesMax } from '../../../shared/webhook/log/notification-deliveries.ts';
import { sameRequestMinutes } from '../../../shared/webhook/resend/request-resend.ts';
import { betweenEventsSeconds, resentPerSecond } from '../../../shared/webhook/resend/run-resend.ts';
import { page } from '../../support/docs/pages.ts';

const words = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
/** As prose writes it: small numbers in letters. */
const word = (count: number): string =>
  ({ 20: 'twenty', 50: 'fifty' })[count] ?? words[count] ?? count.toLocaleString('en');
const digits = (count: number): string => count.toLocaleString('en');
const minutes = (seconds: number): string => word(seconds / 60);

/** A change of access, limits or senders is in force when every function has read it again: whole minutes are promised. */
const inForce = `within ${Math.ceil(accessCache.maxAgeSeconds / 60) * 60} seconds`;
const retries = `status 200 within ${acknowledgeWithinSeconds} seconds; otherwise ${word(retryDelaysSeconds.length)} retries follow, after ${inWords(retryDelaysSeconds)}.`;
const [firstNotice, lastNotice] = noticePercentages;
const recipientWindow = minutes(recipientWindowSeconds);
/** As `one hour`, or `15 minutes`. */
const tokenLifetime = inWords([tokenLifetimeSeconds]).replace(/^1 /, 'one ');
const anHour = tokenLifetime.replace(/^one /, 'an ');
const { production } = stages;

/** What each page says. */
const sentences: Readonly<Record<string, readonly string[]>> = {
  'README.md': [
    retries,
    `Delays up to ${queueDelayMaxSeconds / 60} minutes are SQS delays`,
    `one-shot schedules that fire ${production.scheduleLeadSeconds} s early`,
    `An access token for ${tokenLifetime}`,
    `Send an SMS to up to ${digits(bulkRecipientsMax)} recipients`,
    `for ${idempotencyKeyHours} hours the repeat gets the first response`,
  ],
  'docs/aws-destinations.md': [`accepted the message or event within ${acknowledgeWithinSeconds} s`],
  'docs/fallback.md': [
    `names at most ${word(legIndexes.length)} messages that follow`,
    `${afterSecondsMin} to ${digits(validityMaxSeconds)}, counted from`,
    `the ${word(recipientSendsMax)} messages of a recipient in ${recipientWindow} minutes`,
  ],
  'docs/glossary.md': [`The ${windowHours} hours after a person's last WhatsApp message`],
  'docs/inbound.md': [`For ${windowHours} hours after a person's last WhatsApp message`],
  'docs/limits.md': [
    `It takes effect ${inForce}`,
    `**At ${firstNotice} % and ${lastNotice} % of a spend cap**`,
    `a spend cap of ${production.caps.spend?.perDay} a day and ${digits(production.caps.spend?.perMonth ?? 0)} a month`,
  ],
  'docs/message-error-codes.md': [`has not written in the last ${windowHours} hours`],
  'docs/operate.md': [
    `is refused five times, a webhook ${word(receivesMax)} times`,
    `clients disable CLIENT_ID\` stops it ${inForce}`,
    `reached ${lastNotice} % of its spend cap`,
    `at ${firstNotice} % came before`,
    `is in force within ${rememberedSeconds} seconds`,
    `countries and senders that a client may use, in force ${inForce}`,
    `at most ${word(resentPerSecond)} a second`,
  ],
  'docs/rotate-and-restore.md': [
    `Both are valid for ${previousSecretHours} hours`,
    `Until \`active_at\`, ${secretActiveAfterSeconds} s later, the old one signs; then both for ${previousSecretHours} hours`,
    `After several rotations up to ${word(webhookSecretsMax)} sign`,
    `valid until they expire, ${tokenLifetime} at most`,
    `${anHour} later one without the first`,
    `Second step, after ${anHour}`,
    `do not rotate twice within ${inWords([ttlSeconds.max]).replace(/^1 /, 'an ')}`,
    `refused within ${word(Math.ceil(keyBounds.maxAgeSeconds / 60) + 1)} minutes`,
  ],
  'SECURITY.md': [`valid for ${anHour}`],
  'docs/cost-and-scale.md': [`300 a second, each for ${anHour}`],
  'docs/decisions/dashboard-sessions.md': [`a token lasts ${anHour}`, `a stolen token is worth ${anHour}`],
  'docs/senders.md': [
    `It takes effect ${inForce}`,
    `| ${paceMin} to ${digits(paceMax)}, optional |`,
    `The ${production.concurrency.bulkSends} workers of`,
    `at most every ${accessCache.maxAgeSeconds} seconds`,
  ],
  'docs/usage.md': [
    `Kept for ${usageKeptDays} days`,
    `at most ${periodsMax.hour} hours, ${periodsMax.day} days or ${periodsMax.month} months, and with \`group_by=client\` at most ${clientPeriodsMax} intervals`,
    `up to ${word(validityMaxSeconds / 86_400)} days later`,
  ],
  'docs/webhooks.md': [
    retries,
    `A client has up to ${word(endpointsMax)}`,
    `at most ${secretActiveAfterSeconds} seconds later; for ${previousSecretHours} hours both sign`,
    `nothing for ${word(disabledAfter.days)} days, in at least ${disabledAfter.attempts} attempts`,
    `the ${word(entriesMax)} latest`,
    `for at least ${word(sameRequestMinutes)} minutes`,
    `due ${betweenEventsSeconds} seconds after one another`,
    `About ${resentPerSecond} a second`,
    `up to ${queueDelayMaxSeconds / 60} minutes after its event`,
  ],
  'bin/admin/client-commands.ts': [
    `stays valid for ${previousSecretHours} hours`,
    `the previous one for ${previousSecretHours} hours after that too`,
  ],
  'dashboard/pages/clients/client.tsx': [
    `stays valid for ${previousSecretHours} hours`,
    `takes effect after ${secretActiveAfterSeconds} seconds. Webhooks are also signed with the current secret for another ${previousSecretHours} hours`,
  ],
};

describe.each(Object.entries(sentences))('%s', (path, said) => {
  const text = page(path).replaceAll(/\s+/g, ' ');

  it.each(said)('says: %s', (sentence) => {
    expect(text.includes(sentence) ? sentence : text).toBe(sentence);
  });
});

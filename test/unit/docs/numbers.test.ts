/** The numbers in the prose of the documentation are those of the code: a changed constant fails here, and names the page. */
import { describe, expect, it } from '@jest/globals';
import { stages } from '../../../lib/stages/stages.ts';
import { previousSecretHours, previousSecretHoursMax } from '../../../shared/client/client-admin.ts';
import { secretActiveAfterSeconds } from '../../../shared/client/webhook-secrets.dynamo.ts';
import {
  paceMax,
  paceMin,
  policies,
  recipientSendsMax,
  recipientWindowSeconds,
} from '../../../shared/contract/rate-limits-and-caps.ts';
import {
  acknowledgeWithinSeconds,
  receivesMax,
  retryDelaysSeconds,
} from '../../../shared/contract/webhook-worker-times.ts';
import { noticePercentages } from '../../../shared/limit/cap-notices.ts';
import { singleSegment } from '../../../shared/message/message-text.ts';
import { bulkRecipientsMax } from '../../../shared/message/send/bulk-recipients.ts';
import { afterSecondsMin, legIndexes, validityMaxSeconds } from '../../../shared/message/send/send-fields.ts';
import { windowHours } from '../../../shared/message/store/whatsapp-window.dynamo.ts';
import { rememberedSeconds } from '../../../shared/otp/otp-holds.dynamo.ts';
import { ttlSeconds } from '../../../shared/otp/otp-request.ts';
import { inWords } from '../../../shared/platform/clock.ts';
import { accessCache } from '../../../shared/platform/expiring-cache.ts';
import { keyBounds, tokenLifetimeSeconds } from '../../../shared/token/verify-token.dynamo.ts';
import { usageKeptDays } from '../../../shared/usage/period.ts';
import { clientPeriodsMax, periodsMax } from '../../../shared/usage/usage-query.ts';
import { disabledAfter } from '../../../shared/webhook/deliver/disable-endpoint.ts';
import { sameRequestMinutes } from '../../../shared/webhook/log/request-resend.ts';
import { resentPerSecond } from '../../../shared/webhook/log/resend.ts';
import { endpointsMax } from '../../../shared/webhook/webhook-endpoint.ts';
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
const inForce = `${Math.ceil(accessCache.maxAgeSeconds / 60) * 60} seconds`;
const retries = inWords(retryDelaysSeconds);
const [firstNotice, lastNotice] = noticePercentages;
/** As `one hour`, or `15 minutes`. */
const tokenLifetime = inWords([tokenLifetimeSeconds]).replace(/^1 /, 'one ');
const anHour = tokenLifetime.replace(/^one /, 'an ');
const { production } = stages;

/** For each page: words of a passage, and the numbers that it must have, as prose writes them. */
const facts: Readonly<Record<string, readonly (readonly [about: string, ...numbers: string[]])[]>> = {
  'README.md': [['/api/v1/sms/bulk', digits(bulkRecipientsMax)]],
  'docs/contract.md': [
    ['issues a token', `${digits(tokenLifetimeSeconds)} s`],
    ['previous secret', `${previousSecretHours} h`, String(previousSecretHoursMax)],
    ['An attempt is acknowledged', `${acknowledgeWithinSeconds} s`],
  ],
  'docs/aws-destinations.md': [['AWS accepted', `${acknowledgeWithinSeconds} s`]],
  'docs/fallback.md': [
    ['`otp/send`', word(legIndexes.length)],
    ['`after_seconds` |', String(afterSecondsMin), digits(validityMaxSeconds)],
    ['same code', word(recipientSendsMax), `${minutes(recipientWindowSeconds)} minutes`],
  ],
  'docs/glossary.md': [['last WhatsApp message', `${windowHours} hours`]],
  'docs/inbound.md': [['last WhatsApp message', `${windowHours} hours`]],
  'docs/limits.md': [
    ['without a deploy', inForce],
    ['of a spend cap', `${firstNotice} %`, `${lastNotice} %`],
    [
      '`production` has a spend cap',
      String(production.caps.spend?.perDay),
      digits(production.caps.spend?.perMonth ?? 0),
    ],
  ],
  'docs/guides/webhooks.md': [
    ['You can also have up to', word(endpointsMax)],
    ['Answer with status 200', `${acknowledgeWithinSeconds} seconds`],
    ['After a failed attempt', word(retryDelaysSeconds.length), retries],
    ['`active_at`', `${secretActiveAfterSeconds} seconds`, `${previousSecretHours} hours`],
  ],
  'docs/guides/limits.md': [
    ['to the same recipient', String(recipientSendsMax), inWords([recipientWindowSeconds])],
    [
      'by source address',
      ...[policies.unmatched.perMinute, policies.unmatched.perHour, policies.unmatched.perDay].map(digits),
    ],
    ['One segment has', String(singleSegment.septets), String(singleSegment.codeUnits)],
  ],
  'docs/guides/quick-start.md': [['A token is valid for', tokenLifetime]],
  'docs/operate.md': [
    ['dead letter', `${word(receivesMax)} times`],
    ['call changeClient CLIENT_ID --disabled', inForce],
    ['spend_cap_nearly_reached', `${firstNotice} %`],
    [
      'passwords by SMS in an hour',
      String(production.otpHold.minimumSends),
      `${100 * production.otpHold.minimumShare} %`,
    ],
    ['*Allow* in the dashboard', `${rememberedSeconds} seconds`],
    ['`call changeClient` sets', inForce],
    ['call resendWebhookDeliveries CLIENT', `${word(resentPerSecond)} a second`],
  ],
  'docs/rotate-and-restore.md': [
    ['both', `${previousSecretHours} hours`],
    ['`active_at`', `${secretActiveAfterSeconds} s`, `${previousSecretHours} hours`],
    ['valid until they expire', tokenLifetime],
    ['later one without the first', anHour],
    ['Second step', anHour],
    ['rotate twice', inWords([ttlSeconds.max]).replace(/^1 /, 'an ')],
    ['refused within', `${word(Math.ceil(keyBounds.maxAgeSeconds / 60) + 1)} minutes`],
  ],
  'SECURITY.md': [['valid for', anHour]],
  'docs/cost-and-scale.md': [['**KMS**', anHour]],
  'docs/senders.md': [
    ['takes effect', inForce],
    ['`messages_per_second` |', String(paceMin), digits(paceMax)],
    ['`concurrency.bulkSends`', String(production.concurrency.bulkSends)],
  ],
  'docs/usage.md': [
    ['kept for', `${usageKeptDays} days`],
    [
      'A response has at most',
      `${periodsMax.hour} hours`,
      `${periodsMax.day} days`,
      `${periodsMax.month} months`,
      `${clientPeriodsMax} intervals`,
    ],
    ['Everything about a message', `${word(validityMaxSeconds / 86_400)} days`],
  ],
  'docs/webhooks.md': [
    ['A client has up to', word(endpointsMax)],
    ['both sign', `${previousSecretHours} hours`],
    ['Automatic disabling', `${word(disabledAfter.days)} days`, `${disabledAfter.attempts} attempts`],
    ['same `resend_id`', `${word(sameRequestMinutes)} minutes`],
    ['retry queue', `${resentPerSecond} a second`],
  ],
  'dashboard/pages/clients/credentials.tsx': [
    ['takes effect after', `${secretActiveAfterSeconds} seconds`, `${previousSecretHours} hours`],
  ],
};

describe.each(Object.entries(facts))('%s', (path, ofPage) => {
  /** Paragraphs, items of lists and rows of tables, each on one line. */
  const passages = page(path)
    .split(/\n(?=\n|- |\d\. |\|)/)
    .map((passage) => passage.replaceAll(/\s+/g, ' '));

  it.each(ofPage)('has the number of the code: %s', (about, ...numbers) => {
    const found = passages.filter((passage) => passage.includes(about));
    expect(found).not.toEqual([]);
    const isRight = found.some((passage) => numbers.every((number) => passage.includes(number)));
    expect(isRight ? numbers : found).toEqual(numbers);
  });
});

it('times are named in the largest whole unit', () => {
  expect(inWords([1, 90, 60, 7200, 259_200])).toBe('1 second, 90 seconds, 1 minute, 2 hours and 3 days');
});

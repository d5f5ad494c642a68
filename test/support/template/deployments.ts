/** The deployments whose templates are tested: every stage, and production with all optional parts. */
import { stackNameMaximum } from '../../../lib/stages/stage-settings.ts';

const production = {
  stage: 'production',
  whatsappPhoneNumberId: 'phone-number-id-0123456789abcdef0123456789abcdef',
};

/** Prices of this many countries, with realistic numbers of digits. */
function pricesOf(countries: number): Record<string, number> {
  const letter = (index: number): string => String.fromCharCode(65 + (index % 26));
  return Object.fromEntries(
    Array.from({ length: countries }, (_, i) => [
      `${letter(Math.floor(i / 26))}${letter(i)}`,
      0.01234 + i / 1e5,
    ]),
  );
}

/** Settings as on a command line, by the deployment's name. */
export const deployments: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'no settings': {},
  local: { stage: 'local' },
  production,
  'production with everything': {
    ...production,
    region: 'eu-west-1',
    alarmEmail: 'on-call@example.com',
    customDomain: {
      name: 'api.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:000000000000:certificate/0123',
      hostedZone: { id: 'Z0123', name: 'example.com' },
    },
    provisionedCapacity: { min: 100, max: 4000 },
    reservedConcurrency: { 'send-sms': 200 },
    tokenKeyGenerations: [1, 2],
    prices: { currency: 'USD', sms: pricesOf(240), whatsapp: pricesOf(240) },
  },
  'production under the longest name': {
    ...production,
    stackName: 'g'.repeat(stackNameMaximum),
    ignoreAlarmConfiguration: true,
  },
};

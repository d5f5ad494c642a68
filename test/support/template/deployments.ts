/** The deployments whose templates are tested: every stage, and production with all optional parts. */
import { getCountries } from 'libphonenumber-js/min';
import { sampleCountriesFile } from '../../../lib/stages/countries-file.ts';
import { stackNameMaximum } from '../../../lib/stages/stage-settings.ts';

const withoutCountries = {
  stage: 'production',
  smsOriginationIdentity: 'pool-0123456789abcdef0123456789abcdef',
  whatsappPhoneNumberId: 'phone-number-id-0123456789abcdef0123456789abcdef',
};

const production = { ...withoutCountries, countriesFile: sampleCountriesFile };

/** A price for each country, with realistic numbers of digits. */
const pricesEverywhere = Object.fromEntries(
  getCountries().map((country, i) => [country, (1234 + i) / 100_000]),
);

/** Settings as on a command line, by the deployment's name. */
export const deployments: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'no settings': {},
  local: { stage: 'local' },
  production,
  'production with everything': {
    ...withoutCountries,
    region: 'eu-west-1',
    alarmEmail: 'on-call@example.com',
    customDomain: {
      name: 'api.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:000000000000:certificate/0123',
      hostedZone: { id: 'Z0123', name: 'example.com' },
    },
    provisionedCapacity: { min: 100, max: 4000 },
    reservedConcurrency: { 'send-sms': 200 },
    apiLogRole: 'existing',
    trustedProxies: { addresses: ['192.0.2.0/24', '2001:db8::/32'], header: 'X-Real-IP' },
    tokenKeyGenerations: [1, 2],
    allowedCountries: getCountries(),
    prices: { currency: 'USD', sms: pricesEverywhere, whatsapp: pricesEverywhere },
  },
  'production with global tables': {
    ...production,
    region: 'eu-west-1',
    globalTables: { home: 'eu-west-1', replicas: ['us-east-1'] },
  },
  'production as a standby': {
    ...production,
    region: 'us-east-1',
    globalTables: { home: 'eu-west-1', replicas: ['us-east-1'] },
  },
  'production under the longest name': {
    ...production,
    stackName: 'g'.repeat(stackNameMaximum),
    ignoreAlarmConfiguration: true,
  },
};

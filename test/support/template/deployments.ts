/** The deployments whose templates are tested: every stage, and production with all optional parts. */
import { getCountries } from 'libphonenumber-js/min';
import { sampleCountriesFile } from '../../../lib/stages/countries-file.ts';
import { stackNameMaximum } from '../../../lib/stages/stage-settings.ts';

/** CloudFormation's limit is 500. Every resource of a stack costs money and must be understood. */
export const resourceMaximum = 340;

const withoutCountries = {
  stage: 'production',
  smsOriginationIdentity: 'pool-0123456789abcdef0123456789abcdef',
  whatsappPhoneNumberId: 'phone-number-id-0123456789abcdef0123456789abcdef',
};

const production = { ...withoutCountries, countries: sampleCountriesFile };

/** A price for each country, with realistic numbers of digits. */
const countriesEverywhere = Object.fromEntries(
  getCountries().map((country, i) => [
    country,
    { sms: (1234 + i) / 100_000, whatsapp: (1234 + i) / 100_000 },
  ]),
);

const domain = {
  customDomain: {
    name: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:000000000000:certificate/0123',
    hostedZone: { id: 'Z0123', name: 'example.com' },
  },
};
const topic = (name: string): string => `arn:aws:sns:eu-west-1:000000000000:${name}`;

/** The settings of enterprises, each by its name. The deployment `production of an enterprise` has all of them. */
export const ofEnterprises: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'an existing key': {
    encryptionKeyArn: 'arn:aws:kms:eu-west-1:000000000000:key/01234567-89ab-cdef-0123-456789abcdef',
  },
  'existing topics': { alarms: { page: topic('page'), mail: topic('ticket') } },
  'an existing web ACL': {
    webAcl:
      'arn:aws:wafv2:eu-west-1:000000000000:regional/webacl/platform/01234567-89ab-cdef-0123-456789abcdef',
  },
  'a domain as the only address': { customDomain: { ...domain.customDomain, disableDefaultEndpoint: true } },
  'webhooks from fixed addresses': {
    webhookVpc: { subnetIds: ['subnet-0a1b2c3d', 'subnet-4e5f6a7b'], securityGroupIds: ['sg-0a1b2c3d'] },
  },
  'no cold starts of one-time passwords': {
    functionConcurrency: {
      'send-otp': { reserved: 50, provisioned: 5 },
      'verify-otp': { reserved: 50, provisioned: 5 },
      'dispatch-message': { provisioned: 5 },
    },
  },
  'every carrier': { smsCarrier: 'aws,infobip,twilio', whatsappCarrier: 'aws,meta' },
  retention: { retentionDays: 400, logRetentionDays: 731 },
};

/** Settings as on a command line, by the deployment's name: those that every run of the tests synthesizes. */
export const deployments: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'no settings': {},
  local: { stage: 'local' },
  production,
  'production with everything': {
    ...withoutCountries,
    region: 'eu-west-1',
    alarms: { mail: 'alarms@example.com', page: 'on-call@example.com' },
    ...domain,
    provisionedCapacity: { min: 100, max: 4000 },
    functionConcurrency: { 'send-sms': { reserved: 200 } },
    trustedProxies: { addresses: ['192.0.2.0/24', '2001:db8::/32'], header: 'X-Real-IP' },
    tokenKeyGenerations: [1, 2],
    countries: { currency: 'USD', countries: countriesEverywhere },
  },
  'production of an enterprise': {
    ...production,
    region: 'eu-west-1',
    ...Object.assign({}, ...Object.values(ofEnterprises)),
  },
  'production under the longest name': {
    ...production,
    stackName: 'g'.repeat(stackNameMaximum),
    ignoreAlarmConfiguration: true,
  },
};

/** Production with what an enterprise sets, one at a time; `npm run test:all -- templates` synthesizes them. */
export const enterpriseDeployments: Readonly<Record<string, Readonly<Record<string, unknown>>>> =
  Object.fromEntries(
    Object.entries(ofEnterprises).map(([name, settings]) => [
      `production with ${name}`,
      { ...production, ...settings },
    ]),
  );

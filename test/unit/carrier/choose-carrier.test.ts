/** Each channel has the carrier of the stage's settings, and needs only its settings; no carrier gets a test message. */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { carrierModules } from '../../../shared/carrier/carriers.ts';
import { chooseCarriers } from '../../../shared/carrier/choose-carrier.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { environmentOf } from '../../../shared/platform/env.ts';
import {
  type CarrierServer,
  carrierEnvironment,
  startCarrierServer,
} from '../../support/carrier/carrier-server.ts';
import { aSendingMessage, handOverOf } from '../../support/message/example-message.ts';
import { pricesFile } from '../../support/template/prices.ts';

const before = { ...process.env };
const sms = { SMS_ORIGINATION_IDENTITY: '+12065550152', SMS_CONFIGURATION_SET: 'receipts' };
const whatsApp = { WHATSAPP_PHONE_NUMBER_ID: 'phone-number-id-976c' };
let server: CarrierServer;

beforeAll(async () => {
  server = await startCarrierServer();
});

afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, before);
});

afterAll(() => server.close());

/** What the simulator of test messages needs on every stage. */
const simulator = { SIMULATOR_OUTBOX_TABLE: 'outbox', RECEIPTS_QUEUE_URL: 'receipts', RETENTION_DAYS: '30' };

async function choose(environment: Record<string, string>, client_id = 'client_1') {
  Object.assign(process.env, carrierEnvironment(server.url));
  const carriersFor = chooseCarriers(
    carrierModules,
    environmentOf<'dispatch-message'>({
      PRICES_FILE: pricesFile,
      TOKEN_ISSUER: 'https://gateway.example.com',
      ...simulator,
      ...environment,
    }),
    async () => [],
    systemClock,
  );
  const of = (channel: 'sms' | 'whatsapp') => carriersFor(aSendingMessage({ channel, client_id }));
  return { sms: of('sms'), whatsapp: of('whatsapp') };
}

it('hands SMS and WhatsApp over to AWS if the stage is set so', async () => {
  const carriers = await choose({ SMS_CARRIER: 'aws', WHATSAPP_CARRIER: 'aws', ...sms, ...whatsApp });
  await carriers.sms[0]?.handOver(handOverOf(aSendingMessage(), { text: 'Hello' }));
  await carriers.whatsapp[0]?.handOver(
    handOverOf(aSendingMessage({ channel: 'whatsapp' }), { text: 'Hello' }),
  );
  expect(server.requests.map((request) => request.service)).toEqual(['sms', 'whatsapp']);
});

it('has no carrier for a channel that is turned off', async () => {
  const carriers = await choose({ SMS_CARRIER: 'off', WHATSAPP_CARRIER: 'aws', ...whatsApp });
  expect(carriers.sms).toEqual([]);
  expect(carriers.whatsapp.map(({ name }) => name)).toEqual(['aws']);
});

it('gives the simulator every test message, except by a channel that is turned off', async () => {
  const carriers = { SMS_CARRIER: 'aws', WHATSAPP_CARRIER: 'aws', ...sms, ...whatsApp };
  const ofTest = await choose(carriers, 'client_1-test');
  expect([ofTest.sms, ofTest.whatsapp].map((some) => some.map(({ name }) => name))).toEqual([
    ['simulator'],
    ['simulator'],
  ]);
  const off = await choose({ ...carriers, SMS_CARRIER: 'off' }, 'client_1-test');
  expect(off.sms).toEqual([]);
});

it.each([
  [{ SMS_CARRIER: 'aws', WHATSAPP_CARRIER: 'aws', SIMULATOR_OUTBOX_TABLE: '' }, 'SMS_ORIGINATION_IDENTITY'],
  [{ SMS_CARRIER: 'aws', WHATSAPP_CARRIER: 'aws', ...whatsApp }, 'SMS_ORIGINATION_IDENTITY'],
  [{ SMS_CARRIER: 'aws', WHATSAPP_CARRIER: 'aws', ...sms }, 'WHATSAPP_PHONE_NUMBER_ID'],
  [{ SMS_CARRIER: 'aws', WHATSAPP_CARRIER: 'aws', PRICES_FILE: '' }, 'PRICES_FILE'],
])('stops at start-up where settings are missing: %j', async (environment, missing) => {
  await expect(choose(environment)).rejects.toThrow(`environment variable missing or malformed: ${missing}`);
});

it('fails at start-up where the price file is missing or not valid', async () => {
  const carriers = { SMS_CARRIER: 'aws', WHATSAPP_CARRIER: 'aws' };
  for (const PRICES_FILE of ['prices.json', import.meta.filename]) {
    await expect(choose({ ...carriers, PRICES_FILE })).rejects.toThrow(`${PRICES_FILE} does not hold prices`);
  }
});

/** Creates the carrier of each channel that the stage uses; only the settings of these carriers are needed. */
import { randomUUID } from 'node:crypto';
import type { Channel } from '../contract/channels.ts';
import { carrierSecondsMax } from '../contract/hand-over-times.ts';
import type { PriceTable } from '../contract/price-table.ts';
import { readPrices } from '../contract/prices.ts';
import type { Carrier } from '../message/dispatch/carrier.ts';
import { dynamo, sqs } from '../platform/aws/clients.ts';
import type { Clock } from '../platform/clock.ts';
import { type EnvironmentSource, readEnvironment } from '../platform/env.ts';
import { awsSms } from './aws/aws-sms.ts';
import { awsWhatsApp } from './aws/aws-whatsapp.ts';
import { dynamoOutbox } from './simulator/outbox.dynamo.ts';
import { sqsReceiptSender } from './simulator/receipt-sender.sqs.ts';
import { simulator } from './simulator/simulator.ts';

export type Carriers = Readonly<Record<Channel, Carrier>>;

/** Which variables it needs depends on the stage, so it reads them where it finds that out. */
export function chooseCarriers(clock: Clock, source?: EnvironmentSource): Carriers {
  const env = readEnvironment(['SMS_CARRIER', 'WHATSAPP_CARRIER', 'PRICES_FILE'], source);
  const prices = readPrices(env.PRICES_FILE);
  const settings = { prices, clock, source };
  return {
    sms: env.SMS_CARRIER === 'aws' ? smsByAws(settings) : simulated(settings),
    whatsapp: env.WHATSAPP_CARRIER === 'aws' ? whatsAppByAws(settings) : simulated(settings),
  };
}

interface CarrierSettings {
  readonly prices: PriceTable;
  readonly clock: Clock;
  readonly source: EnvironmentSource | undefined;
}

function simulated({ prices, clock, source }: CarrierSettings): Carrier {
  const env = readEnvironment(['SIMULATOR_OUTBOX_TABLE', 'RECEIPTS_QUEUE_URL', 'RETENTION_DAYS'], source);
  return simulator({
    outbox: dynamoOutbox(dynamo(), env.SIMULATOR_OUTBOX_TABLE, env.RETENTION_DAYS),
    sendReceipts: sqsReceiptSender(sqs(), env.RECEIPTS_QUEUE_URL),
    prices,
    clock,
    newCarrierMessageId: randomUUID,
  });
}

function smsByAws({ prices, clock, source }: CarrierSettings): Carrier {
  const names = ['SMS_ORIGINATION_IDENTITY', 'SMS_CONFIGURATION_SET', 'SMS_PROTECT_CONFIGURATION'] as const;
  const env = readEnvironment(names, source);
  return awsSms(
    {
      originationIdentity: env.SMS_ORIGINATION_IDENTITY,
      configurationSet: env.SMS_CONFIGURATION_SET,
      protectConfigurationId: env.SMS_PROTECT_CONFIGURATION,
      prices,
      timeLimitMs: carrierSecondsMax * 1000,
    },
    clock,
  );
}

function whatsAppByAws({ prices, source }: CarrierSettings): Carrier {
  const names = ['WHATSAPP_PHONE_NUMBER_ID', 'META_API_VERSION', 'WHATSAPP_OTP_TEMPLATE'] as const;
  const env = readEnvironment(names, source);
  return awsWhatsApp({
    phoneNumberId: env.WHATSAPP_PHONE_NUMBER_ID,
    metaApiVersion: env.META_API_VERSION,
    otpTemplate: env.WHATSAPP_OTP_TEMPLATE,
    prices,
    timeLimitMs: carrierSecondsMax * 1000,
  });
}

/** Creates the carrier of each channel that the stage uses; only the settings of these carriers are needed. */
import { randomUUID } from 'node:crypto';
import type { Channel } from '../contract/channels.ts';
import { carrierSecondsMax } from '../contract/hand-over-times.ts';
import { messageError } from '../contract/message-error-codes.ts';
import type { PriceTable } from '../contract/price-table.ts';
import { readPrices } from '../contract/prices.ts';
import type { carriers } from '../contract/worker-uses.ts';
import type { Carrier } from '../message/dispatch/carrier.ts';
import { dynamo, sqs } from '../platform/aws/clients.ts';
import type { Clock } from '../platform/clock.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { awsSms } from './aws/aws-sms.ts';
import { awsWhatsApp } from './aws/aws-whatsapp.ts';
import { dynamoOutbox } from './simulator/outbox.dynamo.ts';
import { sqsReceiptSender } from './simulator/receipt-sender.sqs.ts';
import { simulator } from './simulator/simulator.ts';

type CarrierEnvironment = EnvironmentFor<typeof carriers>;

export type Carriers = Readonly<Record<Channel, Carrier>>;

/** Only the variables of the carriers that the stage uses are taken. */
export function chooseCarriers(env: CarrierEnvironment, clock: Clock): Carriers {
  const prices = readPrices(env.PRICES_FILE);
  return {
    sms: chosen(env.SMS_CARRIER, {
      aws: () => smsByAws(env, prices, clock),
      simulator: () => simulated(env, prices, clock),
    }),
    whatsapp: chosen(env.WHATSAPP_CARRIER, {
      aws: () => whatsAppByAws(env, prices),
      simulator: () => simulated(env, prices, clock),
    }),
  };
}

function chosen(
  carrier: CarrierEnvironment['SMS_CARRIER'],
  make: Readonly<Record<Exclude<typeof carrier, 'off'>, () => Carrier>>,
): Carrier {
  return carrier === 'off' ? turnedOff : make[carrier]();
}

/** Refuses what was accepted before the channel was turned off. */
const turnedOff: Carrier = {
  handOver: async () => ({ outcome: 'refused', ...messageError('channel_off') }),
};

function simulated(env: CarrierEnvironment, prices: PriceTable, clock: Clock): Carrier {
  return simulator({
    outbox: dynamoOutbox(dynamo(), env.SIMULATOR_OUTBOX_TABLE, env.RETENTION_DAYS),
    sendReceipts: sqsReceiptSender(sqs(), env.RECEIPTS_QUEUE_URL),
    prices,
    clock,
    newCarrierMessageId: randomUUID,
  });
}

function smsByAws(env: CarrierEnvironment, prices: PriceTable, clock: Clock): Carrier {
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

function whatsAppByAws(env: CarrierEnvironment, prices: PriceTable): Carrier {
  return awsWhatsApp({
    phoneNumberId: env.WHATSAPP_PHONE_NUMBER_ID,
    metaApiVersion: env.META_API_VERSION,
    otpTemplate: env.WHATSAPP_OTP_TEMPLATE,
    prices,
    timeLimitMs: carrierSecondsMax * 1000,
  });
}

/** The stage's carrier of each channel. A carrier that the stage does not use is never loaded. */
import { randomUUID } from 'node:crypto';
import { dynamo, sqs } from '../aws.ts';
import type { Clock } from '../clock.ts';
import { readEnvironment } from '../env.ts';
import type { Carrier } from '../message/carrier.ts';
import type { Channel } from '../message/message.ts';
import type { PriceTable } from '../price-table.ts';
import { dynamoOutbox } from './outbox.dynamo.ts';
import { sqsReceiptSender } from './receipts.sqs.ts';
import { simulator } from './simulator.ts';

/** How long a hand-over may take; whoever claims a message must hold it for longer. */
const handOverLimitMs = 8000;

export type Carriers = Readonly<Record<Channel, Carrier>>;

export async function chooseCarriers(clock: Clock): Promise<Carriers> {
  const { SMS_CARRIER, WHATSAPP_CARRIER, PRICES } = readEnvironment([
    'SMS_CARRIER',
    'WHATSAPP_CARRIER',
    'PRICES',
  ]);
  return {
    sms: SMS_CARRIER === 'aws' ? await smsByAws(PRICES, clock) : simulated(PRICES, clock),
    whatsapp: WHATSAPP_CARRIER === 'aws' ? await whatsAppByAws(PRICES) : simulated(PRICES, clock),
  };
}

function simulated(prices: PriceTable, clock: Clock): Carrier {
  const environment = readEnvironment(['SIMULATOR_OUTBOX_TABLE', 'RECEIPTS_QUEUE_URL', 'RETENTION_DAYS']);
  return simulator({
    outbox: dynamoOutbox(dynamo(), environment.SIMULATOR_OUTBOX_TABLE, environment.RETENTION_DAYS),
    sendReceipts: sqsReceiptSender(sqs(), environment.RECEIPTS_QUEUE_URL),
    prices,
    clock,
    newCarrierMessageId: randomUUID,
  });
}

async function smsByAws(prices: PriceTable, clock: Clock): Promise<Carrier> {
  const environment = readEnvironment(['SMS_ORIGINATION_IDENTITY', 'SMS_CONFIGURATION_SET']);
  const { awsSms } = await import('./aws-sms.ts');
  return awsSms(
    {
      originationIdentity: environment.SMS_ORIGINATION_IDENTITY,
      configurationSet: environment.SMS_CONFIGURATION_SET,
      prices,
      timeLimitMs: handOverLimitMs,
    },
    clock,
  );
}

async function whatsAppByAws(prices: PriceTable): Promise<Carrier> {
  const environment = readEnvironment([
    'WHATSAPP_PHONE_NUMBER_ID',
    'META_API_VERSION',
    'WHATSAPP_OTP_TEMPLATE',
  ]);
  const { awsWhatsApp } = await import('./aws-whatsapp.ts');
  return awsWhatsApp({
    phoneNumberId: environment.WHATSAPP_PHONE_NUMBER_ID,
    metaApiVersion: environment.META_API_VERSION,
    otpTemplate: environment.WHATSAPP_OTP_TEMPLATE,
    prices,
    timeLimitMs: handOverLimitMs,
  });
}

/** The stage's carrier of each channel; only the settings of that one are needed. */
import { randomUUID } from 'node:crypto';
import type { PriceTable } from '../contract/price-table.ts';
import type { Carrier } from '../message/dispatch/carrier.ts';
import type { Channel } from '../message/message.ts';
import { dynamo, sqs } from '../platform/aws/clients.ts';
import type { Clock } from '../platform/clock.ts';
import { readEnvironment } from '../platform/env.ts';
// Not when first needed: what a bundle loads later it takes whole, every operation of both services with it.
import { awsSms } from './aws/aws-sms.ts';
import { awsWhatsApp } from './aws/aws-whatsapp.ts';
import { readPrices } from './prices-file.ts';
import { dynamoOutbox } from './simulator/outbox.dynamo.ts';
import { sqsReceiptSender } from './simulator/receipt-sender.sqs.ts';
import { simulator } from './simulator/simulator.ts';

/** How long a hand-over may take; whoever claims a message must hold it for longer. */
const handOverLimitMs = 8000;

export type Carriers = Readonly<Record<Channel, Carrier>>;

export function chooseCarriers(clock: Clock): Carriers {
  const { SMS_CARRIER, WHATSAPP_CARRIER, PRICES_FILE } = readEnvironment([
    'SMS_CARRIER',
    'WHATSAPP_CARRIER',
    'PRICES_FILE',
  ]);
  const prices = readPrices(PRICES_FILE);
  return {
    sms: SMS_CARRIER === 'aws' ? smsByAws(prices, clock) : simulated(prices, clock),
    whatsapp: WHATSAPP_CARRIER === 'aws' ? whatsAppByAws(prices) : simulated(prices, clock),
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

function smsByAws(prices: PriceTable, clock: Clock): Carrier {
  const environment = readEnvironment(['SMS_ORIGINATION_IDENTITY', 'SMS_CONFIGURATION_SET']);
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

function whatsAppByAws(prices: PriceTable): Carrier {
  const environment = readEnvironment([
    'WHATSAPP_PHONE_NUMBER_ID',
    'META_API_VERSION',
    'WHATSAPP_OTP_TEMPLATE',
  ]);
  return awsWhatsApp({
    phoneNumberId: environment.WHATSAPP_PHONE_NUMBER_ID,
    metaApiVersion: environment.META_API_VERSION,
    otpTemplate: environment.WHATSAPP_OTP_TEMPLATE,
    prices,
    timeLimitMs: handOverLimitMs,
  });
}

/** The simulated carrier of a stage. */
import { dynamo, sqs } from '../../platform/aws/clients.ts';
import type { CarrierModule } from '../carrier-module.ts';
import { simulatorDescriptor } from './descriptor.ts';
import { dynamoOutbox } from './outbox.dynamo.ts';
import { sqsReceiptSender } from './receipt-sender.sqs.ts';
import { simulatedCarrier } from './simulated-carrier.ts';

export const simulator: CarrierModule = {
  descriptor: simulatorDescriptor,
  errors: {},
  create: (_channel, { env, prices }) =>
    simulatedCarrier({
      outbox: dynamoOutbox(dynamo(), env.SIMULATOR_OUTBOX_TABLE, env.RETENTION_DAYS),
      sendReceipts: sqsReceiptSender(sqs(), env.RECEIPTS_QUEUE_URL),
      prices,
    }),
};

/** The context of the admin API and the command line, on a gateway's tables and queues. */

import { randomBytes } from 'node:crypto';
import type { CarrierModule } from '../carrier/carrier-module.ts';
import { carrierSecrets, credentialChecks } from '../carrier/carrier-secrets.secrets.ts';
import { dynamoOutbox } from '../carrier/simulator/outbox.dynamo.ts';
import { sqsReceiptSender } from '../carrier/simulator/simulated-recipients.ts';
import { stageCountriesOf } from '../client/sending-permissions.ts';
import { stageCarriersOf } from '../contract/channels.ts';
import type { administration } from '../contract/function-uses.ts';
import type { Mode } from '../contract/mode.ts';
import { capDefaults } from '../limit/client-caps.ts';
import { secretsManager, sqs } from '../platform/aws/clients.ts';
import { contextOf } from '../platform/context.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { webhookUrlFrom } from '../webhook/address-guard.ts';
import { dynamoMessageSearch } from './message-search.dynamo.ts';

export type AdminContext = ReturnType<typeof adminContext>;

export function adminContext(
  env: EnvironmentFor<typeof administration>,
  loadCarriers: () => Promise<readonly CarrierModule[]>,
) {
  const context = contextOf(env);
  const { db, clock } = context;
  const carriers = stageCarriersOf(env);
  const secrets = { arns: env.CARRIER_SECRETS, baseUrls: env.CARRIER_BASE_URLS };
  const retentionDays = env.RETENTION_DAYS;
  return {
    ...context,
    /** Lists of all clients show the data of this mode. */
    mode: 'live' as Mode,
    random: randomBytes,
    capDefaults: capDefaults(env.STAGE_CAPS),
    messages: dynamoMessageSearch(context),
    /** The countries of clients that have no country list; undefined for all countries. */
    stageCountries: stageCountriesOf(env),
    /** The carriers of the stage, in order of preference. */
    carriers,
    checkCredentials: credentialChecks(loadCarriers, carrierSecrets(secretsManager(), secrets, clock)),
    /** True if the simulator also carries live messages. The simulator always carries test messages. */
    isSimulated: [...carriers.sms, ...carriers.whatsapp].includes('simulator'),
    /** The messages that the simulator accepted. */
    outbox: dynamoOutbox(db, env.SIMULATOR_OUTBOX_TABLE, retentionDays),
    /** Sends the notifications of simulated recipients to the receipts queue. */
    simulatedInbound: sqsReceiptSender(sqs(), env.RECEIPTS_QUEUE_URL),
    webhookUrl: webhookUrlFrom(env),
    retentionDays,
  };
}

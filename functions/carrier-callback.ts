/** ANY /carriers/{carrier}/…: queues the receipts and inbound messages that carriers report. */
import { carrierReports } from '#carrier-reports';
import { carrierSecrets } from '../shared/carrier/carrier-secrets.secrets.ts';
import { callbackOperations } from '../shared/carrier/receive-callback.ts';
import { carriersIn } from '../shared/contract/channels.ts';
import { carrierRoutes } from '../shared/contract/routes.ts';
import { publicHttpDependencies } from '../shared/http/guards.ts';
import { publicHttpFunction } from '../shared/http/http-function.ts';
import { secretsManager, sqs } from '../shared/platform/aws/clients.ts';
import { sendMessages } from '../shared/platform/aws/queues.sqs.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { logWarning } from '../shared/platform/log.ts';

const env = environmentOf<'carrier-callback'>();
const { RECEIPTS_QUEUE_URL: queueUrl } = env;
const used = [...carriersIn(env.SMS_CARRIER), ...carriersIn(env.WHATSAPP_CARRIER)];
const { authenticate, receive } = callbackOperations({
  carriers: carrierReports.filter(({ descriptor }) => used.includes(descriptor.name)),
  credentialsOf: carrierSecrets(
    secretsManager(),
    { arns: env.CARRIER_SECRETS, baseUrls: env.CARRIER_BASE_URLS },
    systemClock,
  ),
  baseUrl: env.TOKEN_ISSUER,
  // Each carrier is a group of the fair queue.
  store: (callback) =>
    sendMessages(sqs(), queueUrl, [{ json: JSON.stringify(callback), clientId: callback.carrier }]),
  warn: logWarning,
});

export const handler = publicHttpFunction(carrierRoutes.carrierCallback, receive, {
  dependencies: publicHttpDependencies(env),
  authenticate,
  formats: [],
  headers: { 'Cache-Control': 'no-store' },
});

/** ANY /carriers/{carrier}/…: queues the receipts and inbound messages that carriers report. */
import { carrierReports } from '#carrier-reports';
import { carrierSecrets } from '../shared/carrier/carrier-secrets.secrets.ts';
import { callbackOperations } from '../shared/carrier/receive-callback.ts';
import { carriersIn } from '../shared/contract/channels.ts';
import { carrierRoutes } from '../shared/contract/routes.ts';
import { publicHttpFunction } from '../shared/http/http-function.ts';
import { secretsManager } from '../shared/platform/aws/clients.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const context = contextOf(environmentOf<'carrier-callback'>());
const { clock, env } = context;
const used = [...carriersIn(env.SMS_CARRIER), ...carriersIn(env.WHATSAPP_CARRIER)];
const secrets = { arns: env.CARRIER_SECRETS, baseUrls: env.CARRIER_BASE_URLS };
const { authenticate, receive } = callbackOperations(
  context,
  carrierReports.filter(({ descriptor }) => used.includes(descriptor.name)),
  carrierSecrets(secretsManager(), secrets, clock),
);

export const handler = publicHttpFunction(context, carrierRoutes.carrierCallback, receive, {
  authenticate,
  formats: [],
  headers: { 'Cache-Control': 'no-store' },
});

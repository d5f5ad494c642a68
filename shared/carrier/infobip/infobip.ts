/** Infobip: SMS by its API, version 3. */
import type { CarrierModule } from '../carrier-module.ts';
import { type InfobipCredentials, infobipCredentials } from './credentials.ts';
import { infobipDescriptor } from './descriptor.ts';
import { checkInfobip, infobipSms } from './hand-over.ts';
import { infobipErrors } from './statuses.ts';

export const infobip: CarrierModule<InfobipCredentials> = {
  descriptor: infobipDescriptor,
  errors: { sms: infobipErrors },
  credentials: infobipCredentials,
  create: (_channel, context) => infobipSms(context),
  checkCredentials: checkInfobip,
};

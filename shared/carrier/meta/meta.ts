/** Meta: WhatsApp by its Cloud API, without a service in between. */
import type { CarrierModule } from '../carrier-module.ts';
import { whatsAppErrors } from '../whatsapp/errors.ts';
import { type MetaCredentials, metaCredentials } from './credentials.ts';
import { metaDescriptor } from './descriptor.ts';
import { checkMeta, metaWhatsApp } from './hand-over.ts';

export const meta: CarrierModule<MetaCredentials> = {
  descriptor: metaDescriptor,
  errors: { whatsapp: whatsAppErrors },
  credentials: metaCredentials,
  create: (_channel, context) => metaWhatsApp(context),
  checkCredentials: checkMeta,
};

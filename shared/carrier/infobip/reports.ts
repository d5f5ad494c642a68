/** What Infobip reports, by a subscription that it signs. */
import type { CarrierReports } from '../carrier-module.ts';
import { type InfobipCredentials, infobipCredentials } from './credentials.ts';
import { parseInfobip } from './delivery-reports.ts';
import { infobipDescriptor } from './descriptor.ts';
import { isSignedByInfobip } from './signature.ts';

export const infobipReports: CarrierReports<InfobipCredentials> = {
  descriptor: infobipDescriptor,
  callbacks: {
    credentials: infobipCredentials,
    verify: ({ headers, body }, credentials) =>
      credentials.some(({ webhook_secret }) => isSignedByInfobip(headers, body, webhook_secret)),
  },
  parse: parseInfobip,
};

/** Lists the modules that read the reports of each carrier, for the same carriers as in `carriers.ts`. */

import { awsReports } from './aws/aws-reports.ts';
import type { CarrierReports } from './carrier-module.ts';
import { infobipReports } from './infobip/infobip-reports.ts';
import { metaReports } from './meta/meta-reports.ts';
import { simulatorReports } from './simulator/simulator-reports.ts';
import { twilioReports } from './twilio/twilio-reports.ts';

export const carrierReports: readonly CarrierReports[] = [
  awsReports,
  infobipReports,
  metaReports,
  simulatorReports,
  twilioReports,
];

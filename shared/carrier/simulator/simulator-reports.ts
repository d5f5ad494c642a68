/** The simulated carrier's reports have the form of AWS's, so one parser reads both. */

import { parseTopicNotification } from '../aws/aws-reports.ts';
import type { CarrierReports } from '../carrier-module.ts';
import { simulatorDescriptor } from './simulator-descriptor.ts';

export const simulatorReports: CarrierReports = {
  descriptor: simulatorDescriptor,
  parse: ({ body }) => parseTopicNotification(body),
};

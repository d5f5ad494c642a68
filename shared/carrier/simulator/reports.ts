/** The simulated carrier reports in the form of AWS, so one parser reads both. */

import { parseTopicNotification } from '../aws/reports.ts';
import type { CarrierReports } from '../carrier-module.ts';
import { simulatorDescriptor } from './descriptor.ts';

export const simulatorReports: CarrierReports = {
  descriptor: simulatorDescriptor,
  parse: ({ body }) => parseTopicNotification(body),
};

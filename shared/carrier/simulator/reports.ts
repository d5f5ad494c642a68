/** What the simulated carrier reports has the form of AWS's, so that one parser reads both. */

import { parseTopicNotification } from '../aws/reports.ts';
import type { CarrierReports } from '../carrier-module.ts';
import { simulatorDescriptor } from './descriptor.ts';

export const simulatorReports: CarrierReports = {
  descriptor: simulatorDescriptor,
  parse: ({ body }) => parseTopicNotification(body),
};

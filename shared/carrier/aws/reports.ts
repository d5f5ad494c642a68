/** What AWS reports: the notifications of the topic to which both of its services publish. */
import type { CarrierReports } from '../carrier-module.ts';
import { awsDescriptor } from './descriptor.ts';
import { parseTopicNotification } from './topic-notification.ts';

export const awsReports: CarrierReports = {
  descriptor: awsDescriptor,
  parse: ({ body }) => parseTopicNotification(body),
};

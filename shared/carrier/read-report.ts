/** Reads a message of the receipts queue with the carrier that it comes from. */
import { awsDescriptor } from './aws/descriptor.ts';
import type { CarrierReports } from './carrier-module.ts';
import {
  type CarrierNotification,
  jsonOf,
  type Reported,
  read,
  UnreadableNotification,
} from './carrier-notification.ts';
import { simulatorDescriptor } from './simulator/descriptor.ts';
import { bodyIn, type StoredCallback, storedCallback } from './stored-callback.ts';

/** Also those that the stage does not use any more: their receipts may still come. */
const topicCarriers = [awsDescriptor, simulatorDescriptor].map(({ name }) => name);

/**
 * A callback names its carrier; everything else comes from the topic. Each receipt gets the names of the carriers that report
 * this way.
 *
 * @throws UnreadableNotification where nothing in it can be read.
 */
export function readReport(carriers: readonly CarrierReports[], queueBody: string): CarrierNotification {
  const given = jsonOf(queueBody, 'the body');
  const isCallback = typeof given === 'object' && given !== null && 'carrier' in given;
  const { carrier, reported } = isCallback
    ? ofCallback(read(storedCallback, given, 'the callback'))
    : { carrier: undefined, reported: { body: queueBody, path: '', query: {}, receivedAt: new Date() } };
  const reports = carriers.find(({ descriptor }) =>
    carrier === undefined ? descriptor.reportsBy === 'topic' : descriptor.name === carrier,
  );
  if (reports === undefined) throw new UnreadableNotification('the gateway does not have the carrier of it');
  const notification = reports.parse(reported);
  const reportedBy = carrier === undefined ? topicCarriers : [carrier];
  return {
    ...notification,
    receipts: notification.receipts.map((receipt) => ({ ...receipt, reportedBy })),
  };
}

function ofCallback(callback: StoredCallback): {
  carrier: string;
  reported: Reported;
} {
  const { carrier, path, query, received_at } = callback;
  return { carrier, reported: { path, query, body: bodyIn(callback), receivedAt: new Date(received_at) } };
}

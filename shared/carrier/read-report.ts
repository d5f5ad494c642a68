/** Reads a message of the receipts queue with the carrier that it comes from. */
import type { CarrierReports } from './carrier-module.ts';
import {
  type CarrierNotification,
  jsonOf,
  type Reported,
  read,
  UnreadableNotification,
} from './carrier-notification.ts';
import { bodyIn, type StoredCallback, storedCallback } from './stored-callback.ts';

/**
 * A callback names its carrier; everything else comes from the topic.
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
  return reports.parse(reported);
}

function ofCallback(callback: StoredCallback): {
  carrier: string;
  reported: Reported;
} {
  const { carrier, path, query, received_at } = callback;
  return { carrier, reported: { path, query, body: bodyIn(callback), receivedAt: new Date(received_at) } };
}

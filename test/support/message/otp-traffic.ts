/** Traffic of one-time passwords, as the stream of their table has it. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';

interface Sent {
  readonly client: string;
  readonly country: string;
  readonly at: Date;
  readonly verifiedAfterSeconds?: number | undefined;
  readonly channel?: string;
}

let passwords = 0;

/** The records of a password: its row, an attempt, and the verification. */
export function recordsOf({
  client,
  country,
  at,
  verifiedAfterSeconds,
  channel = 'sms',
}: Sent): StreamRecord[] {
  passwords += 1;
  const id = passwords;
  const row = {
    otp_id: `otp_${id}`,
    client_id: client,
    country,
    channel,
    sms_sends: channel === 'sms' ? 1 : 0,
    status: 'pending',
    attempts: 0,
    created_at: at.toISOString(),
  };
  const images = [row, { ...row, attempts: 1 }, { ...row, attempts: 1, status: 'verified' }].map(
    (image) => marshall(image) as Record<string, AttributeValue>,
  );
  const record = (index: number, changedAt: Date): StreamRecord => ({
    eventID: `event-${id}-${index}`,
    dynamodb: {
      SequenceNumber: nextSequence(),
      ApproximateCreationDateTime: epochSeconds(changedAt),
      ...(index === 0 ? {} : { OldImage: images[index - 1] }),
      NewImage: images[index],
    },
  });
  if (verifiedAfterSeconds === undefined) return [record(0, at)];
  const verifiedAt = addSeconds(at, verifiedAfterSeconds);
  return [record(0, at), record(1, verifiedAt), record(2, verifiedAt)];
}

let sequence = 0;

export function nextSequence(): string {
  sequence += 1;
  return String(sequence);
}

export const changedAt = ({ dynamodb }: StreamRecord): number => dynamodb?.ApproximateCreationDateTime ?? 0;

/** In the order of a stream, in batches of this size. */
export function batchesOf(sent: readonly Sent[], size = 50): StreamRecord[][] {
  const records = sent
    .flatMap(recordsOf)
    .toSorted((one, other) => changedAt(one) - changedAt(other))
    .map(({ dynamodb }) => ({ dynamodb: { ...dynamodb, SequenceNumber: nextSequence() } }));
  return Array.from({ length: Math.ceil(records.length / size) }, (_, index) =>
    records.slice(index * size, (index + 1) * size),
  );
}

/** One each few seconds, of which so many are verified within a minute. */
export function traffic(
  client: string,
  country: string,
  from: Date,
  count: number,
  share: number,
  everySeconds = 10,
): Sent[] {
  return Array.from({ length: count }, (_, index) => ({
    client,
    country,
    at: addSeconds(from, index * everySeconds),
    ...((index * 37) % 100 < share * 100 ? { verifiedAfterSeconds: 20 + (index % 40) } : {}),
  }));
}

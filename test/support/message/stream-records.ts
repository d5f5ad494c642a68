/** Changes of messages as the records of their table's stream, in DynamoDB's own form; some are spoilt by a person. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Message } from '../../../shared/message/message.ts';
import { messageRowOf } from '../../../shared/message/store/message-row.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { type Clock, epochSeconds } from '../../../shared/platform/clock.ts';

interface StreamRecords {
  /** The record of the change; seldom there are others about it that are no change of a message. */
  change(before: Message | undefined, after: Message): readonly StreamRecord[];
  /** The ids of those that no reader can make a message of. */
  readonly unreadable: ReadonlySet<string>;
}

type Image = Record<string, AttributeValue>;

const spoiltShare = 0.002;
const removedShare = 0.002;

/**
 * @param clock - the table's, from which each record has its time in whole seconds
 * @param random - by default no record is spoilt or a removal
 */
export function streamRecords(clock: Clock, random: () => number = () => 1): StreamRecords {
  const unreadable = new Set<string>();
  // The image after one change is the image before the next.
  const images = new WeakMap<Message, Image>();
  let records = 0;

  function imageOf(message: Message): Image {
    const known = images.get(message) ?? marshall(messageRowOf(message, 30), { removeUndefinedValues: true });
    images.set(message, known);
    return known;
  }

  function change(before: Message | undefined, after: Message): readonly StreamRecord[] {
    const told = [
      recordOf({ ...(before === undefined ? {} : { OldImage: imageOf(before) }), NewImage: imageOf(after) }),
    ];
    if (random() < spoiltShare) {
      // Somebody typed a status that there is none of: in the console, into another row of the same shard.
      const spoilt = recordOf({ NewImage: { ...imageOf(after), status: { S: 'lost' } } });
      unreadable.add(spoilt.eventID ?? '');
      told.unshift(spoilt);
    }
    // A row that had its day leaves an image before and none after.
    if (random() < removedShare) told.push(recordOf({ OldImage: imageOf(after) }));
    return told;
  }

  function recordOf(images: { readonly OldImage?: Image; readonly NewImage?: Image }): StreamRecord {
    records += 1;
    return {
      eventID: `record-${records}`,
      dynamodb: {
        ...images,
        SequenceNumber: String(records),
        ApproximateCreationDateTime: epochSeconds(clock()),
      },
    };
  }

  return { change, unreadable };
}

/** The opt-out list of AWS End User Messaging SMS. Reading is limited to one call a second, changes to ten. */
import {
  DeleteOptedOutNumberCommand,
  DescribeOptedOutNumbersCommand,
  type OptedOutNumberInformation,
  PinpointSMSVoiceV2Client,
  PutOptedOutNumberCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { canonicalRecipient } from '../../contract/phone-number.ts';
import {
  type ListedOptOut,
  type OptOutList,
  OutdatedPosition,
} from '../../message/suppression/compare-opt-outs.ts';

const timeLimitMs = 10_000;
/** The largest page of AWS. */
const pageSize = 100;

export function awsOptOutList(OptOutListName: string): OptOutList {
  // Another run follows in an hour; until then the SDK's own retries bridge throttling.
  const client = new PinpointSMSVoiceV2Client({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 1000 },
  });
  const limit = () => ({ abortSignal: AbortSignal.timeout(timeLimitMs) });
  return {
    async page(NextToken) {
      try {
        const { OptedOutNumbers = [], NextToken: next } = await client.send(
          new DescribeOptedOutNumbersCommand({ OptOutListName, MaxResults: pageSize, NextToken }),
          limit(),
        );
        return { optOuts: OptedOutNumbers.flatMap(listed), next };
      } catch (cause) {
        if (NextToken !== undefined && isNamed(cause, 'ValidationException')) {
          throw new OutdatedPosition('AWS does not know this page any more', { cause });
        }
        throw cause;
      }
    },
    async find(recipient) {
      try {
        const { OptedOutNumbers = [] } = await client.send(
          new DescribeOptedOutNumbersCommand({ OptOutListName, OptedOutNumbers: [recipient] }),
          limit(),
        );
        return OptedOutNumbers.flatMap(listed)[0];
      } catch (error) {
        // AWS returns this error for a number that is not on the list.
        if (isAboutTheNumber(error) || isRefusal(error)) return undefined;
        throw error;
      }
    },
    async add(OptedOutNumber) {
      try {
        await client.send(new PutOptedOutNumberCommand({ OptOutListName, OptedOutNumber }), limit());
        return true;
      } catch (error) {
        if (isRefusal(error)) return false;
        throw error;
      }
    },
    async remove(OptedOutNumber) {
      try {
        await client.send(new DeleteOptedOutNumberCommand({ OptOutListName, OptedOutNumber }), limit());
        return true;
      } catch (error) {
        // It is not on the list any more.
        if (isAboutTheNumber(error)) return true;
        if (isRefusal(error)) return false;
        throw error;
      }
    },
  };
}

/** A number that we cannot read is of no message of ours. */
function listed(info: OptedOutNumberInformation): ListedOptOut[] {
  const text = info.OptedOutNumber ?? '';
  const recipient = canonicalRecipient(text.startsWith('+') ? text : `+${text}`);
  if (recipient === undefined || info.OptedOutTimestamp === undefined) return [];
  return [{ recipient, at: info.OptedOutTimestamp, byPerson: info.EndUserOptedOut === true }];
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** Whether AWS refuses this number: another call for it has the same response. */
function isRefusal(error: unknown): boolean {
  return isNamed(error, 'ConflictException') || isNamed(error, 'ValidationException');
}

/** Returns whether the error is about the number. A list that does not exist is an error that an operator must see. */
function isAboutTheNumber(error: unknown): boolean {
  return error instanceof ResourceNotFoundException && error.ResourceType !== 'opt-out-list';
}

/** The workers that count one-time passwords and hold what looks like fraud, on private tables, and what they store. */

import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { stages } from '../../../lib/stages/stages.ts';
import {
  findOtpHold,
  type OtpHoldState,
  otpHoldStatesOf,
  replaceOtpHold,
} from '../../../shared/otp/otp-holds.dynamo.ts';
import { countOtps, otpCounter, otpMinutes, otpRecords } from '../../../shared/otp/otp-traffic.dynamo.ts';
import { reviewTraffic } from '../../../shared/otp/review-traffic.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { addDays } from '../../../shared/platform/clock.ts';
import { testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { type Kill, killable, noKill } from '../faults/kill-process.ts';

export const start = new Date('2026-11-20T10:00:00.000Z');

let numbers = 0;
export const newClient = (): string => {
  numbers += 1;
  return `client-${numbers}`;
};

/** @param tablesNow - asked at each call: a test file creates its tables after it has named what works on them */
export function otpHoldsIn(tablesNow: () => TestTables) {
  const contextNow = () => testContext(tablesNow());

  /** Returns a function that processes a batch of the stream. */
  function consumer(kill: Kill = noKill(), now = start) {
    const { dynamo, names } = tablesNow();
    let waitedMs = 0;
    const clock = () => new Date(now.getTime() + waitedMs);
    const sleep = async (ms: number) => {
      waitedMs += ms;
    };
    const context = testContext(
      { dynamo: killable(dynamo, kill), names },
      { clock, sleep, env: { OTP_HOLD: stages.production.otpHold } },
    );
    const counting = otpCounter(context);
    const consume = async (batch: readonly StreamRecord[]) => {
      const records = otpRecords(batch);
      await countOtps(counting, records[0]?.clientId ?? '', records);
      return reviewTraffic(context, records);
    };
    return consume;
  }

  return {
    replaceHold: (seen: OtpHoldState | undefined, next: OtpHoldState) =>
      replaceOtpHold(contextNow(), seen, next),
    findHold: (client: string, country: string) => findOtpHold(contextNow(), client, country),
    consumer,
    heldCountries: async (client: string) =>
      (await otpHoldStatesOf(contextNow(), client)).flatMap(({ state, country }) =>
        state === 'held' ? [country] : [],
      ),
    async hour(client: string, country: string) {
      const minutes = await otpMinutes(contextNow(), client, addDays(start, -1), addDays(start, 1));
      return minutes.filter((minute) => minute.country === country);
    },
    async entriesOf(client: string) {
      const { dynamo, names } = tablesNow();
      const { Items = [] } = await dynamo.send(new ScanCommand({ TableName: names.activity_log }));
      return Items.filter(({ client_id }) => client_id === client);
    },
  };
}

/** The function that compares the suppressions with the opt-out list of AWS every hour, and completes both. */
import type { Construct } from 'constructs';
import { allow } from '../../constructs/allow.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { CapabilityProps } from '../grant-uses.ts';

export function createCompareOptOuts(
  scope: Construct,
  { stage, schedules }: CapabilityProps,
  optOutListArn: string,
): void {
  const compare = new GatewayFunction(scope, 'CompareOptOuts', {
    stage,
    functionName: 'compare-opt-outs',
    isTraced: false,
    timeoutSeconds: 300,
  });
  allow(
    compare,
    ['sms-voice:DescribeOptedOutNumbers', 'sms-voice:PutOptedOutNumber', 'sms-voice:DeleteOptedOutNumber'],
    [optOutListArn],
  );
  schedules.everyHour(compare);
}

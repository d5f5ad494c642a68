/** The function that sends a message each minute with a test key, as a client does, and the alarm where none is delivered. */
import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { countedMetric, createAlarm } from '../constructs/alarm.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import type { Schedules } from './schedules.ts';

export function createSyntheticSend(scope: Construct, stage: StageSettings, schedules: Schedules): void {
  const send = new GatewayFunction(scope, 'SyntheticSend', {
    stage,
    functionName: 'synthetic-send',
    // A message that is not delivered within 30 s has failed.
    timeoutSeconds: 55,
    // It waits for most of its time, and for no person.
    memoryMegabytes: 256,
  });
  schedules.everyMinute(send);
  createAlarm(scope, 'SyntheticSends', {
    stage,
    metric: countedMetric(stage, 'SyntheticSendFailed', Duration.minutes(1)),
    periods: 5,
    breachingPeriods: 3,
    alsoWithoutData: true,
    meaning: 'In three of five minutes no message that was sent with a test key was delivered.',
    runbook: 'synthetic-send',
  });
}

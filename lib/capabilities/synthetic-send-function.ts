/** The function that sends a message with a test key every five minutes, as a client does. */
import type { Construct } from 'constructs';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import type { Schedules } from './schedules.ts';

export function createSyntheticSend(scope: Construct, stage: StageSettings, schedules: Schedules): void {
  const send = new GatewayFunction(scope, 'SyntheticSend', {
    stage,
    functionName: 'synthetic-send',
    isTraced: false,
    // A message that is not delivered within 30 s has failed.
    timeoutSeconds: 55,
    // The function mostly waits, and nobody waits for it.
    memoryMegabytes: 256,
  });
  schedules.everyFiveMinutes(send);
}

/** The function that carriers call with receipts and messages from people. */
import type { Construct } from 'constructs';
import { requestTimeoutSeconds } from '../../../shared/contract/routes.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { Api } from '../api/api.ts';

export function createCarrierCallback(scope: Construct, stage: StageSettings, api: Api): void {
  api.add(
    new GatewayFunction(scope, 'CarrierCallback', {
      stage,
      functionName: 'carrier-callback',
      timeoutSeconds: requestTimeoutSeconds,
      memoryMegabytes: 1024,
    }),
  );
}

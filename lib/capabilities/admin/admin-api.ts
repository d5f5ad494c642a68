/** The function of the admin API. */
import type { Construct } from 'constructs';
import { requestTimeoutSeconds } from '../../../shared/contract/routes.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { Api } from '../api/api.ts';

export function createAdminApi(scope: Construct, stage: StageSettings, api: Api): void {
  api.add(
    new GatewayFunction(scope, 'AdminApi', {
      stage,
      functionName: 'admin-api',
      timeoutSeconds: requestTimeoutSeconds,
      memoryMegabytes: 1024,
    }),
  );
}

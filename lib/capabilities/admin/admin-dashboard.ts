/** The function of the dashboard. It serves files only: nothing of the gateway is shown before an administrator signs in. */
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { Api } from '../api/api.ts';

export function createAdminDashboard(scope: Construct, stage: StageSettings, api: Api): void {
  api.add(
    new GatewayFunction(scope, 'AdminDashboard', {
      stage,
      functionName: 'admin-dashboard',
      timeoutSeconds: 10,
      memoryMegabytes: 512,
    }),
  );
}

/** The function that posts webhooks, once for each lane, and what it may do. */
import { Aws } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { workerTimeoutSeconds } from '../../../shared/contract/delivery-times.ts';
import { webhookRuleNames } from '../../../shared/platform/env.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { CapabilityProps } from '../capability-props.ts';
import type { WebhookLanes } from './webhook-lanes.ts';

interface DeliverProps extends CapabilityProps {
  readonly lanes: WebhookLanes;
}

/** @param id - the id of the lane's function; both lanes have the same code */
export function createDeliverWebhook(scope: Construct, id: string, props: DeliverProps): GatewayFunction {
  const { stage, storage, schedules, lanes } = props;
  const deliver = new GatewayFunction(scope, id, {
    stage,
    functionName: 'deliver-webhook',
    timeoutSeconds: workerTimeoutSeconds,
    memoryMegabytes: 1024,
    // Each delivery's loop ends with its last attempt (shared/webhook/delivery-queue.sqs.ts).
    recursiveLoop: true,
    settings: ['WEBHOOK_TIME_SCALE', 'SCHEDULE_LEAD_SECONDS', ...webhookRuleNames],
  });
  // PutItem replaces a delivery; DeleteItem releases the slot of a trial request.
  storage.grant(deliver, 'webhook-deliveries', 'GetItem', 'PutItem', 'DeleteItem');
  // UpdateItem counts failures; the other actions send the notice that an endpoint was disabled to the client's
  // endpoints.
  storage.grant(deliver, 'webhook-endpoints', 'GetItem', 'UpdateItem', 'Query');
  storage.grant(deliver, 'due-items', 'PutItem');
  storage.grant(deliver, 'client-secrets', 'GetItem');
  storage.grant(deliver, 'activity-log', 'PutItem');
  storage.grant(deliver, 'usage', 'UpdateItem');
  grantAssumeForeignRoles(deliver, stage);
  lanes.grantEnqueue(deliver);
  schedules.grantCreate(deliver, lanes.fast, 'WEBHOOKS_QUEUE_ARN');
  schedules.grantCreate(deliver, lanes.slow, 'SLOW_WEBHOOKS_QUEUE_ARN');
  return deliver;
}

/**
 * Permits assuming roles of clients, for their queues and event buses: any role, because clients name them, but none of
 * the gateway's own account, and only with an external id, which is the client's
 * (shared/webhook/deliver/assumed-roles.sts.ts).
 */
function grantAssumeForeignRoles(to: GatewayFunction, stage: StageSettings): void {
  Grant.addToPrincipal({
    grantee: to,
    actions: ['sts:AssumeRole'],
    resourceArns: [`arn:${Aws.PARTITION}:iam::*:role/*`],
    conditions: {
      StringNotEquals: { 'aws:ResourceAccount': Aws.ACCOUNT_ID },
      ...(stage.grantWithExternalIdOnly ? { Null: { 'sts:ExternalId': 'false' } } : {}),
    },
  });
  acknowledge(to.executionRole, {
    'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam::*:role/*]':
      'Clients name roles in their own accounts, whose trust policies decide; roles of this account are excluded.',
  });
}

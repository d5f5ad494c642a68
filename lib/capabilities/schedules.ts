/** Time that belongs to AWS: one-shot schedules aimed at queues, and functions called every minute. */
import { ArnFormat, Aws, CfnDeletionPolicy, Duration, Fn, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Grant } from 'aws-cdk-lib/aws-iam';
import {
  CfnScheduleGroup,
  type IScheduleGroup,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { EnvironmentName } from '../../shared/platform/env.ts';
import { watch } from '../constructs/alarm.ts';
import type { GatewayFunction } from '../constructs/gateway-function.ts';
import type { GatewayQueue } from '../constructs/gateway-queue.ts';
import { InlineRole } from '../constructs/inline-role.ts';
import { acknowledgeWildcard } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

/**
 * With the last part of the stack's id, which every stack has for itself: a group takes a while to be deleted with all
 * that it holds, and its name is taken until then.
 */
function scheduleGroupName(stage: StageSettings): string {
  const stackId = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  return Fn.join('-', [stage.stackName, Fn.select(4, Fn.split('-', stackId))]);
}

export class Schedules extends Construct {
  private readonly group: IScheduleGroup;
  /** By which the rules on the template know it. */
  private readonly groupId: string;
  /** What a schedule may do when it fires: send to the queues that some function may aim at. */
  private readonly role: InlineRole;
  private readonly stage: StageSettings;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.stage = stage;
    const group = new CfnScheduleGroup(this, 'Group', { name: scheduleGroupName(stage) });
    // Its schedules aim at queues that go with the stack, so it goes too. One that another replaces is kept, because
    // what it holds is still to fire.
    group.cfnOptions.deletionPolicy = CfnDeletionPolicy.DELETE;
    group.cfnOptions.updateReplacePolicy = CfnDeletionPolicy.RETAIN;
    this.groupId = Stack.of(this).getLogicalId(group);
    // By reference: whatever names the group then waits for it.
    this.group = ScheduleGroup.fromScheduleGroupName(this, 'MadeGroup', group.ref);
    this.role = new InlineRole(this, 'Role', {
      service: 'scheduler.amazonaws.com',
      onlyForThisAccount: true,
    });
    for (const metricName of ['TargetErrorCount', 'InvocationDroppedCount']) {
      watch(this, metricName, {
        stage,
        metric: new Metric({
          namespace: 'AWS/Scheduler',
          metricName,
          dimensionsMap: { ScheduleGroup: group.ref },
          statistic: 'Sum',
          period: Duration.minutes(5),
        }),
        says: 'A schedule could not call its target: a webhook retry or a scheduled message comes late.',
        runbook: 'schedule-drops',
      });
    }
  }

  /** Permits one-shot schedules aimed at the queue, and tells the function the group, the role and the target. */
  grantCreate(to: GatewayFunction, queue: GatewayQueue, targetVariable: EnvironmentName): void {
    queue.queue.grant(this.role, 'sqs:SendMessage');
    const groups = [
      this.group.scheduleGroupName,
      ...(this.stage.grantDefaultScheduleGroup ? ['default'] : []),
    ];
    Grant.addToPrincipal({
      grantee: to,
      actions: ['scheduler:CreateSchedule'],
      resourceArns: groups.map((group) =>
        Stack.of(this).formatArn({
          service: 'scheduler',
          resource: 'schedule',
          resourceName: `${group}/*`,
          arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
        }),
      ),
    });
    for (const group of [`<${this.groupId}>`, ...groups.slice(1)]) {
      acknowledgeWildcard(
        to.executionRole,
        'scheduler',
        `schedule/${group}/*`,
        'Schedules are made at run time, each under a name of its own, in this group alone.',
      );
    }
    this.role.grantPassRole(to.grantPrincipal);
    to.setVariables({
      SCHEDULE_GROUP: this.group.scheduleGroupName,
      SCHEDULE_ROLE_ARN: this.role.roleArn,
      [targetVariable]: queue.queue.queueArn,
    });
  }

  /** Calls a function every minute. */
  everyMinute(target: GatewayFunction): void {
    const { live } = target;
    const role = new InlineRole(this, `Call${target.node.id}`, {
      service: 'scheduler.amazonaws.com',
      onlyForThisAccount: true,
    });
    // The CDK's own target may call every version; this one calls what it was aimed at.
    Grant.addToPrincipal({
      grantee: role,
      actions: ['lambda:InvokeFunction'],
      resourceArns: [live.functionArn],
    });
    new Schedule(this, `Every${target.node.id}`, {
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      timeWindow: TimeWindow.off(),
      scheduleGroup: this.group,
      target: {
        bind: () => ({
          arn: live.functionArn,
          role,
          // The next minute does the work of one that was missed.
          retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        }),
      },
    });
  }
}

/** EventBridge Scheduler: one-shot schedules that send to queues, and functions that run every minute. */
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
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { createAlarm } from '../constructs/alarm.ts';
import type { GatewayFunction } from '../constructs/gateway-function.ts';
import { InlineRole } from '../constructs/inline-role.ts';
import { acknowledgeWildcard } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

/**
 * Returns a name that ends with part of the stack's id, so that it is unique: deleting a group with all its schedules
 * takes a while, and the name cannot be used again until then.
 */
function scheduleGroupName(stage: StageSettings): string {
  const stackId = Fn.select(2, Fn.split('/', Aws.STACK_ID));
  return Fn.join('-', [stage.stackName, Fn.select(4, Fn.split('-', stackId))]);
}

export class Schedules extends Construct {
  private readonly group: IScheduleGroup;
  /** The group's name in the findings of cdk-nag. */
  private readonly groupId: string;
  /** The role of a schedule: it may send to the queues that are targets. */
  private readonly role: InlineRole;
  private readonly stage: StageSettings;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.stage = stage;
    const group = new CfnScheduleGroup(this, 'Group', { name: scheduleGroupName(stage) });
    // The group is deleted with the stack, like the queues that its schedules send to. It is kept when it is replaced,
    // because its schedules still have to fire.
    group.cfnOptions.deletionPolicy = CfnDeletionPolicy.DELETE;
    group.cfnOptions.updateReplacePolicy = CfnDeletionPolicy.RETAIN;
    this.groupId = Stack.of(this).getLogicalId(group);
    // The reference makes resources that name the group depend on it.
    this.group = ScheduleGroup.fromScheduleGroupName(this, 'MadeGroup', group.ref);
    this.role = new InlineRole(this, 'Role', {
      service: 'scheduler.amazonaws.com',
      onlyForThisAccount: true,
    });
    for (const metricName of ['TargetErrorCount', 'InvocationDroppedCount']) {
      createAlarm(this, metricName, {
        stage,
        metric: new Metric({
          namespace: 'AWS/Scheduler',
          metricName,
          dimensionsMap: { ScheduleGroup: group.ref },
          statistic: 'Sum',
          period: Duration.minutes(5),
        }),
        meaning:
          'A schedule could not call its target: a webhook retry, or a message that an earlier release scheduled, is late.',
        runbook: 'schedule-drops',
      });
    }
  }

  /** Permits creating one-shot schedules that send to the queue. */
  grantCreate(to: GatewayFunction, queue: Queue): void {
    queue.grant(this.role, 'sqs:SendMessage');
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
        'Schedules are created at run time under unique names, only in this group.',
      );
    }
    this.role.grantPassRole(to.grantPrincipal);
  }

  /** Returns the variables of a function that creates schedules. */
  variables() {
    return { SCHEDULE_GROUP: this.group.scheduleGroupName, SCHEDULE_ROLE_ARN: this.role.roleArn };
  }

  /** Calls a function every minute. */
  everyMinute(target: GatewayFunction): void {
    this.every(Duration.minutes(1), target);
  }

  /** Calls a function every hour. */
  everyHour(target: GatewayFunction): void {
    this.every(Duration.hours(1), target);
  }

  private every(period: Duration, target: GatewayFunction): void {
    const { live } = target;
    const role = new InlineRole(this, `Call${target.node.id}`, {
      service: 'scheduler.amazonaws.com',
      onlyForThisAccount: true,
    });
    // The CDK's own target permits calling every version; this one permits only the given function.
    Grant.addToPrincipal({
      grantee: role,
      actions: ['lambda:InvokeFunction'],
      resourceArns: [live.functionArn],
    });
    new Schedule(this, `Every${target.node.id}`, {
      schedule: ScheduleExpression.rate(period),
      timeWindow: TimeWindow.off(),
      scheduleGroup: this.group,
      target: {
        bind: () => ({
          arn: live.functionArn,
          role,
          // A missed run needs no retry: the next run does the same work.
          retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        }),
      },
    });
  }
}

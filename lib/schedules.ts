/** Time that belongs to AWS: one-shot schedules aimed at queues, and functions called every minute. */
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Grant, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Schedule, ScheduleExpression, ScheduleGroup, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import { Construct } from 'constructs';
import type { EnvironmentName } from '../shared/env.ts';
import type { GatewayFunction } from './lambda-function.ts';
import type { GatewayQueue } from './queue.ts';
import type { StageSettings } from './stages.ts';

export class Schedules extends Construct {
  private readonly group: ScheduleGroup;
  /** What a schedule may do when it fires: send to the queues that some function may aim at. */
  private readonly role: Role;
  private readonly stage: StageSettings;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.stage = stage;
    this.group = new ScheduleGroup(this, 'Group');
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('scheduler.amazonaws.com') });
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
    this.role.grantPassRole(to.grantPrincipal);
    to.setVariables({
      SCHEDULE_GROUP: this.group.scheduleGroupName,
      SCHEDULE_ROLE_ARN: this.role.roleArn,
      [targetVariable]: queue.queue.queueArn,
    });
  }

  /** Calls a function every minute. */
  everyMinute(target: GatewayFunction): void {
    new Schedule(this, `Every${target.node.id}`, {
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      timeWindow: TimeWindow.off(),
      target: new LambdaInvoke(target, {
        // The next minute does the work of one that was missed.
        retryAttempts: 0,
        maxEventAge: Duration.minutes(1),
      }),
    });
  }
}

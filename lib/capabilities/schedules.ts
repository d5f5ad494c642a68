/** EventBridge Scheduler: one-time schedules that send to queues, and functions that run every minute. */
import { ArnFormat, CfnDeletionPolicy, Duration, Stack } from 'aws-cdk-lib';
import { EventInvokeConfig } from 'aws-cdk-lib/aws-lambda';
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
import { allow } from '../constructs/allow.ts';
import { grantEncryption } from '../constructs/encryption.ts';
import type { GatewayFunction } from '../constructs/gateway-function.ts';
import { InlineRole } from '../constructs/inline-role.ts';
import { nameOfThisStack } from '../constructs/removal-policy.ts';
import { acknowledge, acknowledgeWildcard } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

const ofScheduler = { service: 'scheduler.amazonaws.com', onlyForThisAccount: true };

export class Schedules extends Construct {
  private readonly group: IScheduleGroup;
  /** The name of the group in cdk-nag's findings. */
  private readonly groupId: string;
  /** The role of the schedules, which may send to the target queues. */
  private readonly role: InlineRole;
  private readonly stage: StageSettings;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.stage = stage;
    const group = new CfnScheduleGroup(this, 'Group', { name: nameOfThisStack(stage) });
    // The group is deleted with the stack, like the target queues. This takes a while, during which its name cannot be
    // used. If the group is replaced, the old one remains, because its schedules must still run.
    group.cfnOptions.deletionPolicy = CfnDeletionPolicy.DELETE;
    group.cfnOptions.updateReplacePolicy = CfnDeletionPolicy.RETAIN;
    this.groupId = Stack.of(this).getLogicalId(group);
    // This is a reference, so that resources that name the group depend on it.
    this.group = ScheduleGroup.fromScheduleGroupName(this, 'MadeGroup', group.ref);
    this.role = new InlineRole(this, 'Role', ofScheduler);
    grantEncryption(this.role, stage);
  }

  /** Lets the function create one-time schedules that send to the queue. */
  grantCreate(to: GatewayFunction, queue: Queue): void {
    queue.grant(this.role, 'sqs:SendMessage');
    const groups = [
      this.group.scheduleGroupName,
      // For every group, the emulator checks CreateSchedule with `schedule/default/NAME`.
      ...(this.stage.emulator ? ['default'] : []),
    ];
    allow(
      to,
      ['scheduler:CreateSchedule'],
      groups.map((group) =>
        Stack.of(this).formatArn({
          service: 'scheduler',
          resource: 'schedule',
          resourceName: `${group}/*`,
          arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
        }),
      ),
    );
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

  /** Returns the variables of functions that create schedules. */
  variables() {
    return { SCHEDULE_GROUP: this.group.scheduleGroupName, SCHEDULE_ROLE_ARN: this.role.roleArn };
  }

  /** Calls a function every minute. */
  everyMinute(target: GatewayFunction): void {
    const { live, qualifier } = target;
    // There are no retries, because the next run does the same work. Scheduler calls the function asynchronously. By
    // default, Lambda would retry a failed call twice, and a throttled one for up to six hours (AWS Lambda, "How Lambda
    // handles errors and retries with asynchronous invocation"). After a throttle, the missed runs of hours would then
    // follow all at once. Lambda's minimum is 60 s.
    const retries = new EventInvokeConfig(this, `Retries${target.node.id}`, {
      function: target,
      qualifier,
      retryAttempts: 0,
      maxEventAge: Duration.seconds(60),
    });
    // The qualifier is a plain string, so CloudFormation does not know that this resource needs the alias.
    retries.node.addDependency(live);
    acknowledge(retries, {
      'Serverless-LambdaAsyncFailureDestination':
        'The next run does the work of a failed run, and an alarm goes off if no run succeeds.',
    });
    const role = new InlineRole(this, `Call${target.node.id}`, ofScheduler);
    // The CDK's own target would permit calls of every version, but this role permits only this alias.
    allow(role, ['lambda:InvokeFunction'], [live.functionArn]);
    new Schedule(this, `Every${target.node.id}`, {
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      timeWindow: TimeWindow.off(),
      scheduleGroup: this.group,
      target: {
        bind: () => ({
          arn: live.functionArn,
          role,
          // If Scheduler cannot start a run, a retry is not needed either.
          retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 },
        }),
      },
    });
  }
}

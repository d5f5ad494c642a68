/**
 * Stops a stage for a restore, and starts it again. A maintenance row stops the API. Disabling schedules and event source
 * mappings stops the workers. A stream keeps its records for 24 hours, and its mapping resumes at the position where it
 * stopped.
 */
import {
  GetEventSourceMappingCommand,
  LambdaClient,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { GetScheduleCommand, SchedulerClient, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { stackResources } from '../admin/stack-resources.cloudformation.ts';
import { everyClient, maintenanceEndpoint } from '../contract/rate-limits-and-caps.ts';
import type { Context } from '../platform/context.ts';

/** The row of `limit-overrides` that stops the API, because every operation reads it. */
const maintenanceRow = { client_id: everyClient, endpoint: maintenanceEndpoint };

/** Begins the maintenance of the API. Returns true if it had already begun. */
export async function beginMaintenance({ db }: Context, TableName: string): Promise<boolean> {
  const Item = { ...maintenanceRow, note: 'Tables are being restored: npm run admin -- restore' };
  const { Attributes } = await db.send(new PutCommand({ TableName, Item, ReturnValues: 'ALL_OLD' }));
  return Attributes !== undefined;
}

export async function endMaintenance({ db }: Context, TableName: string): Promise<void> {
  await db.send(new DeleteCommand({ TableName, Key: maintenanceRow }));
}

/** The ids of the workers that were on before the stage was stopped. */
export interface RunningWorkers {
  readonly mappings: readonly string[];
  /** The names of the schedules in `scheduleGroup`. */
  readonly schedules: readonly string[];
  readonly scheduleGroup: string;
}

/** Retries more often than by default, because AWS throttles many simultaneous calls. */
const config = { maxAttempts: 8 };

export function stackWorkers(stackName: string) {
  const lambda = new LambdaClient(config);
  const scheduler = new SchedulerClient(config);

  async function stateOf(UUID: string): Promise<string> {
    const { State = '' } = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
    return State;
  }

  /** Turns a schedule on or off. An update replaces the whole schedule, so it repeats the current values. */
  async function turnSchedule(GroupName: string, Name: string, State: 'ENABLED' | 'DISABLED'): Promise<void> {
    const present = await scheduler.send(new GetScheduleCommand({ GroupName, Name }));
    if (present.State === State) return;
    await scheduler.send(
      new UpdateScheduleCommand({
        GroupName,
        Name,
        State,
        ScheduleExpression: present.ScheduleExpression,
        FlexibleTimeWindow: present.FlexibleTimeWindow,
        Target: present.Target,
        Description: present.Description,
        ScheduleExpressionTimezone: present.ScheduleExpressionTimezone,
        KmsKeyArn: present.KmsKeyArn,
      }),
    );
  }

  return {
    async find(which: 'all' | 'on'): Promise<RunningWorkers> {
      const resources = await stackResources(stackName);
      const idsOf = (wanted: string): string[] =>
        resources.filter(({ type }) => type === wanted).map(({ physicalId }) => physicalId);
      const mappings = idsOf('AWS::Lambda::EventSourceMapping');
      const schedules = idsOf('AWS::Scheduler::Schedule');
      const [scheduleGroup = 'default'] = idsOf('AWS::Scheduler::ScheduleGroup');
      // The id of a schedule in a stack may begin with its group.
      const names = schedules.map((id) => id.slice(id.lastIndexOf('|') + 1).replace(/^.*\//, ''));
      if (which === 'all') return { mappings, schedules: names, scheduleGroup };
      const on = await Promise.all(
        mappings.map(async (id) => ((await stateOf(id)).startsWith('Disabl') ? [] : [id])),
      );
      const enabled = await Promise.all(
        names.map(async (Name) => {
          const { State } = await scheduler.send(new GetScheduleCommand({ GroupName: scheduleGroup, Name }));
          return State === 'DISABLED' ? [] : [Name];
        }),
      );
      return { mappings: on.flat(), schedules: enabled.flat(), scheduleGroup };
    },

    /** Turns the workers on or off. Returns true once all of them are in this state. */
    async turn(
      { mappings, schedules, scheduleGroup }: RunningWorkers,
      state: 'on' | 'off',
    ): Promise<boolean> {
      for (const name of schedules)
        await turnSchedule(scheduleGroup, name, state === 'on' ? 'ENABLED' : 'DISABLED');
      const wanted = state === 'on' ? 'Enabled' : 'Disabled';
      let atRest = true;
      for (const UUID of mappings) {
        const present = await stateOf(UUID);
        if (present === wanted) continue;
        atRest = false;
        // A mapping refuses updates while it is changing.
        if (present === 'Enabled' || present === 'Disabled')
          await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: state === 'on' }));
      }
      return atRest;
    },
  };
}

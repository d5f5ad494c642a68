/** Synthetic sends in production: what the function may do, and that its alarm goes off for what the function counts. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stageFrom } from '../../lib/stages/stages.ts';
import { deployments } from '../support/template/deployments.ts';
import { statementsOf } from '../support/template/function-actions.ts';
import { resourcesOfType, typesIn } from '../support/template/stage-templates.ts';

const { stackName } = stageFrom(deployments.production ?? {});

const [alarm] = resourcesOfType('production', 'AWS::CloudWatch::Alarm').flatMap(([, { Properties }]) =>
  String(Properties.AlarmName).endsWith('-synthetic-send') ? [Properties] : [],
);
if (alarm === undefined) throw new Error('no alarm on synthetic sends');

/** A line of the embedded metric format. */
type Line = Readonly<Record<string, unknown>> & {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
};

/** What the function counts in a run in which it reaches nothing. */
function linesOfFailure(): Line[] {
  const program = "const { handler } = await import('./functions/synthetic-send.ts'); await handler();";
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      SERVICE_NAME: stackName,
      CLIENTS_TABLE: 'clients',
      TOKEN_ISSUER: 'http://127.0.0.1:9',
      SMS_CARRIER: 'aws',
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
      AWS_ACCESS_KEY_ID: 'none',
      AWS_SECRET_ACCESS_KEY: 'none',
    },
  });
  const lines = printed.split('\n').filter((line) => line.includes('"_aws"'));
  return lines.map((line) => JSON.parse(line) as Line);
}

/** The values that the alarm reads of a line, as CloudWatch finds them: by namespace, name and dimensions. */
function readByAlarm(line: Line): number[] {
  return line._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) => {
    const dimensions = (Dimensions[0] ?? []).map((Name) => ({ Name, Value: line[Name] }));
    const isRead =
      Namespace === alarm?.Namespace && JSON.stringify(dimensions) === JSON.stringify(alarm?.Dimensions);
    return Metrics.filter(({ Name }) => isRead && Name === alarm?.MetricName).map(({ Name }) =>
      Number(line[Name]),
    );
  });
}

/** The state of the alarm after these periods, each with what was counted in it: M of N periods, and what none means. */
function stateAfter(counted: readonly (readonly Line[])[]): 'ALARM' | 'OK' {
  const { EvaluationPeriods, DatapointsToAlarm, Threshold, ComparisonOperator, Statistic, TreatMissingData } =
    alarm ?? {};
  expect([ComparisonOperator, Statistic]).toEqual(['GreaterThanOrEqualToThreshold', 'Sum']);
  const breaching = counted.slice(-EvaluationPeriods).filter((lines) => {
    const values = lines.flatMap(readByAlarm);
    if (values.length === 0) return TreatMissingData === 'breaching';
    return values.reduce((sum, value) => sum + value, 0) >= Threshold;
  });
  return breaching.length >= DatapointsToAlarm ? 'ALARM' : 'OK';
}

describe('the alarm on synthetic sends', () => {
  const failure = linesOfFailure();
  const success = failure.map((line) => ({ ...line, SyntheticSendFailed: 0 }));

  it('goes off after two runs that fail of three', () => {
    expect(failure).toHaveLength(1);
    expect(stateAfter([success, failure, failure])).toBe('ALARM');
    expect(stateAfter([failure, success, failure])).toBe('ALARM');
  });

  it('goes off if nothing is counted: the function, or what starts it, is broken', () => {
    expect(stateAfter([success, [], []])).toBe('ALARM');
  });

  it('is off while messages are delivered, and for one run that is missing or fails', () => {
    expect(stateAfter([success, success, success])).toBe('OK');
    expect(stateAfter([success, [], success])).toBe('OK');
    expect(stateAfter([success, success, failure])).toBe('OK');
  });

  it('evaluates a period for each run', () => {
    expect(alarm.Period).toBe(300);
  });
});

describe('the function of synthetic sends', () => {
  it('may use one row of one table, that of its own client, and nothing else but its log and traces', () => {
    const roles = resourcesOfType('production', 'AWS::IAM::Role').filter(([id]) =>
      id.startsWith('SyntheticSendRole'),
    );
    const statements = roles.flatMap(([, { Properties }]) => statementsOf(Properties));
    const others = statements.filter(({ Action }) => !/^(logs|xray):/.test(String([Action].flat()[0])));
    expect(others).toMatchObject([
      {
        Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
        Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['client_synthetic'] } },
      },
    ]);
  });

  it('runs every five minutes, and only if the setting has it', () => {
    const schedules = resourcesOfType('production', 'AWS::Scheduler::Schedule').filter(([id]) =>
      id.includes('SyntheticSend'),
    );
    expect(schedules.map(([, { Properties }]) => Properties.ScheduleExpression)).toEqual(['rate(5 minutes)']);
    for (const name of ['no settings', 'local'])
      expect(
        resourcesOfType(name, 'AWS::Lambda::Function')
          .map(([id]) => id)
          .join(),
      ).not.toContain('Synthetic');
    expect(typesIn('no settings')).not.toContain('AWS::CloudWatch::Alarm');
  });
});

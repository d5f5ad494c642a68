import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { runbooks } from '../../lib/alarm.ts';
import { actionRows, actionsOf, statefulOf } from '../support/function-actions.ts';
import {
  deployments,
  forgetTemplates,
  synthesized,
  type TemplateResource,
} from '../support/stage-templates.ts';
import { expectedActions } from './expected-actions.ts';
import { productionState } from './production-state.ts';

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const complete = 'production with all there is';

afterAll(forgetTemplates);

function ofType(name: string, type: string): [string, TemplateResource][] {
  return Object.entries(synthesized(name).resources).filter(([, { Type }]) => Type === type);
}

describe.each(Object.keys(deployments))('the rules of cdk-nag, %s', (name) => {
  it('find nothing that is not acknowledged with a reason', () => {
    expect(synthesized(name).findings).toEqual([]);
  });
});

describe('what functions may do in production', () => {
  it('is what the committed table says, no more and no less', () => {
    expect(actionsOf(synthesized('production').resources)).toEqual(expectedActions);
  });

  it('is shown by the README, row by row', () => {
    for (const row of actionRows(expectedActions)) expect(readme).toContain(row);
  });

  it('holds no action by a pattern, and every resource only where X-Ray has no other', () => {
    for (const [name, resources] of Object.entries(expectedActions)) {
      for (const [resource, actions] of Object.entries(resources)) {
        expect(`${name} ${actions.join()}`).not.toContain('*');
        if (resource === 'everything')
          expect(actions).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']);
      }
    }
  });
});

describe('what production holds', () => {
  it('is neither dropped nor replaced: tables, keys and secrets are those that stand there', () => {
    expect(statefulOf(synthesized('production').resources)).toEqual(productionState);
  });

  it('outlives the stack, and a replacement too', () => {
    for (const id of Object.keys(productionState)) {
      expect(synthesized('production').resources[id]).toMatchObject({
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
      });
    }
  });

  it('gets a second token key beside the first, which may sign until the deploy is over', () => {
    const [first] = ofType('production', 'AWS::KMS::Key').map(([id]) => id);
    const both = ofType(complete, 'AWS::KMS::Key').map(([id]) => id);
    expect(both).toHaveLength(2);
    expect(both[0]).toBe(first);
    const policies = JSON.stringify(ofType(complete, 'AWS::IAM::Policy'));
    for (const id of both) expect(policies).toContain(`"${id}"`);
    const issuer = ofType(complete, 'AWS::Lambda::Function').find(([id]) => id.startsWith('ApiIssueToken'));
    expect(issuer?.[1].Properties.Environment.Variables.TOKEN_SIGNING_KEY_ID).toEqual({ Ref: both[1] });
  });
});

describe('who is told', () => {
  it('every alarm goes to the address, and names a section of the README that there is', () => {
    const alarms = ofType(complete, 'AWS::CloudWatch::Alarm');
    expect(alarms.length).toBeGreaterThan(50);
    for (const [, { Properties }] of alarms) {
      expect(Properties.AlarmActions).toHaveLength(1);
      const [, anchor] = /README\.md#runbook-([a-z-]+)$/.exec(Properties.AlarmDescription) ?? [];
      expect(runbooks).toContain(anchor);
    }
    for (const runbook of runbooks)
      expect(readme.toLowerCase()).toContain(`### runbook: ${runbook.replaceAll('-', ' ')}`);
  });

  it('every log ends, and no bucket, function URL or open topic is in the template', () => {
    for (const name of Object.keys(deployments)) {
      for (const [, { Properties }] of ofType(name, 'AWS::Logs::LogGroup'))
        expect(Properties.RetentionInDays).toBeGreaterThan(0);
      for (const type of ['AWS::S3::Bucket', 'AWS::Lambda::Url']) expect(ofType(name, type)).toEqual([]);
      for (const [, { Properties }] of ofType(name, 'AWS::SNS::TopicPolicy')) {
        for (const statement of Properties.PolicyDocument.Statement)
          if (statement.Effect === 'Allow') expect(JSON.stringify(statement.Principal)).not.toContain('*');
      }
    }
  });
});

describe('safe change in production', () => {
  it('gives each function an alias that a canary moves, and takes it back on alarm', () => {
    const functions = ofType('production', 'AWS::Lambda::Function');
    const groups = ofType('production', 'AWS::CodeDeploy::DeploymentGroup');
    expect(groups).toHaveLength(functions.length);
    for (const [, { Properties }] of groups) {
      expect(Properties.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent5Minutes');
      expect(Properties.AutoRollbackConfiguration.Events).toContain('DEPLOYMENT_STOP_ON_ALARM');
      expect(Properties.AlarmConfiguration.Alarms).toHaveLength(3);
    }
    const aliases = new Set(ofType('production', 'AWS::Lambda::Alias').map(([id]) => id));
    expect(aliases.size).toBe(functions.length);
    for (const [, { Properties }] of ofType('production', 'AWS::Lambda::EventSourceMapping'))
      expect(JSON.stringify(Properties.FunctionName)).toMatch(/Live/);
  });

  it('answers a flood that the web ACL stops with the error body and the headers of the contract', () => {
    const [[, acl] = []] = ofType('production', 'AWS::WAFv2::WebACL');
    const flood = acl?.Properties.Rules[0].Action.Block.CustomResponse;
    expect(flood.ResponseCode).toBe(429);
    expect(flood.ResponseHeaders.map(({ Name }: { Name: string }) => Name)).toEqual([
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-RateLimit-Policy',
      'Retry-After',
    ]);
    expect(JSON.parse(acl?.Properties.CustomResponseBodies.flood.Content)).toMatchObject({
      error: 'rate_limit_exceeded',
      retry_after: 300,
    });
    expect(ofType('production', 'AWS::WAFv2::WebACLAssociation')).toHaveLength(1);
  });
});

import { describe, expect, it } from '@jest/globals';
import { actionsOf, statementsOf } from '../support/template/function-actions.ts';
import { resourcesOfType, synthesized } from '../support/template/stage-templates.ts';

/** Actions on resources that cannot be named in the template. */
const wildcards: readonly RegExp[] = [
  // X-Ray has no resource to write a trace to.
  /^xray:Put(TelemetryRecords|TraceSegments)$/,
  // A log's streams are named when they are created.
  /^logs:(CreateLogStream|PutLogEvents)$/,
  // Any version of the function that EventBridge Scheduler calls.
  /^lambda:InvokeFunction$/,
  // Schedules are created at run time, in the gateway's own group.
  /^scheduler:CreateSchedule$/,
  // Clients name roles of their own accounts.
  /^sts:AssumeRole$/,
  // Numbers, sender ids and pools are registered by hand.
  /^sms-voice:SendTextMessage$/,
  // Numbers of WhatsApp are linked by hand too.
  /^social-messaging:SendWhatsAppMessage$/,
];

describe.each(['no settings', 'production'])('what functions may do, %s', (name) => {
  const { resources } = synthesized(name);
  const actions = actionsOf(resources);

  /** The functions that have an action on a resource. */
  const functionsWith = (matches: (resource: string, action: string) => boolean): string[] =>
    Object.entries(actions)
      .filter(([, ofFunction]) =>
        Object.entries(ofFunction).some(([resource, names]) => names.some((one) => matches(resource, one))),
      )
      .map(([file]) => file);

  it('gives every function a role of its own', () => {
    const roles = resourcesOfType(name, 'AWS::Lambda::Function').map(([, { Properties }]) =>
      String(Properties.Role['Fn::GetAtt'][0]),
    );
    expect(roles.length).toBeGreaterThan(20);
    expect(new Set(roles).size).toBe(roles.length);
  });

  it('lets only issue-token sign', () => {
    expect(functionsWith((_, action) => action.startsWith('kms:'))).toEqual(['describe-api', 'issue-token']);
    expect(actions['issue-token']?.['token key']).toEqual(['kms:GetPublicKey', 'kms:Sign']);
    expect(actions['describe-api']?.['token key']).toEqual(['kms:GetPublicKey']);
  });

  it('lets only functions that sign webhooks or rotate their secrets read them', () => {
    expect(functionsWith((resource) => resource === 'client-secrets')).toEqual([
      'admin-api',
      'deliver-webhook',
      'rotate-webhook-secret',
      'webhook-endpoints',
    ]);
  });

  it('lets only functions that derive one-time passwords read their secret', () => {
    expect(functionsWith((_, action) => action.startsWith('secretsmanager:'))).toEqual([
      'dispatch-message',
      'verify-otp',
    ]);
  });

  it('lets only deliver-webhook assume roles: none of this account, and none without an external id', () => {
    expect(functionsWith((_, action) => action.startsWith('sts:'))).toEqual(['deliver-webhook']);
    const assuming = resourcesOfType(name, 'AWS::IAM::Role').flatMap(([, { Properties }]) =>
      statementsOf(Properties).filter(({ Action }) => [Action].flat().includes('sts:AssumeRole')),
    );
    expect(assuming).toHaveLength(1);
    for (const { Condition } of assuming) {
      expect(Condition).toEqual({
        StringNotEquals: { 'aws:ResourceAccount': { Ref: 'AWS::AccountId' } },
        Null: { 'sts:ExternalId': 'false' },
      });
    }
  });

  it('has no wildcard in an action, and in a resource only where it cannot be named', () => {
    for (const [role, { Properties }] of resourcesOfType(name, 'AWS::IAM::Role')) {
      for (const { Action, Resource } of statementsOf(Properties)) {
        const isWildcard = JSON.stringify(Resource).includes('*');
        for (const action of [Action].flat()) {
          expect(`${role} ${action}`).not.toContain('*');
          if (isWildcard && !wildcards.some((allowed) => allowed.test(action)))
            throw new Error(`${role}: ${action} on ${JSON.stringify(Resource)}`);
        }
      }
    }
  });

  it('permits a function the tables whose names it has, and no others', () => {
    const tableIds = new Set(resourcesOfType(name, 'AWS::DynamoDB::Table').map(([id]) => id));
    const tablesIn = (value: unknown): string[] =>
      Array.from(JSON.stringify(value).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g), ([, id = '']) => id)
        .filter((id) => tableIds.has(id))
        .toSorted();
    const used = new Set<string>();
    for (const [id, { Properties }] of resourcesOfType(name, 'AWS::Lambda::Function')) {
      const role = resources[Properties.Role['Fn::GetAtt'][0]];
      if (role === undefined) throw new Error(`${id} has no role`);
      const permitted = statementsOf(role.Properties)
        .map(({ Resource }) => Resource)
        // Lambda reads the stream and passes its records.
        .filter((resource) => !JSON.stringify(resource).includes('StreamArn'));
      const named = Object.values(Properties.Environment.Variables);
      expect([id, ...new Set(tablesIn(permitted))]).toEqual([id, ...new Set(tablesIn(named))]);
      for (const table of tablesIn(named)) used.add(table);
    }
    expect(used).toEqual(tableIds);
  });
});

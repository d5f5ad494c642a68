/** What enterprises set, each alone: what it changes in the template, and which values are refused. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { Token } from 'aws-cdk-lib';
import { stageFrom } from '../../lib/stages/stages.ts';
import {
  deployments,
  enterpriseDeployments,
  ofEnterprises,
  resourceMaximum,
} from '../support/template/deployments.ts';
import {
  forgetTemplates,
  resourcesOfType,
  synthesized,
  type TemplateResource,
  typesIn,
} from '../support/template/stage-templates.ts';

type Named = [string, TemplateResource];

/** The resources of production with this setting alone, by type. */
function alone(name: keyof typeof ofEnterprises): (type: string) => Named[] {
  const deployment = `production with ${name}`;
  return (type) => resourcesOfType(deployment, type);
}

const properties = (resources: readonly Named[]) => resources.map(([, { Properties }]) => Properties);

afterAll(forgetTemplates);

describe('production with', () => {
  it.each(Object.keys(enterpriseDeployments))(
    'one of these has no findings of cdk-nag, and room for more resources: %s',
    (name) => {
      const { findings, resources } = synthesized(name);
      expect(findings).toEqual([]);
      expect(Object.keys(resources).length).toBeLessThanOrEqual(resourceMaximum);
    },
  );

  it('an existing key encrypts tables, queues, topics, logs and the secret with it, and its roles may use it', () => {
    const resources = alone('an existing key');
    const key = ofEnterprises['an existing key']?.encryptionKeyArn;
    for (const { SSESpecification } of properties(resources('AWS::DynamoDB::Table')))
      expect(SSESpecification).toEqual({ KMSMasterKeyId: key, SSEEnabled: true, SSEType: 'KMS' });
    for (const type of ['AWS::SQS::Queue', 'AWS::SNS::Topic'])
      for (const { KmsMasterKeyId } of properties(resources(type)))
        expect(JSON.stringify(KmsMasterKeyId)).toContain('01234567');
    for (const type of ['AWS::Logs::LogGroup', 'AWS::SecretsManager::Secret'])
      for (const { KmsKeyId } of properties(resources(type))) expect(KmsKeyId).toBe(key);
    // One for each carrier with credentials too.
    const secrets = properties(resourcesOfType('production of an enterprise', 'AWS::SecretsManager::Secret'));
    expect(secrets.map(({ KmsKeyId }) => KmsKeyId)).toEqual([key, key, key, key]);
    const users = properties(resources('AWS::IAM::Role')).filter((role) =>
      JSON.stringify(role).includes('kms:ViaService'),
    );
    // The role of each function, and the one with which schedules send to queues.
    expect(users).toHaveLength(resources('AWS::Lambda::Function').length + 1);
  });

  it('topics by urgency: alarms that cannot wait notify one, all others the other', () => {
    const alarms = properties(alone('existing topics')('AWS::CloudWatch::Alarm'));
    const topicsOf = (runbook: string) => {
      const found = alarms.filter(({ AlarmDescription }) => AlarmDescription.endsWith(`#runbook-${runbook}`));
      expect(found.length).toBeGreaterThan(0);
      return [...new Set(found.flatMap(({ AlarmActions }) => AlarmActions))];
    };
    expect(topicsOf('spend')).toEqual(['arn:aws:sns:eu-west-1:000000000000:page']);
    expect(topicsOf('dead-letters')).toEqual(['arn:aws:sns:eu-west-1:000000000000:ticket']);
  });

  it('an existing web ACL has it in front of the API, and none of its own', () => {
    const resources = alone('an existing web ACL');
    expect(properties(resources('AWS::WAFv2::WebACLAssociation'))).toEqual([
      expect.objectContaining({ WebACLArn: ofEnterprises['an existing web ACL']?.webAcl }),
    ]);
    expect(typesIn('production with an existing web ACL')).not.toContain('AWS::WAFv2::WebACL');
  });

  it('a domain as the only address turns the default endpoint off, by a deployment of the API', () => {
    const resources = alone('a domain as the only address');
    expect(properties(resources('AWS::ApiGateway::RestApi'))[0]?.DisableExecuteApiEndpoint).toBe(true);
    // The stage of every other deployment has the same body, and so the same deployment.
    const [[deployment]] = resourcesOfType('production with retention', 'AWS::ApiGateway::Deployment');
    expect(resources('AWS::ApiGateway::Deployment')[0]?.[0]).not.toBe(deployment);
  });

  it('webhooks from fixed addresses has their function, and no other, in the subnets', () => {
    const functions = alone('webhooks from fixed addresses')('AWS::Lambda::Function');
    const inVpc = properties(functions).filter(({ VpcConfig }) => VpcConfig !== undefined);
    expect(inVpc.map(({ Description }) => String(Description).split(': ').at(-1))).toEqual([
      'deliver-webhook',
    ]);
    for (const { VpcConfig } of inVpc)
      expect(VpcConfig).toEqual({
        SubnetIds: ['subnet-0a1b2c3d', 'subnet-4e5f6a7b'],
        SecurityGroupIds: ['sg-0a1b2c3d'],
      });
  });

  it('no cold starts of one-time passwords has provisioned and reserved concurrency, and no canary of these functions', () => {
    const resources = alone('no cold starts of one-time passwords');
    const provisioned = resources('AWS::Lambda::Alias').filter(
      ([, { Properties }]) => Properties.ProvisionedConcurrencyConfig !== undefined,
    );
    expect(provisioned).toHaveLength(3);
    for (const [, { Properties, UpdatePolicy }] of provisioned) {
      expect(Properties.ProvisionedConcurrencyConfig).toEqual({ ProvisionedConcurrentExecutions: 5 });
      expect(UpdatePolicy).toBeUndefined();
    }
    const reserved = properties(resources('AWS::Lambda::Function')).filter(
      ({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions === 50,
    );
    expect(reserved).toHaveLength(2);
  });

  it('retention keeps logs and rows as long', () => {
    const resources = alone('retention');
    for (const { RetentionInDays } of properties(resources('AWS::Logs::LogGroup')))
      expect(RetentionInDays).toBe(731);
    const kept = properties(resources('AWS::Lambda::Function')).filter(
      ({ Environment }) => Environment.Variables.RETENTION_DAYS === '400',
    );
    expect(kept.length).toBeGreaterThan(5);
  });
});

describe('what an enterprise sets is refused', () => {
  const refused = (settings: Record<string, unknown>) => () =>
    stageFrom({ ...deployments.production, ...settings });

  it.each<[Record<string, unknown>, string]>([
    [{ encryptionKeyArn: 'alias/platform' }, 'encryptionKeyArn: an ARN such as arn:aws:kms:…'],
    [{ alarms: { page: 'on-call@example.com' } }, 'alarms: page needs mail'],
    [{ alarms: true }, 'alarms: Invalid input: expected object'],
    [{ alarms: { email: 'on-call@example.com' } }, 'alarms: Unrecognized key: "email"'],
    [{ webAcl: 'arn:aws:wafv2:us-east-1:000000000000:global/webacl/a/b' }, 'webAcl: an ARN'],
    [{ webhookVpc: { subnetIds: [], securityGroupIds: ['sg-1'] } }, 'webhookVpc.subnetIds'],
    [
      { functionConcurrency: { 'send-otps': { provisioned: 5 } } },
      'functionConcurrency.send-otps: there is no such function',
    ],
    [{ functionConcurrency: { 'send-otp': { provisioned: 0 } } }, 'functionConcurrency.send-otp.provisioned'],
    [{ logRetentionDays: 31 }, 'logRetentionDays: one of 1, 3, 5'],
    [{ smsOriginationIdentity: '*' }, 'smsOriginationIdentity: a phone number'],
    [{ alarms: { mail: 'arn:aws:sns:eu-west-1:000000000000:t.fifo' } }, 'alarms.mail: an e-mail address, or'],
    [{ alarms: { mail: 'arn:aws:sns:eu-west-1:000000000000:t:1234' } }, 'alarms.mail: an e-mail address, or'],
    [
      { webhookVpc: { subnetIds: ['sg-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] } },
      'subnetIds.0: an id such as subnet',
    ],
    [{ docsUrl: 'javascript:alert(1)' }, 'docsUrl: an https address'],
  ])('where it cannot work: %j', (settings, fault) => {
    expect(refused(settings)).toThrow(fault);
  });

  it('not where an app passes what it creates, whose ARN is a token until the deploy', () => {
    const token = Token.asString({ Ref: 'Created' });
    expect(refused({ encryptionKeyArn: token, webAcl: token, alarms: { mail: token } })).not.toThrow();
  });
});

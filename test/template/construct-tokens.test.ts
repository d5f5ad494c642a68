/** What an app passes to the construct that is not known before the deploy: in the template, or refused by the setting's name. */
import { describe, expect, it } from '@jest/globals';
import { App, Aws, Stack, Token } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { MessagingGateway, type MessagingGatewayProps } from '../../lib/messaging-gateway.ts';
import { sampleCountriesFile } from '../../lib/stages/countries-file.ts';

const newStack = (): Stack =>
  new Stack(new App({ builtinCloudFormationValidation: false }), 'orders', { env: { region: 'eu-west-1' } });

const gatewayWith = (props: object, stack = newStack()): MessagingGateway =>
  new MessagingGateway(stack, 'Messaging', props as MessagingGatewayProps);

const token = (name = 'Given'): string => Token.asString({ Ref: name });
const lookup = (name = 'value'): string => `dummy-value-for-/platform/${name}`;

/** The properties that take ARNs, ids and addresses, all of them with a value of this kind. */
const taking = (value: (name: string) => string) =>
  ({
    encryptionKeyArn: value('Key'),
    smsOriginationIdentity: value('Sender'),
    whatsappPhoneNumberId: value('Phone'),
    customDomain: {
      name: 'api.example.com',
      certificateArn: value('Certificate'),
      hostedZone: { id: value('Zone'), name: 'example.com' },
    },
    webAcl: value('Acl'),
    webhookVpc: { subnetIds: [value('Subnet')], securityGroupIds: [value('Group')] },
    alarms: { page: value('Page'), mail: value('Ticket') },
  }) satisfies MessagingGatewayProps;

/** The template of a gateway with real carriers, and these properties. */
function templateWith(props: object): Template {
  const stack = newStack();
  const real = {
    smsCarrier: 'aws',
    whatsappCarrier: 'aws',
    countries: sampleCountriesFile,
  };
  gatewayWith({ ...real, ...props }, stack);
  return Template.fromStack(stack);
}

describe('the construct', () => {
  it.each([
    ['tokens', token, (name: string) => `{"Ref":"${name}"}`],
    ['lookups', lookup, (name: string) => lookup(name)],
  ])('takes %s as ARNs, ids and addresses', (_, value, rendered) => {
    const text = JSON.stringify(templateWith(taking(value)).toJSON());
    const names: string[] = [];
    taking((name) => {
      names.push(name);
      return name;
    });
    expect(names.filter((name) => !text.includes(rendered(name)))).toEqual([]);
    expect(text).not.toContain('Token[');
  });

  it('takes an ARN with a token in it, and a list that is a token', () => {
    const subnets = { 'Fn::Split': [',', { Ref: 'Subnets' }] };
    const template = templateWith({
      ...taking(token),
      encryptionKeyArn: `arn:${Aws.PARTITION}:kms:eu-west-1:000000000000:key/0123`,
      webhookVpc: { subnetIds: Token.asList(subnets), securityGroupIds: [token()] },
    });
    const inVpc = { Properties: { VpcConfig: { SubnetIds: subnets } } };
    expect(Object.keys(template.findResources('AWS::Lambda::Function', inVpc))).toHaveLength(1);
  });

  it.each([
    [{ docsUrl: token() }, 'docsUrl: an https address'],
    [{ country: lookup() }, 'country: a two-letter country code'],
    [{ retentionDays: Token.asNumber({ Ref: 'Given' }) }, 'retentionDays: Too small'],
    [{ tracing: token() }, 'tracing: Invalid input: expected boolean'],
    [{ functionConcurrency: { [token()]: { reserved: 5 } } }, 'there is no such function'],
  ])('refuses a token in any other property, by its name: %#', (props, fault) => {
    expect(() => gatewayWith(props)).toThrow(fault);
  });

  it('refuses a construct in the place of its ARN, by the name of the property', () => {
    expect(() => gatewayWith({ encryptionKeyArn: new Key(newStack(), 'Key') })).toThrow(
      'encryptionKeyArn: Invalid input: expected string',
    );
  });
});

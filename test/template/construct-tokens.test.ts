/** What an app passes to the construct that is not known before the deploy: in the template, or refused by the setting's name. */
import { describe, expect, it } from '@jest/globals';
import { App, Aws, Stack, Token } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { MessagingGateway, type MessagingGatewayProps } from '../../lib/messaging-gateway.ts';
import { sampleCountriesFile } from '../../lib/stages/countries-file.ts';
import { stageSettings } from '../../lib/stages/stage-settings.ts';

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
const takingNames = Object.keys(taking(token));

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

  const others = Object.keys(stageSettings.shape).filter((name) => !takingNames.includes(name));
  it.each(others)('names a property that cannot be a token: %s', (name) => {
    for (const value of [token(), lookup(), Token.asNumber({ Ref: 'Given' }), [token()], { part: token() }])
      expect(() => gatewayWith({ [name]: value })).toThrow(
        new RegExp(`orders/Messaging: ${name}(\\.\\w+)?: a literal value is required, not a token`),
      );
  });

  const { customDomain } = taking(token);
  it.each([
    [{ customDomain: { ...customDomain, name: token() } }, 'customDomain.name'],
    [
      { customDomain: { ...customDomain, hostedZone: { id: token(), name: lookup() } } },
      'customDomain.hostedZone.name',
    ],
    [{ functionConcurrency: { [token()]: { reserved: 5 } } }, 'a name in functionConcurrency'],
    [{ caps: { spend: { perDay: Token.asNumber({ Ref: 'Given' }) } } }, 'caps.spend.perDay'],
    [{ optOutWords: ['STOPP', token()] }, 'optOutWords.1'],
  ])('names the part of a property that cannot be a token: %#', (props, part) => {
    expect(() => gatewayWith(props)).toThrow(`orders/Messaging: ${part}: a literal value is required`);
  });

  it('refuses a construct in the place of its ARN, by the name of the property', () => {
    expect(() => gatewayWith({ encryptionKeyArn: new Key(newStack(), 'Key') })).toThrow(
      'encryptionKeyArn: Invalid input: expected string',
    );
  });
});

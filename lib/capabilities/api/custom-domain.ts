/** The API's custom domain name. Paths stay the same. */
import { CfnOutput } from 'aws-cdk-lib';
import { EndpointType, SecurityPolicy, type SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { StageSettings } from '../../stages/stage-settings.ts';

export class CustomDomain extends Construct {
  constructor(
    scope: Construct,
    id: string,
    api: SpecRestApi,
    wanted: NonNullable<StageSettings['customDomain']>,
  ) {
    super(scope, id);
    const domain = api.addDomainName('Domain', {
      domainName: wanted.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', wanted.certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    if (wanted.hostedZone !== undefined) {
      new ARecord(this, 'Record', {
        zone: HostedZone.fromHostedZoneAttributes(this, 'Zone', {
          hostedZoneId: wanted.hostedZone.id,
          zoneName: wanted.hostedZone.name,
        }),
        recordName: wanted.name,
        target: RecordTarget.fromAlias(new ApiGatewayDomain(domain)),
      });
    }
    new CfnOutput(this, 'Target', { key: 'DomainTarget', value: domain.domainNameAliasDomainName });
  }
}

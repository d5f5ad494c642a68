/** The API's custom domain name, under which paths stay the same. */
import { CfnOutput } from 'aws-cdk-lib';
import {
  type CfnDomainName,
  type CfnRestApi,
  EndpointType,
  type SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { StageSettings } from '../../stages/stage-settings.ts';

/**
 * Permits only TLS 1.2 and 1.3. The API and its domain get the same policy, as AWS recommends. With STRICT, API Gateway
 * refuses a request if the host name in its TLS handshake differs from its `Host` (API Gateway, "Endpoint access mode").
 */
export function requireTls12(endpoint: CfnRestApi | CfnDomainName): void {
  endpoint.securityPolicy = 'SecurityPolicy_TLS13_1_2_2021_06';
  endpoint.endpointAccessMode = 'STRICT';
}

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
    });
    requireTls12(domain.node.defaultChild as CfnDomainName);
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

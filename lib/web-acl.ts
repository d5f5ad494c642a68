/**
 * A web ACL before the API. What it blocks is answered by API Gateway's own response for it, with a real request id;
 * only the flood from one address has an answer of its own, because it is a 429.
 */
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { notCounted } from './gateway-responses.ts';
import type { StageSettings } from './stage-settings.ts';

const windowSeconds = 300;

/** AWS's own lists; the body's size is the gateway's own matter, for a bulk send may be large. */
const managed = [
  { name: 'AWSManagedRulesAmazonIpReputationList', counts: [] },
  { name: 'AWSManagedRulesKnownBadInputsRuleSet', counts: [] },
  {
    name: 'AWSManagedRulesCommonRuleSet',
    // A message may be long, and may say anything: `<script>` is no attack on the one who reads it on a phone.
    counts: [
      'SizeRestrictions_BODY',
      'CrossSiteScripting_BODY',
      'GenericRFI_BODY',
      'GenericLFI_BODY',
      'EC2MetaDataSSRF_BODY',
    ],
  },
];

export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, apiStage: Stage) {
    super(scope, id);
    const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
      cloudWatchMetricsEnabled: true,
      sampledRequestsEnabled: true,
      metricName,
    });
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible(`${stage.stackName}-requests`),
      customResponseBodies: {
        flood: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify({
            error: 'rate_limit_exceeded',
            message: `Too many requests from this address. Retry after ${windowSeconds} seconds.`,
            request_id: notCounted.requestId,
            retry_after: windowSeconds,
          }),
        },
      },
      rules: [
        {
          name: 'flood',
          priority: 0,
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              evaluationWindowSec: windowSeconds,
              limit: stage.webAclRequestsPerAddress,
            },
          },
          action: {
            block: {
              customResponse: {
                responseCode: 429,
                customResponseBodyKey: 'flood',
                responseHeaders: Object.entries({
                  'X-Request-Id': notCounted.requestId,
                  ...notCounted.headers,
                  'Retry-After': String(windowSeconds),
                }).map(([name, value]) => ({ name, value })),
              },
            },
          },
          visibilityConfig: visible(`${stage.stackName}-flood`),
        },
        ...managed.map(({ name, counts }, index) => ({
          name,
          priority: index + 1,
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name,
              ruleActionOverrides: counts.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
            },
          },
          overrideAction: { none: {} },
          visibilityConfig: visible(`${stage.stackName}-${name}`),
        })),
      ],
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: apiStage.stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

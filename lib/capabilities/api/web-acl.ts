/**
 * The API's web ACL, which blocks floods and addresses with a bad reputation. A blocked request gets API Gateway's response
 * for WAF, which contains a request id. Only the rate rule has its own response, because its status is 429.
 */
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { errorBody, rateLimitExceeded } from '../../../shared/contract/errors.ts';
import { apiStageName } from '../../../shared/contract/routes.ts';
import { encrypted } from '../../constructs/encryption.ts';
import { nameOfThisStack } from '../../constructs/removal-policy.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import { notCounted } from './gateway-responses.ts';

const windowSeconds = 300;
/** The maximum for one address, which is twice a client's highest limit at an endpoint. */
export const requestsPerWindow = 300_000;

/**
 * AWS's list of addresses with a bad reputation. Rule groups that inspect requests are not used, because the gateway
 * validates each request with a schema, and AWS changes these rules without a deploy. Pinning a version would not help: AWS
 * expires versions, and then refuses a new web ACL that names one (AWS WAF, "Version life cycle for managed rule groups").
 * The group for bad addresses has no versions.
 */
const addressList = {
  vendorName: 'AWS',
  name: 'AWSManagedRulesAmazonIpReputationList',
  // This is also AWS's default: matches are only counted, because addresses that took part in an attack are often shared.
  ruleActionOverrides: [{ name: 'AWSManagedIPDDoSList', actionToUse: { count: {} } }],
};

/**
 * Matches requests to all paths except those of carriers: they send all receipts from a few addresses, and the function
 * verifies them. The path that AWS WAF sees begins with the API's stage, unless the API has a custom domain.
 */
const notOfCarriers: CfnWebACL.StatementProperty = {
  notStatement: {
    statement: {
      orStatement: {
        statements: ['/carriers/', `/${apiStageName}/carriers/`].map((searchString) => ({
          byteMatchStatement: {
            fieldToMatch: { uriPath: {} },
            positionalConstraint: 'STARTS_WITH',
            searchString,
            textTransformations: [{ priority: 0, type: 'NONE' }],
          },
        })),
      },
    },
  },
};

export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, apiStage: Stage) {
    super(scope, id);
    const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
      cloudWatchMetricsEnabled: true,
      // Samples would contain phone numbers and credentials from URLs and headers.
      sampledRequestsEnabled: false,
      metricName,
    });
    const floodRule: CfnWebACL.RuleProperty = {
      name: 'flood',
      priority: 0,
      statement: {
        rateBasedStatement: {
          aggregateKeyType: 'IP',
          scopeDownStatement: notOfCarriers,
          evaluationWindowSec: windowSeconds,
          limit: requestsPerWindow,
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
            }).map(([header, value]) => ({ name: header, value })),
          },
        },
      },
      visibilityConfig: visible(`${stage.stackName}-flood`),
    };
    // All callers behind a proxy have the address of the proxy, so the rule would block the proxy.
    const floods = stage.trustedProxies === undefined ? [floodRule] : [];
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible(`${stage.stackName}-requests`),
      customResponseBodies: {
        flood: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify(
            errorBody(
              rateLimitExceeded('Too many requests from this address.', windowSeconds),
              notCounted.requestId,
            ),
          ),
        },
      },
      rules: [
        ...floods,
        {
          name: addressList.name,
          priority: floods.length,
          statement: {
            managedRuleGroupStatement: { ...addressList, scopeDownStatement: notOfCarriers },
          },
          overrideAction: { none: {} },
          visibilityConfig: visible(`${stage.stackName}-${addressList.name}`),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: apiStage.stageArn,
      webAclArn: acl.attrArn,
    });
    this.logBlocked(stage, acl);
  }

  /**
   * Logs blocked requests. The name of the log group must begin with `aws-waf-logs-` (AWS WAF, "Sending web ACL traffic
   * logs to an Amazon CloudWatch Logs log group"). The name ends with part of the stack's id, because a log group that
   * remains from a deleted stack would block the next deploy.
   */
  private logBlocked(stage: StageSettings, acl: CfnWebACL): void {
    const logGroup = new LogGroup(this, 'Log', {
      logGroupName: `aws-waf-logs-${nameOfThisStack(stage)}`,
      retention: stage.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
      ...encrypted(this, stage),
    });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [
        // The log group's attribute ends with `:*`, which AWS WAF does not accept.
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: logGroup.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
          },
        ],
      },
      // Paths and queries contain phone numbers, and these headers contain credentials.
      redactedFields: [
        { uriPath: {} },
        { queryString: {} },
        ...['authorization', 'cookie', 'idempotency-key'].map((Name) => ({ singleHeader: { Name } })),
      ],
    });
  }
}

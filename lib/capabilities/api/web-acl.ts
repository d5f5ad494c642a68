/**
 * The web ACL of the API. Blocked requests get API Gateway's WAF response, with a request id. Only the rate rule has a
 * response of its own, because its status is 429.
 */
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { errorBody, rateLimitExceeded } from '../../../shared/contract/errors.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import { notCounted } from './gateway-responses.ts';

const windowSeconds = 300;

interface ManagedGroup {
  readonly name: string;
  /** The rules that block. */
  readonly blocks: readonly string[];
  /** The rules that only count. */
  readonly counts: readonly string[];
}

/**
 * The rules of AWS's managed rule groups. A rule blocks when it inspects the address, method, host, path or headers that
 * the gateway defines, which no legitimate client matches. It only counts when it inspects what a client chooses
 * freely: bodies (a message may contain `<script>` or `../`; a bulk of 1,000 recipients is far above 8 KB, and the
 * gateway limits sizes itself), queries (a `reference` is free text, a cursor is long), and cookies (the gateway does not
 * read them, but browsers send those of the whole domain).
 */
const managedGroups: readonly ManagedGroup[] = [
  {
    name: 'AWSManagedRulesAmazonIpReputationList',
    blocks: ['AWSManagedIPReputationList', 'AWSManagedReconnaissanceList'],
    // This rule counts by default in AWS's rule group: addresses that took part in a DDoS attack are often shared.
    counts: ['AWSManagedIPDDoSList'],
  },
  {
    name: 'AWSManagedRulesKnownBadInputsRuleSet',
    blocks: [
      'ExploitablePaths_URIPATH',
      'Host_localhost_HEADER',
      'JavaDeserializationRCE_HEADER',
      'JavaDeserializationRCE_URIPATH',
      'Log4JRCE_HEADER',
      'Log4JRCE_URIPATH',
      'PROPFIND_METHOD',
    ],
    counts: [
      'JavaDeserializationRCE_BODY',
      'JavaDeserializationRCE_QUERYSTRING',
      'Log4JRCE_BODY',
      'Log4JRCE_QUERYSTRING',
      'ReactJSRCE_BODY',
    ],
  },
  {
    name: 'AWSManagedRulesCommonRuleSet',
    blocks: [
      'CrossSiteScripting_URIPATH',
      'EC2MetaDataSSRF_URIPATH',
      'GenericLFI_URIPATH',
      'GenericRFI_URIPATH',
      'RestrictedExtensions_URIPATH',
      'SizeRestrictions_URIPATH',
      'UserAgent_BadBots_HEADER',
    ],
    counts: [
      // HTTP does not require a User-Agent, and many libraries send none.
      'NoUserAgent_HEADER',
      'CrossSiteScripting_BODY',
      'CrossSiteScripting_COOKIE',
      'CrossSiteScripting_QUERYARGUMENTS',
      // The gateway itself refuses a webhook_url of the metadata service, with a 400 that names the field.
      'EC2MetaDataSSRF_BODY',
      'EC2MetaDataSSRF_COOKIE',
      'EC2MetaDataSSRF_QUERYARGUMENTS',
      'GenericLFI_BODY',
      'GenericLFI_QUERYARGUMENTS',
      'GenericRFI_BODY',
      'GenericRFI_QUERYARGUMENTS',
      'RestrictedExtensions_QUERYARGUMENTS',
      'SizeRestrictions_BODY',
      'SizeRestrictions_Cookie_HEADER',
      'SizeRestrictions_QUERYSTRING',
    ],
  },
];

export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, apiStage: Stage) {
    super(scope, id);
    const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
      cloudWatchMetricsEnabled: true,
      // Samples contain the URL and the headers, and so phone numbers and credentials.
      sampledRequestsEnabled: false,
      metricName,
    });
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
        ...managedGroups.map(({ name, counts }, index) => ({
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
